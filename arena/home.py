"""Where the operator's own data is kept."""

import os
from pathlib import Path

from arena.errors import OperatorError


def home() -> Path:
    """Return the folder of the operator's own data; it need not exist.

    Raises OperatorError when nobody knows where the operator is at home.
    """
    if chosen := os.environ.get("ARENA_HOME"):
        return Path(chosen).absolute()
    try:
        data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    except RuntimeError:
        raise OperatorError("this user has no home folder; set ARENA_HOME or HOME") from None
    return Path(data).absolute() / "schafkopf-arena"

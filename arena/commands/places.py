"""Where a league that the operator names is kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts import Token


def named_folder(_type: object, tokens: "Sequence[Token]") -> Path:
    """Return the folder that an option names; an empty name would silently mean this one."""
    (token,) = tokens
    if not token.value:
        raise ValueError("the folder's name is empty; write . for the current folder")
    return Path(token.value)


def folder_of(league: Path) -> Path:
    """Return the folder of a league that is named by its file or its folder."""
    from arena.plan import default_folder

    return default_folder(league) if league.suffix == ".toml" else league

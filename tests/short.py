"""Folders for sockets, whose paths may have no more than a hundred bytes or so."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def short_folder() -> Iterator[Path]:
    """Hold a folder with a short path, however long those of the tests' own folders are."""
    with tempfile.TemporaryDirectory(prefix="s-", dir="/tmp", ignore_cleanup_errors=True) as name:
        yield Path(name)

"""Folders for bots' and sockets' short lives: made, held by a lock, and removed after a crash."""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

_PREFIX: Final = "arena-"
_OWNER: Final = "owner"
"""File within a scratch folder that its owner holds locked."""
_LONGEST_PATH: Final = 60
"""Leaves room for a socket's name within the system's limit for its path."""


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Hold a new folder with a short path while the context is open. Raises OSError."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_parent()))
    try:
        with (folder / _OWNER).open("wb") as owner:
            fcntl.flock(owner, fcntl.LOCK_EX)
            yield folder
    finally:
        remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as that can be done, also where a bot has locked parts of it."""

    def unlock(function: Callable[[str], object], path: str, _why: object) -> None:
        with contextlib.suppress(OSError):
            os.chmod(Path(path).parent, stat.S_IRWXU)  # noqa: PTH101
            os.chmod(path, stat.S_IRWXU, follow_symlinks=False)  # noqa: PTH101
            if function in {os.open, os.scandir, os.listdir}:  # it couldn't be looked into
                shutil.rmtree(path, ignore_errors=True)
            else:
                function(path)

    shutil.rmtree(folder, onerror=unlock)


def remove_abandoned(folder: Path) -> None:
    """Remove a scratch folder whose owner was killed; anything else is left alone."""
    if folder.parent != Path(_parent()) or not folder.name.startswith(_PREFIX):
        return
    with contextlib.suppress(OSError), (folder / _OWNER).open("rb") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(owner.fileno()).st_uid == os.getuid():
            remove_tree(folder)


def remove_noted(note: Path) -> None:
    """Remove the scratch folder that a file names, if an arena that was killed left it."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        remove_abandoned(Path(note.read_text(encoding="utf-8").strip()))


def _parent() -> str:
    usual = tempfile.gettempdir()
    return usual if len(usual) <= _LONGEST_PATH else "/tmp"  # noqa: S108  # private by mkdtemp

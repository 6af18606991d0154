"""Paths as operators write them: with ~, relative to somewhere, and perhaps none at all."""

import stat
from contextlib import suppress
from pathlib import Path

from arena.errors import OperatorError


def written(text: str, folder: Path, where: str) -> Path:
    """Return the absolute path of what is there; a relative one is meant from `folder`.

    Raises OperatorError, naming `where` the path is written, when there is no such file.
    """
    try:
        path = folder / Path(text).expanduser()
        found = path.resolve()
        there = found.exists()
    except (OSError, RuntimeError, ValueError) as error:
        # Too long or not to be entered; a home that nobody has, a loop; a zero byte.
        raise OperatorError(f"{where}: {text!r} can't be used: {error}") from None
    if not there:
        raise OperatorError(f"{where}: there is no {path}")
    return found


def is_file(path: Path) -> bool:
    """Return whether there is a file of this name; what an operator wrote may be no name at all."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, for instance
        return False


def refuse_irregular(folder: Path) -> None:
    """Raise OperatorError where a league's folder has what is neither file nor folder.

    Opening a pipe or a device could wait for ever.
    """
    for place in (folder, folder / "logs", folder / "logs" / "bots"):
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            for path in place.iterdir():
                refuse_pipe(path)


def refuse_pipe(path: Path) -> None:
    """Raise OperatorError for what is there and neither file nor folder."""
    with suppress(OSError):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise OperatorError(f"{path} is no regular file; remove it")


def is_folder(path: Path) -> bool:
    """Return whether there is a folder of this name, as `is_file` does."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False

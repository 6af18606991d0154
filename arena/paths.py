"""Paths as operators write them: with ~, relative to somewhere, and perhaps none at all."""

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


def is_folder(path: Path) -> bool:
    """Return whether there is a folder of this name, as `is_file` does."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False

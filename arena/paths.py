"""What operators write by hand: paths with ~, relative or none at all, globs, TOML files."""

import stat
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from arena.errors import OperatorError

_DEEPEST: Final = 20
"""Levels of tables and arrays in a TOML file; none of ours has half of them."""


def toml(file: Traversable) -> dict[str, Any]:
    """Return what a TOML file holds, with or without a byte order mark.

    Raises OperatorError naming the file.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise OperatorError(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise OperatorError(f"{file} is not UTF-8 text; save it as such") from error
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise _too_deep(file) from error
    except ValueError as error:  # also a number of thousands of digits
        raise OperatorError(f"{file} is no TOML: {error}") from error
    if _deeper(table, _DEEPEST):
        raise _too_deep(file)
    return table


def _deeper(value: object, levels: int) -> bool:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_deeper(each, levels - 1) for each in below)


def _too_deep(file: Traversable) -> OperatorError:
    return OperatorError(f"{file} nests tables or arrays too deep; no key needs that")


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
        raise OperatorError(f"{where}: {text!r} can't be used: {error}") from error
    if not there:
        raise OperatorError(f"{where}: there is no {path}")
    return found


def matches(folder: Path, pattern: str, where: str) -> Iterator[tuple[str, Path]]:
    """Yield the files that a glob means, each with its name within the folder.

    They are the same on every version of Python. Raises OperatorError, naming `where` the
    glob is written, when there are none.
    """
    if not pattern or Path(pattern).is_absolute() or ".." in Path(pattern).parts:
        raise OperatorError(f"{where}: {pattern!r} must stay within the folder")
    try:
        # Up to Python 3.12 a final ** means folders alone.
        found = sorted(folder.glob(f"{pattern}/*" if pattern.endswith("**") else pattern))
    except (OSError, ValueError) as error:
        raise OperatorError(f"{where}: {pattern!r} is no glob: {error}") from error
    # Playing fills Python's cache; a bot must not look changed by that.
    files = [path for path in found if path.is_file() and "__pycache__" not in path.parts]
    if not files:
        raise OperatorError(f"{where}: {pattern!r} matches no file; correct or remove it")
    for path in files:
        yield path.relative_to(folder).as_posix(), path


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

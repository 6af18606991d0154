"""What a bot's command needs of the machine's files: programs, interpreters, what they link to."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

_INSTALLATIONS: Final = (
    "pyvenv.cfg", "lib/python3*", "conda-meta", "lib/node_modules", "include/node", "release",
    "libexec/pyenv",
)  # fmt: skip
"""What shows that the folder above a program's is one that was installed as a whole."""
_PROGRAM_FOLDERS: Final = ("bin", "shims")
_MOST_LINKS: Final = 40
_SHEBANG_BYTES: Final = 256


def too_wide(folder: Path) -> bool:
    """Return whether a folder holds so much that no bot may be shown all of it."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  # which is content where nobody knows
    return len(folder.parts) <= 2 or home.is_relative_to(folder) or folder == home / ".local"


def importable(path: Path) -> bool:
    """Return whether a file or folder is a module or package of Python's."""
    return path.suffix in {".py", ".so"} or (path / "__init__.py").is_file()


def needs(command: Sequence[str], folder: Path, search: str) -> set[Path]:
    """Return files and folders that a command run in `folder` has to see; many are of the system.

    `search` is the PATH. A word that names a file or folder is a need, and so are the folder
    that the file lies in, unless it is too wide, and a program's installation.
    """
    found: set[Path] = set()
    for word in command:
        program = shutil.which(folder / word if os.sep in word else word, path=search)
        if program is not None:
            _add_program(Path(os.path.normpath(program)), search, found)
        elif (named := Path(os.path.normpath(folder / word))) != folder and _exists(named):
            _add_named(named, found)
    return found


def trace(path: Path) -> tuple[dict[Path, str], Path]:
    """Return the symbolic links on the way to a path, with what they hold, and its real place."""
    links: dict[Path, str] = {}
    waiting, place = list(reversed(path.parts[1:])), Path(path.anchor)
    followed = 0
    while waiting:
        part = waiting.pop()
        place = place.parent if part == ".." else place / part
        if part == ".." or followed == _MOST_LINKS or not place.is_symlink():
            continue
        followed += 1
        links[place] = held = str(place.readlink())
        target = Path(held)
        waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)
        place = Path(target.anchor) if target.is_absolute() else place.parent
    return links, place


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a word may be too long for a name
        return False


def _add_named(path: Path, found: set[Path]) -> None:
    wanted = path if path.is_dir() or too_wide(path.parent) else path.parent
    if not too_wide(wanted):
        found.add(wanted)


def _add_program(program: Path, search: str, found: set[Path]) -> None:
    """Add a program with all names that it goes by until the file itself, and its interpreter."""
    links, real = trace(program)
    for name in (program, *links, real):
        if name not in found:
            found.update(_around(name))
    for interpreter in _interpreter(real, search):
        if interpreter not in found:
            _add_program(interpreter, search, found)


def _around(program: Path) -> Iterator[Path]:
    yield program
    above = program.parent
    if above.name not in _PROGRAM_FOLDERS:
        if not too_wide(above):
            yield above
        return
    installation = above.parent
    if too_wide(installation) or not any(
        any(installation.glob(pattern)) for pattern in _INSTALLATIONS
    ):
        return
    yield installation
    if (installation / "pyvenv.cfg").is_file():
        yield from _of_environment(installation)


def _of_environment(environment: Path) -> Iterator[Path]:
    """Yield the Python that an environment was made from, and packages that lie elsewhere."""
    with (environment / "pyvenv.cfg").open(encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.partition("=")
            if key.strip() == "home":
                yield from _around(Path(value.strip()) / "python3")
    for file_of_paths in environment.glob("lib/python3*/site-packages/*.pth"):
        for line in file_of_paths.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(os.sep) and Path(line).is_dir():
                yield from _packages(Path(line))


def _packages(folder: Path) -> Iterator[Path]:
    """Yield what can be imported from a folder that may hold much else, as a checkout does."""
    for entry in folder.iterdir():
        if importable(entry):
            yield entry


def _interpreter(script: Path, search: str) -> Iterator[Path]:
    try:
        if not stat.S_ISREG(script.stat().st_mode):
            return
        with script.open("rb") as file:
            first = file.read(_SHEBANG_BYTES).split(b"\n")[0].decode(errors="replace")
    except OSError:
        return
    if not first.startswith("#!"):
        return
    for word in first[2:].split():
        if (program := shutil.which(word, path=search)) is not None:
            yield Path(program)

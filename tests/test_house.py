"""What every file of the house obeys."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pathspec
import pytest

from engine.variants import GAMES

ROOT = Path(__file__).parent.parent
MOST_LINES = 300
MOST_LINES_OF_PROSE = 400
"""A document has lists to look things up in, not one argument to follow."""
FOR_READERS = {".py", ".ts", ".js", ".md", ".toml", ".yaml", ""}
"""Kinds of files that are read from top to bottom; the protocol's reference isn't."""

Ignored = tuple[Path, pathspec.GitIgnoreSpec]


def files_of(folder: Path, above: tuple[Ignored, ...] = ()) -> Iterator[Path]:
    """Yield the files that git keeps or would keep."""
    ignoring = above
    if (own := folder / ".gitignore").exists():
        lines = own.read_text(encoding="utf-8").splitlines()
        ignoring = (*above, (folder, pathspec.GitIgnoreSpec.from_lines(lines)))
    for entry in sorted(folder.iterdir()):
        ending = "/" if entry.is_dir() else ""
        names = ((spec, entry.relative_to(base).as_posix() + ending) for base, spec in ignoring)
        if entry.name == ".git" or any(spec.match_file(name) for spec, name in names):
            continue
        if entry.is_dir():
            yield from files_of(entry, ignoring)
        else:
            yield entry


OURS = {".ci", "arena", "engine", "proto", "sample_bots", "tests"}
"""Folders of the house; whoever plays leagues in a checkout makes others."""
FILES = tuple(
    path
    for path in files_of(ROOT)
    if path.parent == ROOT or path.relative_to(ROOT).parts[0] in OURS
)
CODE = [path for path in FILES if path.suffix == ".py"]


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


def test_the_files_are_found() -> None:
    found = set(names(list(FILES)))
    assert {"Makefile", "engine/cards.py", "arena/store.py", "tests/test_house.py"} <= found
    assert not [name for name in found if name.startswith((".venv/", "arena/v1/", ".git/"))]


def most(path: Path) -> int:
    return MOST_LINES_OF_PROSE if path.suffix == ".md" else MOST_LINES


def test_no_file_is_too_long() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {lines} lines"
        for path in FILES
        if path.suffix in FOR_READERS and (lines := path.read_bytes().count(b"\n")) > most(path)
    ]
    assert not long


def test_only_the_variants_know_games_by_name() -> None:
    keys = set(GAMES) | {game.family for game in GAMES.values()}
    may = ("engine/variants/", "tests/")
    knowing = [
        f"{name}:{node.lineno}: {node.value!r}"
        for path, name in zip(CODE, names(CODE), strict=True)
        if not name.startswith(may)
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Constant) and node.value in keys
    ]
    assert not knowing


# Written with gaps, so that this file doesn't hold what it forbids.
FORBIDDEN = [
    ("/ root /", "the path of a machine"),
    ("/ home /", "the path of a machine"),
    ("/ Users /", "the path of a machine"),
    ("/ work /", "the path of a machine"),
    ("/ tmp / w /", "the path of a machine"),
    ("pypi . org", "a registry: the operator chooses where packages come from"),
    ("pythonhosted . org", "a registry"),
    ("npmjs . org", "a registry"),
    ("npmjs . com", "a registry"),
    ("yarnpkg . com", "a registry"),
]


@pytest.mark.parametrize(("word", "because"), FORBIDDEN)
def test_no_file_names_a_place_of_its_own(word: str, because: str) -> None:
    closed = word.replace(" ", "").encode()
    holding = [path for path in FILES if closed in path.read_bytes()]
    assert not names(holding), because


def test_the_map_names_every_module_and_guard() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`([^`]+)`", text))
    modules = {
        entry.stem if entry.is_file() else f"{entry.name}/"
        for package in ("engine", "arena")
        for entry in (ROOT / package).iterdir()
        if entry.suffix == ".py" or (entry / "__init__.py").exists()
    }
    assert not modules - words - {"__init__", "v1/"}, "modules that the map lacks"
    named = {
        word
        for line in text.partition("guarded by")[0].splitlines()
        if line.startswith("| `")
        for word in re.findall(r"`([^`]+)`", line.split("|")[1])
    }
    assert not named - modules - {"rule_sets/"}, "modules that are gone"
    guards = {word for word in words if word.startswith("tests/") and "." in word}
    assert guards
    assert not [guard for guard in guards if not (ROOT / guard).exists()], "guards that are gone"

"""The index of what went wrong elsewhere: every row has a test that is there, or a reason."""

import ast
import tomllib
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).parent.parent
ROWS_OF = {"A": range(1, 14), "B": range(14, 30), "C": range(30, 44), "D": range(44, 55)}
ROWS_OF |= {"E": range(55, 75)}


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """What was seen elsewhere, and what we have against it: at least one of the three."""

    seen: str
    tests: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    """Started by hand, since they take long or only measure."""
    because: str = ""


def index() -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for file in sorted((ROOT / "tests" / "peers").glob("*.toml")):
        groups = msgspec.convert(
            tomllib.loads(file.read_text()), dict[str, dict[int, Row]], strict=False
        )
        for group, numbered in groups.items():
            rows |= {f"{group}.{number}": row for number, row in numbered.items()}
    return rows


ROWS = index()


def test_every_row_is_there() -> None:
    assert set(ROWS) == {f"{group}.{n}" for group, numbers in ROWS_OF.items() for n in numbers}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_row_has_a_test_that_exists_or_a_reason(row: Row) -> None:
    assert row.seen
    assert row.tests or row.programs or row.because
    assert [named for named in row.tests if not is_test(named)] == []
    assert [named for named in row.programs if not is_program(named)] == []


def is_test(named: str) -> bool:
    """Whether pytest collects a test by this name, or at least one in a whole file."""
    path, _, name = named.partition("::")
    if not Path(path).name.startswith("test_"):
        return False
    tests = {each for each in functions(path) if each.startswith("test_")}
    return name in tests if name else bool(tests)


def is_program(named: str) -> bool:
    """Whether a file has a `main`, and calls it when it is started."""
    if Path(named).name.startswith("test_") or "main" not in functions(named):
        return False
    return any(
        isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"
        for node in tree(named).body
    )


def functions(path: str) -> set[str]:
    """The functions of a module, none of which is within another."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return {node.name for node in tree(path).body if isinstance(node, kinds)}


def tree(path: str) -> ast.Module:
    file = ROOT / path
    return ast.parse(file.read_bytes() if file.is_file() else b"")


NAMED = [
    # a name, whether it is a test, whether it is a program, why
    ("tests/test_peers.py", True, False, "a file of tests"),
    ("tests/test_peers.py::test_every_row_is_there", True, False, "one of them"),
    ("tests/test_peers.py::index", False, False, "a function that is none"),
    ("tests/test_peers.py::test_nothing", False, False, "one that isn't there"),
    ("tests/test_nothing.py", False, False, "a file that isn't there"),
    ("tests/league_files.py", False, False, "a file of helpers"),
    ("tests/conftest.py", False, False, "another"),
    ("tests/bench_lateness.py", False, False, "a part of a program"),
    ("tests/soak.py", False, True, "a program"),
    ("tests/soak.py::main", False, False, "a function of it"),
]


@pytest.mark.parametrize(("named", "test", "program", "because"), NAMED, ids=[r[3] for r in NAMED])
def test_what_counts_as_one(named: str, test: bool, program: bool, because: str) -> None:
    assert (is_test(named), is_program(named)) == (test, program), because

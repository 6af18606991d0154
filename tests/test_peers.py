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
    """What was seen elsewhere, and what we have against it: at least one of the two."""

    seen: str
    tests: tuple[str, ...] = ()
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
    assert row.tests or row.because
    for named in row.tests:
        path, _, name = named.partition("::")
        tree = ast.parse((ROOT / path).read_bytes())
        functions = {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert not name or name in functions, named

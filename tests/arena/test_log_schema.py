"""The published log schema describes what is really written."""

from typing import Any

import msgspec
import pytest

from arena import dealing, log_schema
from arena.records import DealLine, Footer, Header, IncidentLine
from tests.arena.journals import all_lines, footer, header

SCHEMA: Any = log_schema.schema()


def test_it_is_json() -> None:
    assert msgspec.json.decode(msgspec.json.encode(SCHEMA)) == SCHEMA


def test_every_kind_of_line_is_described() -> None:
    assert set(SCHEMA["discriminator"]["mapping"]) == set(log_schema.kinds())
    for name, component in SCHEMA["$defs"].items():
        assert component.get("description"), name


@pytest.mark.parametrize(
    "line", [header(), all_lines(header())[0], footer(0)], ids=["header", "deal", "footer"]
)
def test_every_field_that_is_written_is_described(line: Header | DealLine | Footer) -> None:
    component = SCHEMA["$defs"][type(line).__name__]
    assert set(msgspec.json.decode(msgspec.json.encode(line))) == set(component["properties"])
    assert "chain" in component["required"]


def test_what_the_source_says_of_a_field_is_passed_on() -> None:
    properties = SCHEMA["$defs"]["DealLine"]["properties"]
    assert properties["think_us"]["description"].startswith("Think time per seat in microseconds")
    assert "description" in SCHEMA["$defs"][IncidentLine.__name__]["properties"]["time"]


def test_the_derivation_comes_with_vectors() -> None:
    assert SCHEMA["derivation"] == dealing.DERIVATION
    assert SCHEMA["vectors"] == dealing.test_vectors()

"""The published log schema describes what is really written."""

from typing import Any

import jsonschema
import msgspec
import pytest

from arena import dealing, log_schema, records, schedule
from arena.field_texts import FOR_STRANGERS
from arena.records import DealLine, FaultLine, Footer, Header, IncidentLine, Key, Line, Origin
from engine.cards import Rank, Suit, card_name, card_of
from tests.arena.journals import TIME, all_lines, footer, forge, header

SCHEMA: Any = log_schema.schema()
ORIGIN = Origin(commitment="00", chain="0" * 64, rules="online", arena="0")


def lines_of_every_kind() -> list[Line]:
    """Each with what only some lines have."""
    first = header(bots=1, rules="with Stock", session_deals=2)
    deals = all_lines(first)
    late = FaultLine(seat=2, decision=0, fault="late", detail="")
    faulty = msgspec.structs.replace(
        deals[0], faults=(late,), stood_down=(1,), times=((1, 2, None, 4), None)
    )
    incident = IncidentLine(time=TIME, incident="seen_deals", detail="", seen=(Key(0, 0, 0, 0, 0),))
    return [
        msgspec.structs.replace(first, rescored_from=ORIGIN),
        faulty,
        *deals[1:],
        incident,
        footer(len(deals), missing=(Key(0, 0, 0, 0, 0),)),
    ]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    file = forge(tmp_path_factory.mktemp("log") / "journal.jsonl", lines_of_every_kind())
    return [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]


def test_it_is_a_schema_by_its_own_standard() -> None:
    assert SCHEMA["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_it_takes_lines_of_every_kind(written: list[Any]) -> None:
    assert {line["kind"] for line in written} == set(log_schema.kinds())
    for line in written:
        jsonschema.validate(line, SCHEMA, jsonschema.Draft202012Validator)


def test_it_refuses_what_is_no_line(written: list[Any]) -> None:
    deal = next(line for line in written if line["kind"] == "deal")
    wrong = [
        {**deal, "key": [*deal["key"], 0]},
        {**deal, "chain": ""},
        {**deal, "kind": "other"},
        {name: value for name, value in deal.items() if name != "chain"},
    ]
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert not [line for line in wrong if validator.is_valid(line)]


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


def test_everything_in_a_line_is_described() -> None:
    for name, component in SCHEMA["$defs"].items():
        named = component.get("properties", {}).items()
        placed = ((field["title"], field) for field in component.get("prefixItems", ()))
        for field, described in (*named, *placed):
            assert described.get("description"), f"{name}.{field}"


def test_the_places_of_a_key_have_names() -> None:
    key = SCHEMA["$defs"]["Key"]
    names = [place["title"] for place in key["prefixItems"]]
    assert names == list(Key.__struct_fields__)
    assert key["maxItems"] == key["minItems"] == len(names)


def test_nothing_is_said_of_fields_that_do_not_exist() -> None:
    for name, texts in FOR_STRANGERS.items():
        assert set(texts) <= set(getattr(records, name).__struct_fields__), name


def test_the_cards_are_numbered_as_it_says() -> None:
    said = SCHEMA["notation"] + SCHEMA["derivation"]
    for suit in Suit:
        assert f"{suit.value} {suit.name.title()}" in said
    for rank in Rank:
        assert (
            f"{rank.value} {rank.name.title()}" in said
            or f"{rank.value} {rank.name.lower()}" in said
        )
    assert "28 is EO" in said
    assert card_name(card_of(Suit.EICHEL, Rank.OBER)) == "EO"


def test_the_shard_of_the_vectors_is_named_as_it_says() -> None:
    shard = schedule.Shard(3, 2, 1, 120, 6, 1, (0, 1, 2, 3))
    assert SCHEMA["vectors"]["shard"] == shard.id
    assert (
        f"{shard.id} is lineup 3 in\narrangement 2, seating 1, from deal 120 on" in SCHEMA["places"]
    )

"""Rule sets by name and by file."""

from pathlib import Path

import pytest

from arena import rulebook
from arena.errors import OperatorError
from engine.ruleset import rule_set


@pytest.mark.parametrize("name", rulebook.names())
def test_every_shipped_rule_set_loads_under_its_name(name: str) -> None:
    assert rulebook.load(name).name == name


@pytest.mark.parametrize("name", rulebook.names())
def test_effective_rules_written_out_are_the_same_rules(name: str) -> None:
    effective = rulebook.effective(name)
    assert "base" not in effective
    assert rule_set(effective) == rulebook.load(name)


def test_a_file_holds_only_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "wirtshaus.toml"
    path.write_text('base = "online"\n[tariff]\nschneider = 7\n')
    ours, base = rulebook.effective(str(path)), rulebook.effective("online")
    assert ours["name"] == "wirtshaus", "a file is no namesake of its base"
    assert ours["tariff"] == {**base["tariff"], "schneider": 7}
    same = set(base) - {"name", "title", "source", "tariff"}
    assert {key: ours[key] for key in same} == {key: base[key] for key in same}


def test_lists_are_replaced_and_not_merged(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text('base = "online"\n[auction]\nranking = [["wenz"], ["solo"]]\n')
    assert rulebook.effective(str(path))["auction"]["ranking"] == [["wenz"], ["solo"]]


REFUSED = [
    ('base = "online"\ncolour = 1', "house.toml: colour: unknown key; allowed", "unknown key"),
    ('base = "online"\n[tariff]\nfee = 1', "house.toml: tariff.fee", "unknown key in a table"),
    ('base = "online"\ndeck = "32"', "house.toml: deck", "wrong type"),
    ('base = "online"\ntariff = 3', "house.toml: tariff: expected a table", "no table"),
    ('base = "offline"', "house.toml: base: 'offline'.*online", "unknown base"),
    ("base = [1]", "house.toml: base: ", "no name"),
    ("deck = \n", "house.toml is no TOML.*line 1", "no TOML"),
    ("deck = " + "9" * 5000, "house.toml is no TOML.*digits", "a number beyond all bounds"),
    ("deck = " + "[" * 500, "house.toml nests", "arrays that are too deep for the reader"),
    ("base" + ".a" * 5000 + " = 1", "house.toml nests", "tables that are too deep to print"),
    ('base = "online"\ndck = 32', "house.toml: dck: .*did you mean 'deck'", "a slip in a key"),
    ('name = "x"', "house.toml: .*missing", "incomplete without a base"),
]


@pytest.mark.parametrize(("text", "message", "because"), REFUSED)
def test_a_file_is_refused(text: str, message: str, because: str, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(text)
    with pytest.raises(OperatorError, match=message):
        rulebook.load(str(path))


def test_neither_name_nor_file() -> None:
    with pytest.raises(
        OperatorError, match=r"'onlin' is neither.*did you mean 'online'\?.*one of: .*online"
    ):
        rulebook.load("onlin")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(OperatorError, match=r"house\.toml is not UTF-8 text"):
        rulebook.load(str(path))


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('base = "online"\r\n', encoding="utf-8-sig")
    assert rulebook.load(str(path)).name == "house"

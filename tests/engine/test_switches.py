"""Every switch of a rule set changes something, and what it changes is known."""

import pytest

from engine.cards import LONG_DECK, SHORT_DECK
from engine.errors import RuleSetError
from engine.ruleset import to_mapping
from engine.variants import GAMES
from tests.engine.support import PRO, changed, dealt, in_play, result
from tests.engine.switch_keys import CLOSED, DESCRIBES, SWITCH_TYPES
from tests.engine.switch_rows import REFUSED, SWITCHES


@pytest.mark.parametrize(
    ("key", "rules", "value", "situation", "before", "after"),
    SWITCHES,
    ids=[f"{key}={value}" for key, _, value, *_ in SWITCHES],
)
def test_a_switch_is_heard(key, rules, value, situation, before, after):
    assert situation(rules) == before
    if after == REFUSED:
        with pytest.raises(RuleSetError):
            changed(rules, {key: value})
    else:
        assert situation(changed(rules, {key: value})) == after


def entries():
    """Yield the keys of tables that hold a number for each kind or family of games."""
    for game in GAMES.values():
        yield f"tariff.base.{game.kind}"
        if game.trump_ranks and not game.everybody_alone:
            yield f"laufende.minimum.{game.kind}"
        if game.tout:
            yield f"tariff.factor.{game.family}"


OF_GAMES = {"tariff.base", "laufende.minimum", "tariff.factor"}


def test_every_switch_has_a_row():
    keys = set(SWITCH_TYPES) - DESCRIBES - OF_GAMES | set(entries())
    assert {key for key, *_ in SWITCHES} == keys


def value_of(rules, key):
    value = to_mapping(rules)
    for part in key.split("."):
        value = value[part]
    return value


@pytest.mark.parametrize("key", sorted(CLOSED))
def test_every_value_of_a_switch_has_a_row(key):
    rows = [row for row in SWITCHES if row[0] == key]
    shown = {row[2] for row in rows} | {value_of(row[1], key) for row in rows}
    assert shown == CLOSED[key]


def test_a_kind_without_a_minimum_pays_no_laufende():
    assert result(PRO, "wenz", "EU GU", "HU", points=61).laufende == 2
    unpaid = changed(PRO, {"laufende.minimum": {"solo": 3}})
    assert result(unpaid, "wenz", "EU GU", "HU", points=61).laufende == 0


def test_the_short_deck_is_played_out():
    rules = changed(PRO, {"deck": 24})
    hands = dealt(deck=SHORT_DECK)
    deal = in_play(rules, "solo-gras", hands)
    while not deal.finished:
        deal.step(deal, deal.legal[0])
    assert sum(deal.tricks) == 6
    assert sum(deal.points) == 120
    assert len(deal.plays) == SHORT_DECK.bit_count() < LONG_DECK.bit_count()

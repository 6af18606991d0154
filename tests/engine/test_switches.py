"""Every switch of a rule set changes something, and what it changes is known."""

from dataclasses import fields, is_dataclass
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from engine.auctions import PROCEDURES
from engine.cards import EMPTY, LONG_DECK, SHORT_DECK
from engine.model import RuleSet
from engine.rules import new_deal
from engine.ruleset import to_mapping
from engine.scoring import laufende_row, settle
from engine.variants import GAMES
from tests.engine.support import (
    MODEL,
    PRO,
    asked,
    changed,
    dealt,
    ended,
    hand,
    in_play,
    names,
    result,
    say,
)

TOPS = "EO GO HO SO EU GU HU SU"
CALL = "bid pass pass pass rufspiel-gras"


def may(role, cards, opened=""):
    """What may be played in a Rufspiel on Gras."""

    def situation(rules):
        return " ".join(sorted(names(asked(rules, "rufspiel-gras", role, cards, opened).legal)))

    return situation


def discarded(rules):
    """What the partner may lead with three of its four Gras left."""
    hands = ("GA GX GK G9 EO", "SA H7 G7 S7 S9", "SX H8 E7 E8 G8", "SK H9 EA EX HU")
    a, b, c, d = map(hand, hands)
    deal = in_play(rules, "rufspiel-gras", (a, b, c, d), declarer=1, forehand=1)
    say(deal, "SA SX SK no_stoss no_stoss no_stoss G9 H7 H8 H9 EO")
    return " ".join(sorted(names(deal.legal)))


def pays(game, *cards, points=61, tricks=5, stoss=()):
    """What declarer 0 gets."""

    def situation(rules):
        return settle(ended(rules, game, dealt(*cards), points, tricks, stoss)).payoff[0]

    return situation


def row_without_any(rules):
    return laufende_row(GAMES["rufspiel-gras"], rules, EMPTY)


def row_with_herz(rules):
    return laufende_row(GAMES["rufspiel-gras"], rules, hand(f"{TOPS} HA"))


def row_of_opponents(rules):
    return laufende_row(GAMES["rufspiel-gras"], rules, hand("HO"))


def offered(said, *options):
    """Which of these answers the asked seat has."""

    def situation(rules):
        deal = say(new_deal(rules, dealt(*MODEL), 0), said)
        return " ".join(sorted(names(deal.legal) & set(options)))

    return situation


def leader(rules):
    return in_play(rules, "wenz", dealt(*MODEL), declarer=2, forehand=1).turn


SWITCHES = [
    # key, other value, situation, its outcome in the pro variant, its outcome then
    ("deck", 24, row_without_any, 14, 12),
    ("leader", "declarer", leader, 1, 2),
    ("auction.partner_games_first_bidder_only", False,
     offered("bid bid pass pass cede", "rufspiel-gras", "wenz"), "wenz", "rufspiel-gras wenz"),
    ("auction.ranking", [["solo"], ["rufspiel"], ["wenz"]],
     offered("bid bid pass pass solo-herz", "wenz", "wenz-tout"), "wenz-tout", "wenz"),
    ("duties.lead_restriction", False, may("partner", "GA G9 EO"), "EO GA", "EO G9 GA"),
    ("duties.runaway_threshold", 5, may("partner", "GA GX G9 G8"), "G8 G9 GA GX", "GA"),
    ("duties.runaway_threshold", 3, may("partner", "GA GX G9"), "GA", "G9 GA GX"),
    ("duties.runaway_count", "dealt", discarded, "GA", "GA GK GX"),
    ("duties.ace_discard", "penultimate", may("partner", "GA H7", "EA"), "H7", "GA H7"),
    ("duties.ace_discard", "free", may("partner", "GA H7 H8", "EA"), "H7 H8", "GA H7 H8"),
    ("stoss.steps", 0, offered(f"{CALL} H8", "stoss"), "stoss", ""),
    ("stoss.steps", 1, offered(f"{CALL} H8 stoss", "no_stoss"), "no_stoss", ""),
    ("stoss.closes_before_card", 3, offered(f"{CALL} H8 H9", "no_stoss"), "", "no_stoss"),
    ("stoss.closes_before_card", 1, offered(CALL, "no_stoss"), "", "no_stoss"),
    ("stoss.reply_by", "declarer", offered(f"{CALL} H8 stoss", "stoss"), "", "stoss"),
    ("stoss.takeover", True, pays("wenz", "EU", "GU", points=60, stoss=(1,)), -300, 300),
    ("thresholds.win", 60, pays("wenz", "EU", "GU", points=60), -150, 150),
    ("thresholds.schneider", 90, pays("wenz", "EU", "GU", points=90), 150, 180),
    ("thresholds.defenders_schneider", 91, pays("wenz", "EU", "GU", points=30), -180, -150),
    ("thresholds.schwarz_by", "points",
     pays("wenz", "EU", "GU", points=120, tricks=7), 180, 210),
    ("laufende.scope", "trump_ranks", row_with_herz, 9, 8),
    ("laufende.without", False, row_of_opponents, 2, 0),
    ("laufende.minimum.rufspiel", 4, pays("rufspiel-gras", "EO GO HO", "SO", "GA"), 40, 10),
    ("laufende.minimum.wenz", 3, pays("wenz", "EU GU", "HU"), 210, 150),
    ("laufende.minimum.solo", 2, pays("solo-herz", "EO GO", "HO"), 150, 210),
    ("laufende.minimum.sie", 9, pays("sie", TOPS, points=120, tricks=8), 1560, 600),
    ("tariff.base.rufspiel", 20, pays("rufspiel-gras", "EO", "GO", "GA"), 10, 20),
    ("tariff.base.wenz", 20, pays("wenz", "EU", "GU"), 150, 60),
    ("tariff.base.solo", 20, pays("solo-herz", "EO", "GO"), 150, 60),
    ("tariff.base.sie", 20, pays("sie", TOPS, points=120, tricks=8), 1560, 1200),
    ("tariff.schneider", 5, pays("wenz", "EU", "GU", points=91), 180, 165),
    ("tariff.schwarz", 5, pays("wenz", "EU", "GU", points=120, tricks=8), 210, 195),
    ("tariff.laufende", 5, pays("wenz", "EU GU", "HU"), 210, 180),
    ("tariff.factor.wenz-tout", 3, pays("wenz-tout", "EU", "GU", tricks=8), 300, 450),
    ("tariff.factor.solo-tout", 3, pays("solo-tout-herz", "EO", "GO", tricks=8), 300, 450),
    ("tariff.factor.sie", 2, pays("sie", TOPS, points=120, tricks=8), 1560, 780),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value", "situation", "before", "after"),
    SWITCHES,
    ids=[f"{key}={value}" for key, value, *_ in SWITCHES],
)
def test_a_switch_is_heard(key, value, situation, before, after):
    assert situation(PRO) == before
    assert situation(changed(PRO, {key: value})) == after


def keys_of(mapping, path=""):
    for key, value in mapping.items():
        if isinstance(value, dict):
            yield from keys_of(value, f"{path}{key}.")
        else:
            yield f"{path}{key}"


def values_of(record, path=""):
    """Yield each switch that has a closed list of values, with the list."""
    hints = get_type_hints(record)
    for field in fields(record):
        hint = hints[field.name]
        if is_dataclass(hint) and not field.metadata:
            yield from values_of(hint, f"{path}{field.name}.")
        elif get_origin(hint) is Literal:
            yield f"{path}{field.name}", set(get_args(hint))


DESCRIBES = {"name", "title", "source"}
CLOSED = {**dict(values_of(RuleSet)), "auction.procedure": set(PROCEDURES)}


def test_every_switch_has_a_row():
    single = {key for key, values in CLOSED.items() if len(values) == 1}
    rows = {key for key, *_ in SWITCHES}
    assert set(keys_of(to_mapping(PRO))) - DESCRIBES - single == rows


@pytest.mark.parametrize("key", sorted(CLOSED))
def test_every_value_of_a_switch_has_a_row(key):
    mapping = to_mapping(PRO)
    for part in key.split("."):
        mapping = mapping[part]
    assert CLOSED[key] == {mapping} | {value for row, value, *_ in SWITCHES if row == key}


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

"""What a rule set's table may hold, and what it may not."""

import copy

import pytest

from engine.errors import RuleSetError
from engine.ruleset import rule_set
from tests.engine.support import mapping_of, set_key

MISSING = object()

REFUSED = [
    # key, value, what the message says
    ("colour", "red", "colour: unknown key"),
    ("auction.colour", "red", "auction.colour: unknown key"),
    ("stoss.step", 4, "stoss.step: unknown key"),
    ("laufende.lauf", 2, "laufende.lauf: unknown key"),
    ("games", [], "games: unknown key"),
    ("rank", {}, "rank: unknown key"),
    ("procedure", "two_round", "procedure: unknown key"),
    ("name", MISSING, "name: missing"),
    ("auction", MISSING, "auction: missing"),
    ("tariff", MISSING, "tariff: missing"),
    ("tariff.base", MISSING, "tariff.base: missing"),
    ("auction.procedure", MISSING, "auction.procedure: missing"),
    ("auction.ranking", MISSING, "auction.ranking: missing"),
    ("name", 7, "name: expected str"),
    ("deck", 36, "deck: 36 is not allowed; allowed: 32, 24"),
    ("deck", "32", "deck: '32' is not allowed"),
    ("deck", 32.0, "deck: 32.0 is not allowed"),
    ("deck", True, "deck: True is not allowed"),
    ("leader", "dealer", "leader: 'dealer' is not allowed"),
    ("auction", "two_round", "auction: expected a table"),
    ("auction.procedure", "one_round", "auction.procedure: 'one_round' is unknown"),
    ("auction.procedure", 2, "auction.procedure: expected str"),
    ("auction.ranking", "rufspiel", "auction.ranking: expected a list"),
    ("auction.ranking", ["rufspiel", "solo"], r"auction.ranking\[0\]: expected a list"),
    ("auction.ranking", [["rufspiel", 4]], r"auction.ranking\[0\]\[1\]: expected str"),
    ("auction.ranking", [["rufspiel"], ["skat"]], "auction.ranking: 'skat' is no family"),
    ("auction.ranking", [["solo-herz"]], "auction.ranking: 'solo-herz' is no family"),
    ("auction.ranking", [["solo"], ["wenz", "solo"]], "'solo' is listed twice"),
    ("auction.ranking", [["solo", "solo"]], "'solo' is listed twice"),
    ("auction.ranking", [], "auction.ranking: the last bidder must play"),
    ("auction.ranking", [["rufspiel"], ["sie"]], "auction.ranking: the last bidder must play"),
    ("auction.partner_games_first_bidder_only", 1, "expected bool"),
    ("auction.pass_out", "again", "auction.pass_out: 'again' is not allowed"),
    ("duties.lead_restriction", "yes", "duties.lead_restriction: expected bool"),
    ("duties.runaway_threshold", 1, "duties.runaway_threshold: 1 is out of range"),
    ("duties.runaway_threshold", 9, "duties.runaway_threshold: 9 is out of range"),
    ("duties.runaway_threshold", 4.0, "duties.runaway_threshold: expected int"),
    ("duties.runaway_count", "never", "duties.runaway_count: 'never' is not allowed"),
    ("duties.ace_discard", "always", "duties.ace_discard: 'always' is not allowed"),
    ("stoss.steps", 5, "stoss.steps: 5 is out of range; allowed: 0 to 4"),
    ("stoss.steps", -1, "stoss.steps: -1 is out of range"),
    ("stoss.steps", True, "stoss.steps: expected int"),
    ("stoss.closes_before_card", 0, "stoss.closes_before_card: 0 is out of range"),
    ("stoss.closes_before_card", 5, "stoss.closes_before_card: 5 is out of range"),
    ("stoss.reply_by", "partner", "stoss.reply_by: 'partner' is not allowed"),
    ("thresholds.win", 0, "thresholds.win: 0 is out of range"),
    ("thresholds.win", 121, "thresholds.win: 121 is out of range"),
    ("thresholds.schneider", 60, "thresholds.schneider: 60 is out of range"),
    ("thresholds.defenders_schneider", 122, "thresholds.defenders_schneider: 122 is out"),
    ("thresholds.schwarz_by", "cards", "thresholds.schwarz_by: 'cards' is not allowed"),
    ("laufende.scope", "all", "laufende.scope: 'all' is not allowed"),
    ("laufende.minimum", 3, "laufende.minimum: expected a table"),
    ("laufende.minimum.wenz", "2", "laufende.minimum.wenz: expected int"),
    ("laufende.minimum.wenz", 0, "laufende.minimum.wenz: 0 is out of range"),
    ("laufende.minimum.wens", 2, "laufende.minimum.wens: unknown"),
    ("tariff.base.wenz", MISSING, "tariff.base: no price for 'wenz'"),
    ("tariff.base.wenz", 2.5, "tariff.base.wenz: expected int"),
    ("tariff.base.wenz", -50, "tariff.base.wenz: -50 is out of range"),
    ("tariff.base.solos", 50, "tariff.base.solos: unknown"),
    ("tariff.schneider", -1, "tariff.schneider: -1 is out of range"),
    ("tariff.schwarz", 1_000_001, "tariff.schwarz: 1000001 is out of range"),
    ("tariff.laufende", None, "tariff.laufende: expected int"),
    ("tariff.factor.wenz-tout", 0, "tariff.factor.wenz-tout: 0 is out of range"),
    ("tariff.factor.wenz-tuot", 2, "tariff.factor.wenz-tuot: unknown"),
]


@pytest.mark.parametrize(
    ("key", "value", "message"), REFUSED, ids=[f"{row[0]}-{n}" for n, row in enumerate(REFUSED)]
)
def test_refuses(key, value, message):
    mapping = copy.deepcopy(mapping_of("online-pro"))
    assert rule_set(mapping), "without the change it is fine"
    if value is MISSING:
        *path, last = key.split(".")
        table = mapping
        for part in path:
            table = table[part]
        del table[last]
    else:
        set_key(mapping, key, value)
    with pytest.raises(RuleSetError, match=message):
        rule_set(mapping)


SHORTEST = {
    "name": "bare",
    "auction": {"procedure": "two_round", "ranking": [["solo"]]},
    "tariff": {"base": {"solo": 5}},
}


def test_what_may_be_left_out_has_a_default():
    rules = rule_set(SHORTEST)
    assert (rules.deck, rules.leader, rules.stoss.steps) == (32, "forehand", 0)
    assert [game.key for game in rules.games] == [
        "solo-schellen",
        "solo-herz",
        "solo-gras",
        "solo-eichel",
    ]
    assert {rules.rank[game.announcement] for game in rules.games} == {0}


def test_families_of_one_group_rank_alike():
    mapping = copy.deepcopy(SHORTEST)
    mapping["auction"]["ranking"] = [["wenz", "rufspiel"], ["solo"]]
    mapping["tariff"]["base"] = {"solo": 5, "wenz": 5, "rufspiel": 1}
    rules = rule_set(mapping)
    ranks = {game.family: rules.rank[game.announcement] for game in rules.games}
    assert ranks == {"rufspiel": 0, "wenz": 0, "solo": 1}
    assert [game.announcement for game in rules.games] == sorted(rules.rank)


@pytest.mark.parametrize("value", [None, [], "online", 7])
def test_refuses_what_is_no_table(value):
    with pytest.raises(RuleSetError, match="expected a table"):
        rule_set(value)


def test_a_price_may_stand_for_a_game_that_is_not_listed():
    """So that a rule set can take games away from the one that it is based on."""
    mapping = mapping_of("online")
    mapping["auction"]["ranking"] = [["solo"]]
    assert {game.family for game in rule_set(mapping).games} == {"solo"}

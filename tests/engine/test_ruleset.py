"""What a rule set's table may hold, and what it may not."""

import copy

import pytest

from engine.errors import RuleSetError
from engine.ruleset import rule_set
from tests.engine.support import changed, mapping_of, set_key, shipped

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
    ("auction.ranking", [], "auction.ranking: no game to announce"),
    (
        "auction.ranking",
        [["rufspiel"], ["sie"]],
        "auction.ranking: a bidder, or who",
    ),
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
    ("tariff.factor.wenz", 2, "tariff.factor.wenz: unknown"),
    ("laufende.minimum.ramsch", 3, "laufende.minimum.ramsch: unknown"),
    ("laufende.minimum.bettel", 3, "laufende.minimum.bettel: unknown"),
    ("klopfen", 1, "klopfen: expected bool"),
    ("auction.hochzeit", "yes", "auction.hochzeit: expected bool"),
    ("auction.hochzeit", True, "tariff.base: no price for 'hochzeit'"),
    ("auction.pass_out", "ramsch", "tariff.base: no price for 'ramsch'"),
    ("auction.pass_out", "hochzeit", "auction.pass_out: 'hochzeit' is not allowed"),
    ("auction.ranking", [["ramsch"], ["solo"]], "'ramsch' is no family"),
    ("auction.ranking", [["hochzeit"], ["solo"]], "'hochzeit' is no family"),
    ("auction.ranking", [["bettel"], ["solo"]], "tariff.base: no price for 'bettel'"),
    ("follow.trump_instead", True, "follow.trump_instead: needs must_trump"),
    ("ramsch.tie", "split", "ramsch.tie: 'split' is not allowed"),
    ("ramsch.durchmarsch", 91, "ramsch.durchmarsch: 91 is not allowed"),
    ("thresholds.forced_with_few_trumps", 9, "forced_with_few_trumps: 9 is out of range"),
    ("tariff.lost_factor", 0, "tariff.lost_factor: 0 is out of range"),
    ("tariff.forced_lost_factor", 101, "tariff.forced_lost_factor: 101 is out of range"),
    ("tariff.factor.sie", 1_000, "tariff: a deal could pay more than"),
    ("tariff.laufende", 1_000_000, "tariff: a deal could pay more than"),
    ("session.stock", -1, "session.stock: -1 is out of range"),
    ("session.schafkopf_strokes", 256, "session.schafkopf_strokes: 256 is out of range"),
    ("session.match_schafkoepfe", 0, "session.match_schafkoepfe: 0 is out of range"),
    ("session.bock_deals", 4, "session.bock_deals: a Bock round needs"),
    ("session.bock_after", ["tie"], "session.bock_deals: a Bock round needs"),
    ("session.bock_after", ["rain"], r"session.bock_after\[0\]: 'rain' is not allowed"),
    ("session.schafkopf_strokes", 9, "session.schafkopf_strokes: only pairs"),
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


ONE_ONLY = "auction.single_games_only_if_blocked"
FIRST_ONLY = "auction.partner_games_first_bidder_only"
DEUTSCHER_PRICED = {"auction.ranking": [["solo"], ["deutscher"]], "tariff.base.deutscher": 1}

IMPOSSIBLE = [
    # rule set, changes, what the message says
    ("online", DEUTSCHER_PRICED, "auction.ranking: 'deutscher' has fixed partners"),
    ("stargames-32", DEUTSCHER_PRICED, "auction.ranking: 'deutscher' has fixed partners"),
    ("tutorial", {**DEUTSCHER_PRICED, ONE_ONLY: False}, "'deutscher' has fixed partners"),
    ("schafkopfschule", DEUTSCHER_PRICED, "auction.ranking: 'deutscher' can't be bid"),
    ("schafkopfschule", {"auction.ranking": [["rufspiel"]]}, "a bidder, or who is forced, must"),
    ("tutorial", {"auction.ranking": [["rufspiel"]]}, "a bidder, or who is forced, must play"),
    ("deutscher", {"auction.ranking": [["solo"]], "tariff.base.solo": 1}, "Unter on top"),
    ("deutscher", {"auction.ranking": [["wenz"]], "tariff.base.wenz": 1}, "a game for each suit"),
    ("deutscher", {"auction.ranking": [["deutscher"], ["solo"]], "tariff.base.solo": 1},
     "needs one family with a game for each suit"),
    ("deutscher", {"auction.ranking": [["farbwenz"]], "tariff.base.farbwenz": 1},
     "made for games with fixed partners"),
    ("deutscher", {"auction.pass_out": "ramsch", "tariff.base.ramsch": 1}, "somebody always plays"),
    ("deutscher", {"auction.pass_out": "must_play"}, "somebody always plays"),
    ("deutscher", {"auction.hochzeit": True, "tariff.base.hochzeit": 1}, "somebody always plays"),
    ("deutscher", {"session.stock": 1, "session.schafkopf_strokes": 9}, "either money or strokes"),
    ("online", {ONE_ONLY: True}, f"{ONE_ONLY}: a later bidder"),
    ("schafkopfschule", {ONE_ONLY: True}, f"{ONE_ONLY}: a later bidder"),
    ("stargames-32", {"auction.pass_out": "must_play", "auction.ranking": [["rufspiel"]]},
     "a bidder, or who is forced, must play"),
    ("stargames-32", {"auction.pass_out": "must_play", "auction.ranking": []},
     "no game to announce"),
    ("stargames-32", {"auction.ranking": []}, "no game to announce"),
    ("sauspiel", {"session.stock": 10}, "session.stock: is paid when nobody plays"),
    ("sauspiel", {"stoss.closes_before_card": 1}, "nobody could double"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    IMPOSSIBLE,
    ids=[f"{r[0]}-{n}" for n, r in enumerate(IMPOSSIBLE)],
)
def test_refuses_what_does_not_go_together(name, changes, message):
    with pytest.raises(RuleSetError, match=message):
        changed(shipped(name), changes)


POSSIBLE = [
    ("online", {ONE_ONLY: True, FIRST_ONLY: False}, "later bidders may call as well"),
    ("stargames-32", {ONE_ONLY: True, FIRST_ONLY: True}, "in one round all may pass"),
    ("stargames-32", {"auction.ranking": [["rufspiel"]]}, "nobody there must play"),
    ("deutscher", {"stoss.steps": 4, "klopfen": True}, "pairs may double too"),
    ("deutscher", {"deck": 24}, "with six cards each too"),
    ("tutorial", {"stoss.steps": 4}, "a Ramsch is never doubled, other games are"),
]


@pytest.mark.parametrize(("name", "changes", "because"), POSSIBLE)
def test_takes_what_does(name, changes, because):
    assert changed(shipped(name), changes), because


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

"""What the rule bot does by other rules than the online program's."""

import random
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_bot import chooser

from arena.rulebook import names
from arena.v1.arena_pb2 import Decision
from engine.actions import action_name
from engine.ruleset import rule_set
from tests.bots.support import (
    RULES,
    auction_question,
    card_question,
    decisions_of_a_deal,
    new_shuffled_deal,
    payoff,
)

CHOOSERS = {name: chooser(rules) for name, rules in RULES.items()}
FIRST_ROUND = "pass bid"

OTHER_BIDS = [
    # rules, hand, said, legal, expected, because
    ("sauspiel", "EO GO HU HA", "", "no_klopfen klopfen", "klopfen", "half a hand of trumps"),
    ("sauspiel", "EO S7 S8 G9", "", "no_klopfen klopfen", "no_klopfen", "half a hand of nothing"),
    ("sauspiel", "EO HO HU HA H8 G9 EA E7", "", FIRST_ROUND, "bid", "Gras to call"),
    (
        "sauspiel",
        "EO HO HU HA H8 G9 EA E7",
        "3:bid",
        "bid-rufspiel bid-wenz bid-solo",
        "bid-rufspiel",
        "says the kind first",
    ),
    (
        "sauspiel",
        "EO HO HU HA H8 G9 EA E7",
        "0:bid 3:bid 0:bid-wenz",
        "cede bid-solo",
        "cede",
        "is outbid",
    ),
    (
        "sauspiel",
        "EO GO HO SO EU GU EA EX",
        "0:bid 3:bid 0:bid-wenz",
        "cede bid-solo bid-solo-tout bid-sie",
        "bid-solo",
        "goes higher",
    ),
    (
        "sauspiel",
        "EO HO HU HA H8 G9 EA E7",
        "3:bid 3:bid-rufspiel",
        "rufspiel-gras rufspiel-schellen",
        "rufspiel-gras",
        "then the ace",
    ),
    (
        "sauspiel",
        "EU GU HU SU GA GX GK EA",
        "3:bid",
        "cede bid-farbwenz bid-wenz",
        "bid-farbwenz",
        "a suit below the Unter",
    ),
    (
        "sauspiel",
        "EO GO SA SX GA G7 EA E7",
        "3:bid",
        "cede bid-geier bid-wenz",
        "bid-geier",
        "Ober and aces",
    ),
    ("online", "EO GO SA SX GA G7 EA E7", "", FIRST_ROUND, "pass", "no Geier in these rules"),
    (
        "stargames-32",
        "EO HO HU HA H8 G9 EA E7",
        "",
        "pass rufspiel-gras wenz solo-herz",
        "rufspiel-gras",
        "says all at once",
    ),
    ("stargames-24", "EO HO HU HA H9 GK", "", "pass rufspiel-gras wenz", "rufspiel-gras", "six"),
    ("stargames-24", "EO HO H9 S9 GK E9", "", "pass rufspiel-gras wenz", "pass", "too few of six"),
    (
        "tutorial",
        "EU GU HU EA EX GA GX S7",
        "3:bid",
        "rufspiel-schellen",
        "rufspiel-schellen",
        "blocked from a Wenz",
    ),
    (
        "tutorial",
        "EU GU HU EA EX GA GX S7",
        "",
        FIRST_ROUND,
        "pass",
        "would be blocked from its Wenz",
    ),
    (
        "deutscher",
        "EU GU HA H7 H8 SA SK SO",
        "",
        "report-schellen report-herz",
        "report-schellen",
        "as many trumps, and an ace beside either",
    ),
    (
        "deutscher",
        "EU GA GX G7 HA H8 SA SK",
        "0:pass 1:pass 2:pass 3:pass",
        "deutscher-schellen deutscher-herz deutscher-gras deutscher-eichel",
        "deutscher-gras",
        "must play, with the longest suit",
    ),
    ("with Bettel and Hochzeit", "HU S7 S8 G7 G8 E7 E8 E9", "", "pass offer", "pass", "no wedding"),
    (
        "with Bettel and Hochzeit",
        "EO GO HU HA H8 G9 EA E7",
        "0:pass 0:offer",
        "pass take",
        "pass",
        "nor as a guest",
    ),
    (
        "with Bettel and Hochzeit",
        "H7 S7 S8 G7 G8 E7 E8 E9",
        "3:bid",
        "cede bid-bettel bid-wenz",
        "cede",
        "never a Bettel",
    ),
    (
        "with Muss, also on a void suit",
        "EO HO HU HA H8 H7 S7 S8",
        "0:pass 1:pass 2:pass 3:pass",
        "rufspiel-gras rufspiel-eichel wenz solo-herz",
        "rufspiel-gras",
        "who must play takes a partner",
    ),
]


@pytest.mark.parametrize(
    ("rules", "hand", "said", "legal", "expected", "because"),
    OTHER_BIDS,
    ids=[f"{row[0]}: {row[-1]}" for row in OTHER_BIDS],
)
def test_bids_by_other_rules(
    rules: str, hand: str, said: str, legal: str, expected: str, because: str
) -> None:
    asked = auction_question(hand, said, legal)
    assert action_name(CHOOSERS[rules](asked)) == expected, because


OTHER_CARDS = [
    # rules, question: game, declarer, plays, hand, may; expected, because
    ("tutorial", ("ramsch", 0, "", "EO GA GX S7 S8 H7 EA E8", ""), "S7 S8 E8", "leads low"),
    ("tutorial", ("ramsch", 0, "0:GA 1:G7 2:GX", "G8 G9 GK", ""), "GK", "out of the trick: danger"),
    ("tutorial", ("ramsch", 0, "0:EX 1:E7 2:E8", "EA E9 S7", "EA E9"), "E9", "not with the ace"),
    ("tutorial", ("ramsch", 0, "0:E7 1:EA 2:E8", "SA S7 G8", ""), "SA", "nor keeps one"),
    ("deutscher", ("deutscher-gras", 1, "0:E7 1:EA 2:E8", "EK EX E9", ""), "EX", "the partner's"),
    ("deutscher", ("deutscher-gras", 1, "0:EA 1:E7 2:E8", "EK EX E9", ""), "E9", "a foe's"),
    ("sauspiel", ("geier", 1, "0:S7 1:SA 2:S8", "SO EU G7 H7", ""), "SO", "Ober are trumps"),
    ("sauspiel", ("farbwenz-gras", 1, "0:S7 1:SA 2:S8", "G7 EO H7", ""), "G7", "and the suit"),
    ("stargames-24", ("solo-herz", 1, "0:EX 1:EA 2:HO", "SX S9 GK", ""), "SX", "a friend has it"),
]


@pytest.mark.parametrize(("rules", "question", "expected", "because"), OTHER_CARDS)
def test_plays_by_other_rules(
    rules: str, question: tuple[str, int, str, str, str], expected: str, because: str
) -> None:
    chosen = CHOOSERS[rules](card_question(*question))
    assert action_name(chosen) in expected.split(), because


@given(st.sampled_from(sorted(RULES)), st.integers(0, 2**32 - 1))
def test_is_legal_and_a_pure_function_in_every_question(rules: str, seed: int) -> None:
    choose = CHOOSERS[rules]
    for decision in decisions_of_a_deal(rules, seed):
        chosen = choose(decision)
        assert chosen in decision.legal
        assert choose(elsewhere(decision)) == chosen


@pytest.mark.parametrize("name", names())
def test_beats_dice_by_all_rules(name: str) -> None:
    """The same cards twice: once from two opposite seats, once from the others."""
    rules, bot, gains = rule_set(RULES[name]), CHOOSERS[name], []
    for seed in range(60):
        gain = 0
        for first in (0, 1):
            chance = random.Random(seed)
            seats = [bot if seat % 2 == first else dice for seat in range(4)]
            result = payoff(new_shuffled_deal(rules, chance), seats, chance)
            gain += sum(result[first::2])
        gains.append(gain)
    assert mean(gains) > 2 * stdev(gains) / len(gains) ** 0.5


def dice(decision: Decision) -> int:
    return decision.legal[decision.seed % len(decision.legal)]


def elsewhere(decision: Decision) -> Decision:
    """The same question in another league: only handle and dice differ."""
    other = Decision()
    other.CopyFrom(decision)
    other.handle ^= 1
    other.seed ^= 1
    return other

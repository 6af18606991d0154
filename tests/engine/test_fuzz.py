"""Any rule set is either refused with a reason or can be played to the end."""

import random
from collections import Counter
from typing import Literal, get_args, get_origin

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.auctions import PROCEDURES
from engine.errors import RuleSetError
from engine.model import Carried
from engine.pass_outs import PASS_OUTS
from engine.rules import play
from engine.ruleset import rule_set, to_mapping
from engine.scoring import settle
from engine.session import carry
from engine.variants import GAMES
from engine.view import observe
from tests.engine.chance import fresh, random_action
from tests.engine.support import SHIPPED, mapping_of, set_key
from tests.engine.switch_keys import SWITCH_TYPES

FAMILIES = sorted({game.family for game in GAMES.values() if game.announced})
PRICES = {"tariff.base": {game.kind: 5 for game in GAMES.values()}}
NUMBERS = {
    "duties.runaway_threshold": (1, 9),
    "stoss.steps": (-1, 5),
    "stoss.closes_before_card": (0, 5),
    "thresholds.win": (0, 121),
    "thresholds.forced_with_few_trumps": (0, 9),
    "session.bock_deals": (0, 3),
    "session.match_schafkoepfe": (0, 3),
}
"""Ranges that reach beyond what is allowed; other numbers stay small."""
OPEN = {
    "auction.procedure": st.sampled_from(sorted(PROCEDURES)),
    "auction.pass_out": st.sampled_from(sorted(PASS_OUTS)),
    "auction.ranking": st.lists(
        st.lists(st.sampled_from(FAMILIES), max_size=2), min_size=1, max_size=6
    ),
}


def values(key, hint):
    """Return what a switch may be set to, sometimes more."""
    if key in OPEN:
        return OPEN[key]
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.integers(*NUMBERS.get(key, (0, 9)))
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    if get_origin(hint) is tuple:
        events = get_args(get_args(hint)[0])
        return st.lists(st.sampled_from(events), max_size=3)
    return None


SWITCHES = {
    key: strategy
    for key, hint in SWITCH_TYPES.items()
    if (strategy := values(key, hint)) is not None
}


@st.composite
def mappings(draw):
    mapping = mapping_of(draw(st.sampled_from(SHIPPED)))
    if draw(st.booleans()):
        set_key(mapping, "tariff.base", dict(PRICES["tariff.base"]))
    for key in draw(st.lists(st.sampled_from(sorted(SWITCHES)), max_size=5, unique=True)):
        set_key(mapping, key, draw(SWITCHES[key]))
    return mapping


def test_all_switches_are_tried():
    assert set(SWITCH_TYPES) - set(SWITCHES) == {
        "name",
        "title",
        "source",
        "laufende.minimum",
        "tariff.base",
        "tariff.factor",
    }


SEEN = Counter()


def made(mapping):
    """Return the rule set, or why there is none."""
    try:
        return rule_set(mapping), ""
    except RuleSetError as error:
        return None, str(error)


@settings(max_examples=120)
@given(mapping=mappings(), seed=st.integers(0, 2**32 - 1))
def check_a_rule_set(mapping, seed):
    rules, refusal = made(mapping)
    SEEN["playable" if rules else "refused"] += 1
    if rules is None:
        assert ":" in refusal, "the message names a key"
        return
    assert rule_set(to_mapping(rules)) == rules
    rng = random.Random(seed)
    carried = Carried()
    for _ in range(3):
        deal = fresh(rules, rng, carried=carried)
        while not deal.finished:
            assert deal.legal
            assert observe(deal).legal == deal.legal
            play(deal, random_action(deal, rng))
        end = settle(deal)
        assert sum(end.payoff) == 0
        carried = carry(deal, end)


def test_a_rule_set_is_refused_or_can_be_played():
    SEEN.clear()
    check_a_rule_set()
    assert min(SEEN["refused"], SEEN["playable"]) > 15, "both must be met"

"""Klopfen: who is asked in which order, what he sees, and what it costs."""

import pytest

from engine.errors import IllegalActionError
from engine.rules import house_action, new_deal, play
from engine.scoring import settle
from engine.view import observe
from tests.engine.support import (
    DEUTSCHER,
    MODEL,
    SAUSPIEL,
    STARGAMES,
    TUTORIAL,
    changed,
    dealt,
    hand,
    names,
    say,
    shipped,
)

FIRST = tuple(hand(" ".join(text.split()[:4])) for text in MODEL)
"""The first four cards of each seat."""
NONE = "no_klopfen no_klopfen no_klopfen no_klopfen"


def begun(rules=SAUSPIEL, forehand=2):
    return new_deal(rules, dealt(*MODEL), forehand, FIRST)


def test_everybody_is_asked_once_from_forehand_on():
    deal = begun()
    asked = []
    for word in ("klopfen", "no_klopfen", "klopfen", "no_klopfen"):
        assert names(deal.legal) == {"klopfen", "no_klopfen"}
        asked.append(deal.turn)
        say(deal, word)
    assert asked == [2, 3, 0, 1]
    assert list(deal.klopfen) == [2, 0]
    assert (deal.turn, names(deal.legal)) == (2, {"pass", "bid"}), "then comes the auction"
    assert not deal.auction, "which tells nothing of it"


def test_only_the_first_half_is_seen():
    deal = begun()
    for _ in range(4):
        assert observe(deal).hand == FIRST[deal.turn]
        say(deal, "no_klopfen")
    for _ in range(4):
        assert observe(deal).hand == deal.dealt[deal.turn]
        say(deal, "bid")


def test_all_are_told_who_did():
    deal = say(begun(), "klopfen no_klopfen")
    assert observe(deal).house.klopfen == bytes((2,))
    say(deal, "no_klopfen klopfen pass pass")
    assert observe(deal).house.klopfen == bytes((2, 1))


def test_the_house_never_does():
    assert names([house_action(begun())]) == {"no_klopfen"}


@pytest.mark.parametrize("word", ["pass", "bid", "stoss", "EO"])
def test_nothing_else_is_taken_before(word):
    with pytest.raises(IllegalActionError):
        say(begun(), word)


WAYS = [
    (SAUSPIEL, "bid", "three steps"),
    (changed(STARGAMES, {"klopfen": True}), "wenz", "one round"),
    (changed(TUTORIAL, {"klopfen": True}), "bid", "first announcer"),
    (changed(shipped("online"), {"klopfen": True}), "bid", "two rounds"),
    (changed(DEUTSCHER, {"klopfen": True}), None, "count"),
]


@pytest.mark.parametrize(
    ("rules", "word", "because"), WAYS, ids=[row[2].replace(" ", "-") for row in WAYS]
)
def test_every_auction_may_follow_and_each_doubles(rules, word, because):
    payoffs = []
    for calls in (NONE, "klopfen no_klopfen klopfen no_klopfen"):
        deal = say(begun(rules), calls)
        assert deal.turn == 2, because
        if word is not None:
            say(deal, word)
        while not deal.finished:
            play(deal, house_action(deal))
        payoffs.append(settle(deal).payoff)
    assert payoffs[0] != (0, 0, 0, 0)
    assert payoffs[1] == tuple(4 * paid for paid in payoffs[0])

"""What the holder of the called ace must and may not do."""

import random

import pytest

from engine.cards import Rank, Suit, card_of
from engine.rules import legal, new_deal, play
from engine.scoring import settle
from tests.engine.chance import announce, hands_for
from tests.engine.support import (
    MODEL,
    ONLINE,
    RUF_20,
    TUTORIAL,
    asked,
    changed,
    dealt,
    hand,
    in_play,
    names,
    say,
    shipped,
    words,
)

PENULTIMATE = changed(ONLINE, {"duties.ace_discard": "penultimate"})
FREE_DISCARD = changed(ONLINE, {"duties.ace_discard": "free"})
FREE_LEAD = changed(ONLINE, {"duties.lead_restriction": False})
SHORT = changed(shipped("stargames-24"), {"stoss.steps": 0})
AS_DEALT = changed(ONLINE, {"duties.runaway_count": "dealt"})

MAY = [
    # case, rules, role, hand, open, may; Gras is called
    ("C01", ONLINE, "partner", "GA GK HA EX", "G7", "GA", "the ace must come"),
    ("C02", ONLINE, "partner", "GA G9 G8 EO S7", "", "GA EO S7", "too few Gras to run away"),
    ("C03", ONLINE, "partner", "GA GX G9 G8 EO", "", "GA GX G9 G8 EO", "four may run away"),
    ("C06", ONLINE, "partner", "GA G9 H7 EO", "SK", "G9 H7 EO", "the ace isn't thrown away"),
    ("C07", ONLINE, "partner", "GA", "SK", "GA", "the last card is free"),
    ("C08", ONLINE, "partner", "GA H7", "EA", "H7", "two cards are not the last one"),
    ("C09", PENULTIMATE, "partner", "GA H7", "EA", "GA H7", "house rule: from the last but one"),
    ("C09, three cards", PENULTIMATE, "partner", "GA H7 H8", "EA", "H7 H8", "not earlier"),
    ("C10", ONLINE, "partner", "GA G9", "", "GA", "leading Gras means leading the ace"),
    ("C11", ONLINE, "partner", "GA G9", "EA", "G9", "the other Gras may go"),
    ("C12", ONLINE, "partner", "GA GX GK G9 G8 EU", "S7", "GX GK G9 G8 EU",
     "running away is for who leads"),
    ("C15", ONLINE, "partner", "GA G8 EK", "HO", "G8 EK", "trump led: still no discard"),
    ("C16", ONLINE, "declarer", "GK G7 EO H8", "", "GK G7 EO H8", "the caller may search"),
    ("C17", ONLINE, "declarer", "GK EO H8", "SA", "GK EO H8", "the caller may get rid of Gras"),
    ("C18", ONLINE, "declarer", "GK EO", "GA", "GK", "the caller follows suit"),
    ("C20", ONLINE, "partner", "GA GX GK G9 EO", "G7", "GA", "no running from others' lead"),
    ("C22", FREE_LEAD, "partner", "GA G9 G8 EO", "", "GA G9 G8 EO", "house rule: free lead"),
    ("C23", FREE_DISCARD, "partner", "GA G9 H7", "SK", "GA G9 H7", "house rule: free discard"),
    ("C24", ONLINE, "partner", "GA EO H9", "", "GA EO H9", "the ace may be led"),
    ("defender", ONLINE, "defender", "GX G7 EO", "", "GX G7 EO", "opponents may search too"),
    ("C25", SHORT, "partner", "GA GX G9 EO", "", "GA EO", "with 24 cards nobody can hold four"),
    ("H07", SHORT, "partner", "GA H9", "EX", "H9", "the fifth of six tricks isn't the last one"),
    ("H07, last", SHORT, "partner", "GA", "EX", "GA", "in the sixth the ace may come"),
    ("S1: lead", TUTORIAL, "partner", "GA G9 G8 EO", "", "GA G9 G8 EO", "as C22"),
    ("S1: discard", TUTORIAL, "partner", "GA G9 H7", "SK", "GA G9 H7", "as C23"),
    ("S1: first chance", TUTORIAL, "partner", "GA GK HA EX", "G7", "GA", "the one duty of S1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "role", "cards", "opened", "may", "because"),
    [row[1:] for row in MAY],
    ids=[row[0] for row in MAY],
)
def test_may(rules, role, cards, opened, may, because):
    deal = asked(rules, "rufspiel-gras", role, cards, opened)
    assert names(legal(deal)) == words(may), because


@pytest.mark.parametrize("suit", ["schellen", "gras", "eichel"])
def test_each_ace_that_can_be_called_must_come(suit):
    letter = suit[0].upper()
    deal = asked(ONLINE, f"rufspiel-{suit}", "partner", f"{letter}A {letter}X HA", f"{letter}7")
    assert names(legal(deal)) == {f"{letter}A"}


RAN = (
    "GA GX G9 G8 EO H7",
    "GK EA SK SA S9 E9",
    "G7 E7 EX S7 SX H8",
    "S8 E8 EK HK SO SU",
)
"""Seat 0 runs away from the declarer, seat 1."""
RAN_AND_FOLLOWS = (
    "GA GX G9 G8 EO E7",
    "GK G7 SA H9 H8 HK",
    "SU S7 E8 E9 EK EU",
    "S8 SX EA EX HA HX",
)
RAN_AND_LEADS = ("GA GX GK G9 EO", "G7 S7 S8 S9 SX", "G8 E7 E8 E9 EX", "H7 EA SA SK EK")
DISCARDED = ("GA GX GK G9 EU EO", "SA H7 G7 S7 S8 S9", "SX H8 E7 E8 E9 G8", "SK H9 EA EX EK HU")
"""Seat 0 throws away one of its four Gras before it leads."""

LATER = [
    # case, rules, hands, forehand, played, may
    ("C04", ONLINE, RAN, 0, "G8 GK G7 S8 EA E7 E8 G9 SK S7 EK", "GA GX EO H7",
     "after running away the ace may be thrown on anything"),
    ("C05", ONLINE, RAN_AND_FOLLOWS, 0, "G8 G7 SU S8 S7 SX E7 SA GK E8 EA", "GA GX G9",
     "after running away only following suit is left"),
    ("C21", ONLINE, RAN_AND_LEADS, 0, "GK G7 G8 EA G9 S7 E7 EK", "GA GX EO",
     "after running away any Gras may be led"),
    ("C13", ONLINE, DISCARDED, 1, "SA SX SK G9 H7 H8 H9 EO", "GA EU",
     "the Gras still held are counted"),
    ("C14", AS_DEALT, DISCARDED, 1, "SA SX SK G9 H7 H8 H9 EO", "GA GX GK EU",
     "house rule: the Gras dealt are counted"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "hands", "forehand", "played", "may", "because"),
    [row[1:] for row in LATER],
    ids=[row[0] for row in LATER],
)
def test_may_later(rules, hands, forehand, played, may, because):
    a, b, c, d = map(hand, hands)
    deal = in_play(rules, "rufspiel-gras", (a, b, c, d), declarer=1, forehand=forehand)
    say(deal, played)
    assert deal.turn == 0
    assert names(legal(deal)) == words(may), because


def test_a_whole_deal_in_which_the_partner_runs_away():
    """C26: he leads Gras under his ace and throws it on a trump three tricks later."""
    deal = new_deal(RUF_20, dealt(*MODEL), 0)
    say(deal, "bid pass pass pass rufspiel-gras")
    say(deal, "H8 H9 HX EO  G8 G9 G7 GU  S7 SA S9 SX  GX E9 EK HK")
    say(deal, "SK")
    assert names(legal(deal)) == words("GA GK H7 E7"), "thrown wherever he can't follow"
    say(deal, "E7 HA S8  GO EU SU H7  HO SO EX")
    assert names(legal(deal)) == words("GA GK")
    say(deal, "GA")
    assert deal.finished, "nobody is asked for his last card"
    assert (deal.points[0] + deal.points[3], deal.tricks) == (100, [4, 0, 2, 2])
    end = settle(deal)
    assert (end.won, end.schneider, end.schwarz, end.laufende) == (True, True, False, 3)
    assert end.payoff == (60, -60, -60, 60), "20, Schneider 10, three Laufende 30"


@pytest.mark.parametrize("suit", [Suit.SCHELLEN, Suit.GRAS, Suit.EICHEL])
def test_the_called_ace_falls_when_its_suit_is_first_led(suit):
    """It does so in every deal, unless its holder ran away by leading a lower card."""
    rng = random.Random(suit)
    ace = card_of(suit, Rank.ACE)
    game = f"rufspiel-{suit.name.lower()}"
    fell = ran = 0
    for _ in range(300):
        deal = new_deal(ONLINE, hands_for(ONLINE, game, 0, rng), 0)
        announce(deal, game, 0)
        while not deal.finished:
            play(deal, rng.choice(deal.legal))
        tricks = [deal.plays[n : n + 4] for n in range(0, 32, 4)]
        led = [n for n, trick in enumerate(tricks) if deal.order.follow[ace] >> (trick[0] & 31) & 1]
        first = min(led, default=7)
        shown = next(n for n, trick in enumerate(tricks) if ace in {laid & 31 for laid in trick})
        assert shown >= first, "before that it can't be thrown away"
        if shown == first:
            fell += 1
        else:
            ran += 1
            assert deal.dealt[tricks[first][0] >> 5] >> ace & 1, "only its holder runs away"
    assert fell > 250
    assert ran > 0

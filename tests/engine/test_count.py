"""Deutscher Schafkopf (S2): who counts most trumps names the suit and leads."""

import random

import pytest

from engine.auctions.count import trumps_with
from engine.cards import Suit
from engine.errors import IllegalActionError
from engine.rules import legal, new_deal
from engine.view import observe
from tests.engine.chance import shuffled
from tests.engine.support import DEUTSCHER, dealt, hand, names, say, words

NINETEEN = "EU SU HA HK H9 H7 E7 G7"
"""The first hand of the document's example: six trumps with Herz, 19 Augen."""
EIGHTEEN = "GU HU SA SO S9 S8 E8 G8"
"""The second one: six trumps with Schellen, 18 Augen."""
NINETEEN_TOO = "GU HU SA SK S9 S8 E8 G8"
FEW = "E9 EO EK G9 GO H8 HO S7"
NOBODY = (
    "GU E7 E8 G7 G8 H7 H8 S7",
    "HU E9 EO G9 GO H9 S8 S9",
    "EU EK EX GK HO HK SO SK",
    "SU EA GX GA HX HA SX SA",
)
FOUR_JACKS = "EU GU HU SU G7 E8 H9 SX"
REPORTS = words("report-schellen report-herz report-gras report-eichel")
SUITS = words("deutscher-schellen deutscher-herz deutscher-gras deutscher-eichel")

ASKED = [
    # case, hands, said, who is asked, may answer
    ("J09: A", (NINETEEN,), "", 0, {"report-herz"}, "who has six must report them"),
    ("J09: B", (EIGHTEEN,), "", 0, {"report-schellen"}, "Ober aren't trumps"),
    ("J10", ("EU HU GA G9 HK H8 S7 SX",), "", 0, {"pass"}, "two jacks and two more are four"),
    ("J11", (FOUR_JACKS,), "", 0, REPORTS, "four jacks and any suit are five"),
    ("five", ("EU GU HU H8 H9 E7 G7 S7",), "", 0, {"report-herz"}, "five are enough"),
    ("two suits", ("EU GU H7 H8 H9 S7 S8 S9",), "", 0, words("report-herz report-schellen"),
     "of equal suits he chooses"),
    ("next", (NINETEEN, EIGHTEEN), "report-herz", 1, {"report-schellen"}, "everybody is asked"),
    ("J12", NOBODY, "pass pass pass pass", 2, SUITS, "the Eichel-Unter must play"),
    ("J14", NOBODY, "pass pass pass pass deutscher-gras", 2, words(NOBODY[2]),
     "who plays leads, not forehand"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hands", "said", "seat", "may", "because"), [r[1:] for r in ASKED], ids=[r[0] for r in ASKED]
)
def test_asked(hands, said, seat, may, because):
    deal = say(new_deal(DEUTSCHER, dealt(*hands), 0), said)
    assert deal.turn == seat
    assert names(legal(deal)) == may, because


FOUND = [
    # case, hands, forehand, said, declarer, game
    ("J09", (EIGHTEEN, NINETEEN, FEW), 0, "report-schellen report-herz pass pass", 1,
     "deutscher-herz", "equal counts: 19 Augen beat 18"),
    ("J09: other way round", (NINETEEN, EIGHTEEN, FEW), 0, "report-herz report-schellen pass pass",
     0, "deutscher-herz", "whoever reports first"),
    ("equal", (NINETEEN_TOO, NINETEEN, FEW), 0, "report-schellen report-herz pass pass", 0,
     "deutscher-schellen", "equal Augen too: the earlier seat"),
    ("equal, forehand", (NINETEEN_TOO, NINETEEN, FEW), 1, "report-herz pass pass report-schellen",
     1, "deutscher-herz", "earlier means nearer to forehand"),
    ("more", ("EU H7 H8 H9 HO HK G7 S7", "GU HU SA SX SK E7 E8 G8", "E9 EO EK G9 GO GK HA SO"), 0,
     "report-herz report-schellen pass pass", 0, "deutscher-herz",
     "six with few Augen beat five with many"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hands", "forehand", "said", "declarer", "game", "because"),
    [r[1:] for r in FOUND],
    ids=[r[0] for r in FOUND],
)
def test_found(hands, forehand, said, declarer, game, because):
    deal = say(new_deal(DEUTSCHER, dealt(*hands), forehand), said)
    assert (deal.declarer, deal.game.key) == (declarer, game), because
    assert (deal.turn, deal.forced) == (declarer, False)
    assert deal.side == 0b0101 << declarer % 2, "with who sits opposite"


def test_a_forced_game_is_known_as_one():
    """J12: its loss counts once."""
    deal = say(new_deal(DEUTSCHER, dealt(*NOBODY), 3), "pass pass pass pass deutscher-gras")
    assert (deal.forced, deal.declarer, deal.game.key) == (True, 2, "deutscher-gras")


def test_others_are_told_the_count_alone():
    deal = new_deal(DEUTSCHER, dealt("EU GU H7 H8 H9 S7 S8 S9"), 0)
    say(deal, "report-herz")
    assert names(deal.auction[1::2]) == {"reported-5"}
    told = observe(deal)
    other = new_deal(DEUTSCHER, dealt("EU GU H7 H8 H9 S7 S8 S9"), 0)
    say(other, "report-schellen")
    assert observe(other) == told, "which suit is locked can't be seen"


@pytest.mark.parametrize("word", ["pass", "report-schellen", "deutscher-herz", "reported-6", "EU"])
def test_a_count_is_neither_hidden_nor_made_up(word):
    deal = new_deal(DEUTSCHER, dealt(NINETEEN), 0)
    with pytest.raises(IllegalActionError):
        say(deal, word)


def test_counts_lie_between_two_and_eight():
    """P10, and four jacks make at least five."""
    rng = random.Random(10)
    for cards in (c for _ in range(300) for c in shuffled(rng)):
        assert 2 <= max(trumps_with(cards, suit).bit_count() for suit in Suit) <= 8
    assert all(trumps_with(hand(FOUR_JACKS), suit).bit_count() == 5 for suit in Suit)

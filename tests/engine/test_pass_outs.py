"""What happens when nobody wants to play: who must play, and how a Hochzeit comes about."""

import pytest

from engine.rules import legal, new_deal
from engine.scoring import settle
from engine.view import observe
from tests.engine.support import HOUSE, MODEL, ONLINE, changed, dealt, hand, names, say, words

MUSS = changed(ONLINE, {"auction.pass_out": "must_play"})
MUSS_VOID = changed(MUSS, {"auction.forced_may_call_void": True})
MUSS_BLOCKED = changed(
    MUSS_VOID,
    {
        "auction.single_games_only_if_blocked": True,
        "auction.partner_games_first_bidder_only": False,
    },
)
PRICED = {"auction.hochzeit": True, "tariff.base.hochzeit": 20}
HOCHZEIT = changed(ONLINE, PRICED)
HOCHZEIT_MUSS = changed(MUSS, PRICED)
PASSED = "pass pass pass pass"
SINGLE = words("wenz wenz-tout solo-schellen solo-herz solo-gras solo-eichel") | words(
    "solo-tout-schellen solo-tout-herz solo-tout-gras solo-tout-eichel"
)
BLOCKED = "EO GO HO EU HA H9 EA GA"
VOID = "EO E7 GO HO SO EU H7 H8"
BRIDE = ("EO GO E7 E8 G7 G8 S7 S8", "H7 EA EX EK GA GX GK SA", "HO SO H8 H9 E9 G9 S9 SX")
"""Seat 1 has one trump; nobody else has so few."""
NO_PLAIN = ("E7", "H7 EA EX EK GA GX GK SA", "EO GO HO SO EU GU HU SU")
"""Seat 2 has nothing to return."""

ASKED = [
    # case, rules, hands, said, who is asked, may answer
    ("Muss", MUSS, MODEL, PASSED, 3, {"rufspiel-eichel"} | SINGLE,
     "who holds the Eichel-Ober must play, and may call"),
    ("Muss: blocked", MUSS, (BLOCKED,), PASSED, 0, SINGLE, "without an ace to call, alone"),
    ("Muss: void", MUSS_VOID, (BLOCKED,), PASSED, 0, {"rufspiel-schellen"} | SINGLE,
     "house rule: he may call an ace of a suit that he lacks"),
    ("Muss: not void", MUSS_VOID, (VOID,), PASSED, 0, {"rufspiel-eichel"} | SINGLE,
     "but only who couldn't call otherwise"),
    ("Muss: must call", MUSS_BLOCKED, (VOID,), PASSED, 0, {"rufspiel-eichel"},
     "single games only for who is blocked"),
    ("Muss: may do both", MUSS_BLOCKED, (BLOCKED,), PASSED, 0, {"rufspiel-schellen"} | SINGLE,
     "as he is"),
    ("Muss: play", MUSS, MODEL, f"{PASSED} wenz", 0, words(MODEL[0]), "forehand leads"),
    ("offer: none", HOCHZEIT, BRIDE, PASSED, 0, {"pass"}, "with more trumps there is no offer"),
    ("offer", HOCHZEIT, BRIDE, f"{PASSED} pass", 1, words("pass offer"), "with one there is"),
    ("offer: all", HOCHZEIT, BRIDE, f"{PASSED} pass pass", 2, {"pass"}, "everybody is asked"),
    ("take", HOCHZEIT, BRIDE, f"{PASSED} pass offer", 2, words("pass take"), "the next seat first"),
    ("take: round", HOCHZEIT, BRIDE, f"{PASSED} pass offer pass pass", 0, words("pass take"),
     "then all others"),
    ("take: nothing to return", HOCHZEIT, NO_PLAIN, f"{PASSED} pass offer", 2, {"pass"},
     "who has only trumps is asked, and can't"),
    ("return", HOCHZEIT, BRIDE, f"{PASSED} pass offer take", 2, words("E9 G9 S9 SX"),
     "who takes it returns a plain card"),
    ("Hochzeit: play", HOCHZEIT, BRIDE, f"{PASSED} pass offer take SX", 0, words(BRIDE[0]),
     "forehand leads"),
    ("Hochzeit: no offer, Muss", HOCHZEIT_MUSS, BRIDE, f"{PASSED} pass pass pass pass", 0,
     words("rufspiel-schellen rufspiel-gras rufspiel-eichel") | SINGLE,
     "the other way to go on comes after it"),
    ("Hochzeit: not taken, Muss", HOCHZEIT_MUSS, BRIDE, f"{PASSED} pass offer pass pass pass", 0,
     words("rufspiel-schellen rufspiel-gras rufspiel-eichel") | SINGLE, "also when nobody took it"),
    ("Hochzeit: not taken, Ramsch", HOUSE, BRIDE, f"{PASSED} pass offer pass pass pass", 0,
     words(BRIDE[0]), "forehand leads"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "hands", "said", "seat", "may", "because"),
    [row[1:] for row in ASKED],
    ids=[row[0] for row in ASKED],
)
def test_asked(rules, hands, said, seat, may, because):
    deal = say(new_deal(rules, dealt(*hands), 0), said)
    assert deal.turn == seat
    assert names(legal(deal)) == may, because


ENDS = [
    ("nobody offers", HOCHZEIT, f"{PASSED} pass pass pass pass"),
    ("nobody takes", HOCHZEIT, f"{PASSED} pass offer pass pass pass"),
]


@pytest.mark.parametrize(("rules", "said"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_without_a_couple_the_deal_is_over(rules, said):
    deal = say(new_deal(rules, dealt(*BRIDE), 0), said)
    assert deal.finished
    assert settle(deal).payoff == (0, 0, 0, 0)


def test_who_must_play_is_known_to_be_forced():
    deal = say(new_deal(MUSS, dealt(*MODEL), 0), f"{PASSED} wenz")
    assert (deal.forced, deal.declarer, deal.game.key) == (True, 3, "wenz")
    assert not say(new_deal(MUSS, dealt(*MODEL), 0), "pass pass pass bid wenz").forced


def test_a_called_void_suit_makes_a_partner():
    deal = say(new_deal(MUSS_VOID, dealt(BLOCKED, "SA"), 0), f"{PASSED} rufspiel-schellen")
    assert deal.side == 0b0011
    say(deal, "H9")
    assert "SA" not in names(legal(deal)), "its holder has his duties"


@pytest.fixture
def couple():
    """Seat 2 took the H7 of seat 1 and returned its SX."""
    return say(new_deal(HOCHZEIT, dealt(*BRIDE), 0), f"{PASSED} pass offer take SX")


def test_a_couple_plays_together(couple):
    assert (couple.game.key, couple.declarer, couple.side) == ("hochzeit", 2, 0b0110)
    assert couple.hands[1] == hand(BRIDE[1].replace("H7", "SX"))
    assert couple.hands[2] == hand(BRIDE[2].replace("SX", "H7"))
    assert couple.opening == tuple(couple.hands)


def test_only_the_two_know_what_was_exchanged(couple):
    seen = {}
    while not couple.finished and len(seen) < 4:
        seen[couple.turn] = observe(couple).house.exchange
        couple.step(couple, couple.legal[0])
    h7, sx = (hand(card).bit_length() - 1 for card in ("H7", "SX"))
    assert seen == {0: b"", 1: bytes((h7, sx)), 2: bytes((sx, h7)), 3: b""}
    assert bytes((2, sx + 1)) not in bytes(couple.auction), "nor does the auction tell"


def test_the_row_is_the_couples():
    """The trump that seat 0 offered counts with the two of seat 1."""
    rules = changed(HOUSE, {"laufende.minimum.hochzeit": 3})
    hands = dealt("EO EA EX EK GA GX GK SA", "GO HO H8 H9 E9 G9 S9 SX", "SO")
    deal = say(new_deal(rules, hands, 0), f"{PASSED} offer take E9")
    while not deal.finished:
        deal.step(deal, deal.legal[-1])
    assert settle(deal).laufende == 3

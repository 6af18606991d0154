"""No seat can tell from its questions what it isn't meant to know."""

import random
from dataclasses import replace

import pytest

from engine.action_ids import NO_STOSS, STOSS
from engine.cards import LONG_DECK
from engine.look_alike import dealt_anew, is_poll
from engine.rules import new_deal, play
from engine.view import observe
from tests.engine.look_alike import search, stopped
from tests.engine.support import DEUTSCHER, HOUSE, PRO, SAUSPIEL, dealt, hand, names, say
from tests.engine.tables import TABLES

COMPARED = {"online-pro": 300, "deutscher": 300, "strokes-free": 300}
"""Deals that are compared with others like them; fewer elsewhere."""


@pytest.mark.parametrize("name", TABLES)
def test_questions_tell_nothing(name):
    rules = TABLES[name]
    deals = COMPARED.get(name, 120)
    found = search(rules, seed=1, deals=deals)
    assert not found.leaks
    assert found.alike > deals / 3, "the search must meet deals that look alike"
    if any(game.hidden_partner for game in rules.games):
        assert found.other_sides > 3, "and of those some with another partner"
    if rules.stoss.steps and not rules.stoss.own_card_only:
        assert found.in_polls > 0, "and polls"
    if rules.klopfen:
        assert found.knocking > 0, "and hands that are half dealt"
    if any(game.fixed_partners for game in rules.games):
        assert found.other_secrets > 3, "and suits that were locked, but not named"


def with_sides(deal):
    return (*observe(deal), deal.side)


def with_duties(deal):
    return (*observe(deal), deal.bound)


def with_all_hands(deal):
    return (*observe(deal), tuple(deal.hands))


def with_legal_count_of_next(deal):
    return (*observe(deal), bool(deal.hands[(deal.turn + 1) & 3] & 0xFF))


def with_locked_suits(deal):
    return (*observe(deal), tuple(deal.bidding.locked))


def with_whole_hand(deal):
    return observe(deal)._replace(hand=deal.hands[deal.turn])


TOO_MUCH = [
    (PRO, with_sides, 60),
    (PRO, with_duties, 60),
    (PRO, with_all_hands, 60),
    (PRO, with_legal_count_of_next, 60),
    (DEUTSCHER, with_locked_suits, 150),
    (SAUSPIEL, with_whole_hand, 150),
]


@pytest.mark.parametrize(
    ("rules", "view", "deals"), TOO_MUCH, ids=[row[1].__name__ for row in TOO_MUCH]
)
def test_a_view_that_tells_too_much_is_caught(rules, view, deals):
    assert search(rules, seed=2, deals=deals, view=view).leaks


def test_asking_only_who_could_reply_is_caught():
    """As if the partner of a Rufspiel were known, so that only the right seats are polled."""
    open_games = tuple(replace(game, hidden_partner=False) for game in PRO.games)
    assert search(replace(PRO, games=open_games), seed=3, deals=150).leaks


def test_the_partner_is_polled_like_an_opponent():
    """The same answers, with the ace at seat 3 or at seat 2: the others see no difference."""
    said = "bid pass pass pass rufspiel-gras H7 H8 H9 no_stoss no_stoss no_stoss"
    hands = dealt("H7 G7", "H8 G8", "H9 GK", "HX GA")
    moved = dealt("H7 G7", "H8 G8", "H9 GA", "HX GK")
    asked = []
    for each in (hands, moved):
        deal = new_deal(PRO, each, 0)
        order = []
        for word in said.split():
            order.append((deal.turn, is_poll(deal)))
            say(deal, word)
        asked.append(order)
    assert asked[0] == asked[1]


BRIDE = "EA EX EK GA GX GK SA"
LEFT = "EU GU HU SU HO GO EO E8"
COUPLES = [
    # hands with H7 offered and SX returned, and with H8 offered and S9 returned
    ((LEFT, f"H7 {BRIDE}", "SX SO H9 HX HK"), "SX"),
    ((LEFT, f"H8 {BRIDE}", "S9 SO H9 HX HK"), "S9"),
]


def test_a_third_seat_sees_nothing_of_an_exchange():
    shown = []
    for hands, returned in COUPLES:
        deal = new_deal(HOUSE, dealt(*hands[:2], "", hands[2]), 0)
        say(deal, "pass pass pass pass pass offer pass take")
        say(deal, returned)
        assert (deal.turn, deal.declarer) == (0, 3)
        shown.append([deal.turn, observe(deal)])
    assert shown[0] == shown[1]


def test_a_locked_suit_that_loses_is_never_named():
    """Seat 0 may lock either of two suits; seat 1 has more trumps and plays."""
    hands = dealt("EU GU H7 H8 H9 S7 S8 S9", "HU SU E7 E8 E9 EO EK EX")
    ends = []
    for locked in ("report-herz", "report-schellen"):
        deal = say(new_deal(DEUTSCHER, hands, 0), f"{locked} report-eichel pass")
        seen = []
        while not deal.finished:
            if deal.turn != 0:
                seen.append(observe(deal))
            play(deal, deal.legal[0])
        ends.append(seen)
    assert ends[0] == ends[1]
    assert len(ends[0]) > 20


def test_a_seat_is_shown_its_own_cards_and_what_lies_open():
    deal = say(new_deal(PRO, dealt("H7 G7", "H8 G8", "H9 GK", "HX GA"), 0), "bid pass pass pass")
    say(deal, "rufspiel-gras H7 stoss no_stoss")
    shown = observe(deal)
    assert (shown.seat, shown.forehand, shown.declarer) == (3, 0, 0)
    assert shown.hand == deal.hands[3]
    assert shown.auction == bytes((0, 34, 1, 33, 2, 33, 3, 33, 0, 66))
    assert (shown.game, shown.plays, shown.stoss) == (66, bytes((8,)), bytes((1,)))
    assert shown.legal == bytes((NO_STOSS, STOSS)), "as the partner it may reply"
    assert shown.house is None, "these rules have nothing else to show"
    say(deal, "no_stoss no_stoss H8 H9 HX")
    while deal.turn != 0:
        play(deal, deal.legal[0])
    assert observe(deal).hand == deal.dealt[0] & ~hand("H7"), "what it still holds"


def test_kinds_are_bid_without_a_suit():
    """In three steps nobody hears of an ace or a suit before the auction is decided."""
    deal = new_deal(TABLES["schafkopfschule"], dealt("E7 G7 S7"), 0)
    say(deal, "bid bid pass pass bid-rufspiel bid-solo cede")
    heard = names(deal.auction[1::2])
    assert heard == {"bid", "pass", "bid-rufspiel", "bid-solo", "cede"}
    assert (observe(deal).game, deal.turn) == (0, 1)


@pytest.mark.parametrize("name", TABLES)
def test_cards_dealt_anew_are_a_whole_deck(name):
    rng = random.Random(4)
    for _ in range(20):
        deal, _ = stopped(TABLES[name], rng)
        hands = dealt_anew(deal, deal.turn, rng).dealt
        assert sum(hands) == sum(deal.dealt) <= LONG_DECK
        assert {h.bit_count() for h in hands} == {deal.rules.deck // 4}
        if not deal.knocking:
            assert hands[deal.turn] == deal.dealt[deal.turn]

"""No seat can tell from its questions what it isn't meant to know.

A deal is played to a random point. Then the cards that a seat can't see are dealt anew
among the others, and the same answers are given again. If they still fit the rules, both
deals look alike to that seat: so must all its questions, and who was asked how often.
"""

import random
from dataclasses import replace

import pytest

from engine.action_ids import NO_STOSS, STOSS
from engine.cards import LONG_DECK, mask_of, members
from engine.model import Deal, Four, RuleSet
from engine.rules import new_deal, play
from engine.view import observe
from tests.engine.support import ONLINE, PRO, dealt, hand, random_action, say, shuffled

RETRIES = 12
"""How often the unseen cards of one deal are dealt anew."""


class Found:
    """What a search came upon."""

    def __init__(self):
        self.alike = 0
        self.other_sides = 0
        self.in_polls = 0
        self.leaks = []


def is_poll(deal: Deal) -> bool:
    return NO_STOSS in deal.legal


def trace(rules, hands, forehand, actions, viewer, view):
    """Answer as before; return all questions as the viewer knows them, and the last deal.

    Everybody may know who is asked and for what sort of answer; only the viewer knows
    what it is shown. The deal is missing where an answer doesn't fit.
    """
    deal = new_deal(rules, hands, forehand)
    questions = []
    for action in (*actions, None):
        shown = view(deal) if deal.turn == viewer else None
        questions.append((deal.turn, is_poll(deal), deal.finished, shown))
        if action is None:
            return questions, deal
        if action not in deal.legal:
            return questions, None
        play(deal, action)
    raise AssertionError("the last question was returned")


def dealt_anew(deal: Deal, viewer: int, rng: random.Random) -> Four:
    """Deal the cards that the viewer can't see among the others; what lies open stays."""
    others = [seat for seat in range(4) if seat != viewer]
    unseen = [card for seat in others for card in members(deal.hands[seat])]
    rng.shuffle(unseen)
    hands = [deal.dealt[seat] & ~deal.hands[seat] for seat in range(4)]
    hands[viewer] = deal.dealt[viewer]
    for seat in others:
        held = deal.hands[seat].bit_count()
        hands[seat] |= mask_of(unseen[:held])
        del unseen[:held]
    return hands[0], hands[1], hands[2], hands[3]


def stopped(rules: RuleSet, rng: random.Random) -> tuple[Deal, list[int]]:
    """Play a deal to a random question; return it with the answers so far."""
    while True:
        deal = new_deal(rules, shuffled(rng), rng.randrange(4))
        actions = []
        stop = rng.randrange(4, 30)
        while not deal.finished and len(actions) < stop:
            actions.append(random_action(deal, rng))
            play(deal, actions[-1])
        if not deal.finished:
            return deal, actions


def search(rules, seed, deals=250, view=observe):
    """Compare many deals with others that look alike to the seat that is asked."""
    rng = random.Random(seed)
    found = Found()
    for _ in range(deals):
        deal, actions = stopped(rules, rng)
        viewer = deal.turn
        expected, _ = trace(rules, deal.dealt, deal.forehand, actions, viewer, view)
        for _ in range(RETRIES):
            hands = dealt_anew(deal, viewer, rng)
            questions, other = trace(rules, hands, deal.forehand, actions, viewer, view)
            if questions != expected[: len(questions)]:
                found.leaks.append((deal.dealt, hands, actions, viewer))
            if other is not None and hands != deal.dealt:
                found.alike += 1
                found.other_sides += other.side != deal.side
                found.in_polls += is_poll(deal)
    return found


@pytest.mark.parametrize("rules", [ONLINE, PRO], ids=lambda rules: rules.name)
def test_questions_tell_nothing(rules):
    found = search(rules, seed=1, deals=1000)
    assert not found.leaks
    assert found.alike > 5000
    assert found.other_sides > 300, "the search must meet deals with another partner"
    if rules is PRO:
        assert found.in_polls > 300, "and polls"


def with_sides(deal):
    return (*observe(deal), deal.side)


def with_duties(deal):
    return (*observe(deal), deal.bound)


def with_all_hands(deal):
    return (*observe(deal), tuple(deal.hands))


def with_legal_count_of_next(deal):
    return (*observe(deal), bool(deal.hands[(deal.turn + 1) & 3] & 0xFF))


@pytest.mark.parametrize(
    "view", [with_sides, with_duties, with_all_hands, with_legal_count_of_next]
)
def test_a_view_that_tells_too_much_is_caught(view):
    assert search(PRO, seed=2, view=view).leaks


def test_asking_only_who_could_reply_is_caught():
    """As if the partner of a Rufspiel were known, so that only the right seats are polled."""
    open_games = tuple(replace(game, hidden_partner=False) for game in PRO.games)
    assert search(replace(PRO, games=open_games), seed=3).leaks


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


def test_a_seat_is_shown_its_own_cards_and_what_lies_open():
    deal = say(new_deal(PRO, dealt("H7 G7", "H8 G8", "H9 GK", "HX GA"), 0), "bid pass pass pass")
    say(deal, "rufspiel-gras H7 stoss no_stoss")
    shown = observe(deal)
    assert (shown.seat, shown.forehand, shown.declarer) == (3, 0, 0)
    assert shown.hand == deal.hands[3]
    assert shown.auction == bytes((0, 34, 1, 33, 2, 33, 3, 33, 0, 66))
    assert (shown.game, shown.plays, shown.stoss) == (66, bytes((8,)), bytes((1,)))
    assert shown.legal == bytes((NO_STOSS, STOSS)), "as the partner it may reply"
    say(deal, "no_stoss no_stoss H8 H9 HX")
    while deal.turn != 0:
        play(deal, deal.legal[0])
    assert observe(deal).hand == deal.dealt[0] & ~hand("H7"), "what it still holds"


def test_cards_dealt_anew_are_a_whole_deck():
    rng = random.Random(4)
    deal, _ = stopped(PRO, rng)
    hands = dealt_anew(deal, deal.turn, rng)
    assert sum(hands) == LONG_DECK
    assert hands[deal.turn] == deal.dealt[deal.turn]

"""Searches for deals that look alike to a seat, and for what tells them apart all the same.

A deal is played to a random point. Then the cards that a seat can't see are dealt anew
among the others, and the same answers are given again; where an answer is secret, any
that looks the same will do. If they still fit the rules, both deals look alike to that
seat: so must all its questions, and who was asked how often.
"""

import random

from engine.action_ids import NO_STOSS, REPORT_SCHELLEN, REPORTED_FIVE
from engine.auctions.count import trumps_with
from engine.cards import mask_of, members
from engine.model import Deal, Four, RuleSet
from engine.rules import new_deal, play
from engine.view import observe
from tests.engine.chance import fresh, halves, random_action

NOTHING = 0
"""No action, where none fits."""


class Found:
    """What a search came upon."""

    def __init__(self):
        self.alike = 0
        self.other_sides = 0
        self.other_secrets = 0
        self.in_polls = 0
        self.knocking = 0
        self.leaks = []


def is_poll(deal: Deal) -> bool:
    return NO_STOSS in deal.legal


def form(deal: Deal, action: int, viewer: int) -> object:
    """Return what the viewer knows of an answer before it is taken."""
    if deal.turn == viewer or deal.order is not None:
        return action
    if REPORT_SCHELLEN <= action < REPORTED_FIVE:
        cards = trumps_with(deal.dealt[deal.turn], action - REPORT_SCHELLEN)
        return "reports", cards.bit_count()
    if action <= 32:
        couple = (deal.turn, deal.bidding.holder)
        return action if viewer in couple else "returns a card"
    return action


def known(deal: Deal) -> object:
    """Return what the auction led to, which the rules tell everybody."""
    forced = deal.turn if deal.forced and deal.order is None else None
    if deal.order is None:
        return forced
    return deal.declarer, deal.game and deal.game.key


def trace(deal: Deal, viewer: int, view, answers, expected=None):
    """Answer from the start; return all questions as the viewer knows them, and the last deal.

    Everybody may know who is asked and for what sort of answer; only the viewer knows
    what it is shown. `answers` chooses from what is legal, or finds nothing that fits;
    then, and where the auction leads elsewhere than `expected`, the deal is missing.
    """
    questions = []
    facts = []
    for step in range(200):
        if expected is not None and known(deal) != expected[step]:
            return questions, None, facts
        facts.append(known(deal))
        shown = view(deal) if deal.turn == viewer else None
        questions.append((deal.turn, is_poll(deal), deal.finished, shown))
        action = answers(step, deal)
        if action is None:
            return questions, deal, facts
        if action not in deal.legal:
            return questions, None, facts
        play(deal, action)
    raise AssertionError("no deal asks so often")


def dealt_anew(deal: Deal, viewer: int, rng: random.Random) -> tuple[Four, Four]:
    """Deal the cards that the viewer can't see among the others; what lies open stays.

    Cards that were exchanged stay too. Returns the hands and their first halves.
    """
    exchanged = 0 if deal.exchange is None else mask_of(deal.exchange[2:])
    hands = [
        dealt & (~held | exchanged) for dealt, held in zip(deal.dealt, deal.hands, strict=True)
    ]
    hands[viewer] = deal.first[viewer] if deal.knocking else deal.dealt[viewer]
    unseen = list(members(sum(deal.dealt) & ~sum(hands)))
    rng.shuffle(unseen)
    for seat in range(4):
        missing = deal.rules.deck // 4 - hands[seat].bit_count()
        hands[seat] |= mask_of(unseen[:missing])
        del unseen[:missing]
    a, b, c, d = hands
    first = list(halves((a, b, c, d), rng))
    first[viewer] = deal.first[viewer]
    return (a, b, c, d), (first[0], first[1], first[2], first[3])


def stopped(rules: RuleSet, rng: random.Random) -> tuple[Deal, list[int]]:
    """Play a deal to a random question; return it with the answers so far."""
    while True:
        deal = fresh(rules, rng)
        actions = []
        stop = rng.randrange(2, 30)
        while not deal.finished and len(actions) < stop:
            actions.append(random_action(deal, rng))
            play(deal, actions[-1])
        if not deal.finished:
            return deal, actions


def search(rules: RuleSet, seed: int, deals: int, retries: int = 6, view=observe) -> Found:
    """Compare many deals with others that look alike to the seat that is asked."""
    rng = random.Random(seed)
    found = Found()
    for _ in range(deals):
        deal, actions = stopped(rules, rng)
        viewer = deal.turn
        forms = []

        def as_said(step, at, actions=actions, forms=forms, viewer=viewer):
            if step == len(actions):
                return None
            forms.append(form(at, actions[step], viewer))
            return actions[step]

        start = new_deal(rules, deal.dealt, deal.forehand, deal.first)
        expected, _, facts = trace(start, viewer, view, as_said)

        def as_known(step, at, forms=forms, viewer=viewer):
            if step == len(forms):
                return None
            fitting = [a for a in at.legal if form(at, a, viewer) == forms[step]]
            return rng.choice(fitting) if fitting else NOTHING

        for _ in range(retries):
            hands, first = dealt_anew(deal, viewer, rng)
            twin = new_deal(rules, hands, deal.forehand, first)
            questions, other, _ = trace(twin, viewer, view, as_known, facts)
            if questions != expected[: len(questions)]:
                found.leaks.append((deal.dealt, hands, actions, viewer))
            if other is not None and hands != deal.dealt:
                found.alike += 1
                found.other_sides += other.side != deal.side
                found.other_secrets += other.bidding.locked != deal.bidding.locked
                found.in_polls += is_poll(deal)
                found.knocking += deal.knocking
    return found

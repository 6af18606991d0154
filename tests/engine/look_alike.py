"""Searches for deals that look alike to a seat, and for what tells them apart all the same."""

import random

from engine.look_alike import dealt_anew, is_poll, retold, told
from engine.model import Deal, RuleSet
from engine.rules import new_deal, play
from engine.view import observe
from tests.engine.chance import fresh, random_action


class Found:
    """What a search came upon."""

    def __init__(self):
        self.alike = 0
        self.other_sides = 0
        self.other_secrets = 0
        self.in_polls = 0
        self.knocking = 0
        self.leaks = []


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
        start = new_deal(rules, deal.dealt, deal.forehand, deal.first)
        story = told(start, actions, viewer, view)
        for _ in range(retries):
            twin = dealt_anew(deal, viewer, rng)
            other, alike = retold(story, twin, view, rng)
            if other.questions != story.questions[: len(other.questions)]:
                found.leaks.append((deal.dealt, twin.dealt, actions, viewer))
            if alike and twin.dealt != deal.dealt:
                found.alike += 1
                found.other_sides += twin.side != deal.side
                found.other_secrets += twin.bidding.locked != deal.bidding.locked
                found.in_polls += is_poll(deal)
                found.knocking += deal.knocking
    return found

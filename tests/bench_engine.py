"""How fast the engine is by itself: CPU time of one process, dealing included."""

import random
import time
from collections.abc import Callable
from typing import Final

from arena.rulebook import load, names
from engine.cards import members
from engine.model import Four, GameType, RuleSet
from engine.order import deck_of
from engine.rules import begin_play, legal, new_deal, play
from engine.scoring import settle
from engine.variants import GAMES

PLAYOUT: Final = "random playouts"

_CALLS: Final = tuple(game for game in GAMES.values() if game.family == "rufspiel")
_SOLOS: Final = tuple(game for game in GAMES.values() if game.family == "solo" and not game.tout)
_WENZ: Final = GAMES["wenz"]
_NOTHING: Final = (0, 0, 0, 0)
_BETWEEN_LOOKS: Final = 200
"""Deals between two looks at the clock, so that looking costs nothing."""


def measure(seconds: float, seed: int) -> dict[str, float]:
    """Return deals per second of CPU for each kind of work, each measured so long."""
    rates = {PLAYOUT: _rate(_playout(load("online"), random.Random(seed)), seconds)}
    for name in names():
        rates[whole_deals(name)] = _rate(_whole_deal(load(name), random.Random(seed)), seconds)
    return rates


def whole_deals(rule_set: str) -> str:
    """Return the name of the figure for deals with auction and settlement."""
    return f"whole deals, {rule_set}"


def _rate(work: Callable[[], None], seconds: float) -> float:
    for _ in range(_BETWEEN_LOOKS):
        work()
    done = 0
    begun = time.process_time()
    while (taken := time.process_time() - begun) < seconds:
        for _ in range(_BETWEEN_LOOKS):
            work()
        done += _BETWEEN_LOOKS
    return done / taken


def _dealer(chance: random.Random, rules: RuleSet) -> Callable[[], tuple[Four, Four]]:
    """Return what deals hands, and the first half of each where the rules ask for it."""
    deck = [1 << card for card in members(deck_of(rules.deck))]
    size = rules.deck // 4
    dice = chance.random

    def deal() -> tuple[Four, Four]:
        shuffled = sorted(deck, key=lambda _card: dice())
        hands = _quarters(shuffled, size, size)
        return hands, _quarters(shuffled, size, size // 2) if rules.klopfen else _NOTHING

    return deal


def _quarters(deck: list[int], size: int, taken: int) -> Four:
    """Return the first cards of each quarter of a deck, as sets."""
    a, b, c = size, 2 * size, 3 * size
    return (
        sum(deck[:taken]),
        sum(deck[a : a + taken]),
        sum(deck[b : b + taken]),
        sum(deck[c : c + taken]),
    )


def _playout(rules: RuleSet, chance: random.Random) -> Callable[[], None]:
    """Deal, have chance choose a game, and lay legal cards at random to the end."""
    dealt = _dealer(chance, rules)
    dice = chance.random

    def playout() -> None:
        hands, _ = dealt()
        declarer = int(4 * dice())
        deal = new_deal(rules, hands, 0)
        begin_play(deal, _game(hands[declarer], dice), declarer)
        while not deal.finished:
            choices = legal(deal)
            play(deal, choices[int(dice() * len(choices))])

    return playout


def _game(hand: int, dice: Callable[[], float]) -> GameType:
    drawn = dice()
    if drawn < 0.6:
        calls = [game for game in _CALLS if game.may_announce(hand)]
        if calls:
            return calls[int(dice() * len(calls))]
    elif drawn < 0.75:
        return _WENZ
    return _SOLOS[int(4 * dice())]


def _whole_deal(rules: RuleSet, chance: random.Random) -> Callable[[], None]:
    """Deal, answer every question at random, the auction's too, and settle."""
    dealt = _dealer(chance, rules)
    dice = chance.random

    def whole_deal() -> None:
        hands, first = dealt()
        deal = new_deal(rules, hands, int(4 * dice()), first)
        while not deal.finished:
            choices = legal(deal)
            play(deal, choices[int(dice() * len(choices))])
        settle(deal)

    return whole_deal

"""Which card follows which, and which wins: compiled once per game type."""

from engine.cards import LONG_DECK, SHORT_DECK, Suit, card_of, mask_of
from engine.model import GameType, Order, RuleSet
from engine.switches import FollowRules

_TRUMP_POWER = 64


def deck_of(cards: int) -> int:
    """Return the set of all cards of a deck with this many cards."""
    return LONG_DECK if cards == LONG_DECK.bit_count() else SHORT_DECK


def ranked_trumps(game: GameType) -> tuple[int, ...]:
    """Return the trumps of the long deck, strongest first."""
    tops = [card_of(suit, rank) for rank in game.trump_ranks for suit in reversed(Suit)]
    if game.trump_suit is None:
        return tuple(tops)
    below = [rank for rank in game.plain_order if rank not in game.trump_ranks]
    return (*tops, *(card_of(game.trump_suit, rank) for rank in below))


def compiled(game: GameType, deck_cards: int, rules: FollowRules) -> Order:
    """Return the order of a game type for a deck with this many cards."""
    deck = deck_of(deck_cards)
    ranked = tuple(c for c in ranked_trumps(game) if deck >> c & 1)
    trumps = mask_of(ranked)
    follow = []
    powers = []
    for led in range(32):
        group = trumps if trumps >> led & 1 else (0xFF << (led & ~7)) & deck & ~trumps
        follow.append(group | trumps if rules.trump_instead else group)
        powers.append(_strengths(game, ranked, led, 0 if group == trumps else group) * 4)
    otherwise = trumps if rules.must_trump else 0
    return Order(trumps, ranked, tuple(follow), otherwise, tuple(powers))


def _strengths(
    game: GameType, ranked: tuple[int, ...], led: int, plain_group: int
) -> tuple[int, ...]:
    """Return the strength of every card when `led` opened the trick."""
    strength = [0] * 32
    for position, card in enumerate(ranked):
        strength[card] = _TRUMP_POWER - position
    for position, rank in enumerate(game.plain_order):
        card = card_of(led >> 3, rank)
        if plain_group >> card & 1:
            strength[card] = len(game.plain_order) - position
    return tuple(strength)


def order_of(game: GameType, rules: RuleSet) -> Order:
    """Return the order of one of the games that these rules know."""
    return rules.orders[game.announcement]

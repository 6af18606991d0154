"""Which card follows which, and which wins: compiled once per game type."""

from functools import cache

from engine.cards import LONG_DECK, SHORT_DECK, Rank, Suit, card_of, mask_of
from engine.model import GameType, Order

PLAIN_RANKS = (
    Rank.ACE,
    Rank.TEN,
    Rank.KING,
    Rank.OBER,
    Rank.UNTER,
    Rank.NINE,
    Rank.EIGHT,
    Rank.SEVEN,
)
"""A suit from strong to weak; an Ober or Unter that is no trump stands below the King (S0)."""

_TRUMP_POWER = 64


def deck_of(cards: int) -> int:
    """Return the set of all cards of a deck with this many cards."""
    return LONG_DECK if cards == LONG_DECK.bit_count() else SHORT_DECK


def ranked_trumps(trump_ranks: tuple[Rank, ...], trump_suit: Suit | None) -> tuple[int, ...]:
    """Return the trumps of the long deck, strongest first."""
    tops = [card_of(suit, rank) for rank in trump_ranks for suit in reversed(Suit)]
    if trump_suit is None:
        return tuple(tops)
    below = [card_of(trump_suit, rank) for rank in PLAIN_RANKS if rank not in trump_ranks]
    return (*tops, *below)


@cache
def _compiled(trump_ranks: tuple[Rank, ...], trump_suit: Suit | None, deck_cards: int) -> Order:
    deck = deck_of(deck_cards)
    ranked = tuple(c for c in ranked_trumps(trump_ranks, trump_suit) if deck >> c & 1)
    trumps = mask_of(ranked)
    follow = []
    powers = []
    for led in range(32):
        group = trumps if trumps >> led & 1 else (0xFF << (led & ~7)) & deck & ~trumps
        follow.append(group)
        strength = [0] * 32
        for position, card in enumerate(ranked):
            strength[card] = _TRUMP_POWER - position
        if group != trumps:
            for position, rank in enumerate(PLAIN_RANKS):
                card = card_of(led >> 3, rank)
                if group >> card & 1:
                    strength[card] = len(PLAIN_RANKS) - position
        powers.append(tuple(strength) * 4)
    return Order(trumps, ranked, tuple(follow), tuple(powers))


def order_of(game: GameType, deck_cards: int) -> Order:
    """Return the order of a game type for a deck with this many cards."""
    return _compiled(game.trump_ranks, game.trump_suit, deck_cards)

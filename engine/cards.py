"""Cards, sets of cards and how they are written."""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Final, NewType

from engine.errors import NotationError


class Suit(IntEnum):
    """Weakest first, as Ober and Unter rank among themselves."""

    SCHELLEN, HERZ, GRAS, EICHEL = range(4)


class Rank(IntEnum):
    """Weakest first, as in a plain suit of the Bavarian games (Ober and Unter aside)."""

    SEVEN, EIGHT, NINE, UNTER, OBER, KING, TEN, ACE = range(8)


Seat = NewType("Seat", int)
"""0 to 3, clockwise."""

Card = NewType("Card", int)
"""One card: suit * 8 + rank, 0 to 31."""

Mask = NewType("Mask", int)
"""A set of cards, one bit each. Combine with & | ~ inside a function, wrap on return."""

PLAIN_RANKS: Final = (
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

SEATS: Final = (Seat(0), Seat(1), Seat(2), Seat(3))
EMPTY: Final = Mask(0)
LONG_DECK: Final = Mask(0xFFFF_FFFF)
SHORT_DECK: Final = Mask(0xFCFC_FCFC)
"""The 24 cards without sevens and eights."""

POINTS_OF_RANK: Final = {
    Rank.UNTER: 2,
    Rank.OBER: 3,
    Rank.KING: 4,
    Rank.TEN: 10,
    Rank.ACE: 11,
}
"""Augen (S0 and S1 agree); ranks that are missing count nothing."""

POINTS: Final = tuple(POINTS_OF_RANK.get(Rank(card & 7), 0) for card in range(32))
"""Augen of each card, indexed by card."""

LAID_POINTS: Final = POINTS * 4
"""Augen of a laid card, indexed by seat * 32 + card."""

_SUIT_LETTERS: Final = "SHGE"
_RANK_LETTERS: Final = "789UOKXA"
_SUITS_READ: Final = {
    **{letter: suit for suit, letter in enumerate(_SUIT_LETTERS)},
    **{"♦": 0, "♥": 1, "♠": 2, "♣": 3},
    **{"KARO": 0, "HERZ": 1, "PIK": 2, "KREUZ": 3},
    **{"SCHELLEN": 0, "GRAS": 2, "EICHEL": 3},
}
_RANKS_READ: Final = {
    **{letter: rank for rank, letter in enumerate(_RANK_LETTERS)},
    **{"Z": 6, "T": 6, "10": 6, "B": 3, "J": 3, "D": 4, "Q": 4},
    **{"BUBE": 3, "DAME": 4, "ASS": 7, "AS": 7, "KÖNIG": 5, "ZEHN": 6, "UNTER": 3, "OBER": 4},
}


def card_of(suit: int, rank: int) -> Card:
    """Return the card of this suit and rank."""
    return Card(suit * 8 + rank)


def suit_of(card: int) -> Suit:
    """Return the suit printed on the card; a trump belongs to it all the same."""
    return Suit(card >> 3)


def rank_of(card: int) -> Rank:
    """Return the rank printed on the card."""
    return Rank(card & 7)


def mask_of(cards: Iterable[int]) -> Mask:
    """Return the set of these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return Mask(mask)


def members(mask: int) -> Iterator[Card]:
    """Yield the cards of a set, lowest bit first."""
    while mask:
        low = mask & -mask
        yield Card(low.bit_length() - 1)
        mask ^= low


def card_name(card: int) -> str:
    """Return the two letters of a card, as `EO` or `HX` (the ten)."""
    return _SUIT_LETTERS[card >> 3] + _RANK_LETTERS[card & 7]


def parse_card(text: str) -> Card:
    """Read one card: German letters, `Z`, `T` or `10` for the ten, French names and signs.

    Raises NotationError.
    """
    upper = text.strip().upper()
    for length in range(len(upper) - 1, 0, -1):
        suit = _SUITS_READ.get(upper[:length])
        rank = _RANKS_READ.get(upper[length:].lstrip("-"))
        if suit is not None and rank is not None:
            return card_of(suit, rank)
    raise NotationError(f"{text!r} is no card; write for example EO, GU, HA or SX")


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards that are separated by spaces, in their order. Raises NotationError."""
    return tuple(parse_card(word) for word in text.split())


def cards_text(cards: Iterable[int]) -> str:
    """Write cards in their order, separated by spaces."""
    return " ".join(map(card_name, cards))


def hand_text(mask: int) -> str:
    """Write a set of cards, strongest suit and rank first."""
    suits = [_SUIT_TEXTS[suit][mask >> suit * 8 & 255] for suit in (3, 2, 1, 0)]
    return " ".join([text for text in suits if text])


_SUIT_TEXTS: Final = tuple(
    tuple(
        cards_text(suit * 8 + rank for rank in range(7, -1, -1) if ranks >> rank & 1)
        for ranks in range(256)
    )
    for suit in range(4)
)
"""The cards of each suit for each set of its ranks; written out since journals are full of them."""

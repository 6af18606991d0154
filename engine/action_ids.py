"""The numbers of actions. They stand on the wire and in journals and never change."""

from typing import Final

from engine.cards import Suit

PASS: Final = 33
BID: Final = 34
CEDE: Final = 35
NO_STOSS: Final = 36
STOSS: Final = 37
NO_KLOPFEN: Final = 38
KLOPFEN: Final = 39

REPORT_SCHELLEN: Final = 40
"""Reports the count of a longest suit and locks that suit; the other suits follow."""
REPORTED_FIVE: Final = 44
"""What everybody is told of a report: its count, from five; never an answer."""
REPORTED: Final = range(REPORTED_FIVE, REPORTED_FIVE + 4)
"""All that everybody may be told of a report, up to a count of eight."""

FIRST_ANNOUNCEMENT: Final = 64
"""Announcements of games start here; each game type carries its own number."""

TAKE: Final = 61
"""Takes the trump that is offered in a Hochzeit."""
OFFER: Final = 62
"""Offers the only trump of a hand."""

CALLS: Final = {
    PASS: "pass",
    BID: "bid",
    CEDE: "cede",
    NO_STOSS: "no_stoss",
    STOSS: "stoss",
    NO_KLOPFEN: "no_klopfen",
    KLOPFEN: "klopfen",
    TAKE: "take",
    OFFER: "offer",
    **{REPORT_SCHELLEN + suit: f"report-{suit.name.lower()}" for suit in Suit},
    **{told: f"reported-{count}" for count, told in enumerate(REPORTED, start=5)},
}
"""Names of all actions that neither play a card nor announce a game."""


def play_of(card: int) -> int:
    """Return the action that plays this card."""
    return card + 1


def _byte_tables() -> tuple[tuple[bytes, ...], ...]:
    """For each byte of a card set, the play actions of its cards, ascending."""
    return tuple(
        tuple(bytes(base + bit + 1 for bit in range(8) if value >> bit & 1) for value in range(256))
        for base in (0, 8, 16, 24)
    )


SCHELLEN_PLAYS, HERZ_PLAYS, GRAS_PLAYS, EICHEL_PLAYS = _byte_tables()
"""Play actions per suit, indexed by the suit's eight bits of a card set."""


def plays_of(mask: int) -> bytes:
    """Return the actions that play the cards of a set, ascending."""
    return (
        SCHELLEN_PLAYS[mask & 255]
        + HERZ_PLAYS[mask >> 8 & 255]
        + GRAS_PLAYS[mask >> 16 & 255]
        + EICHEL_PLAYS[mask >> 24]
    )

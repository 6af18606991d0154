"""How actions are written: card, call or game."""

from typing import Final

from engine.action_ids import (
    BID,
    CALLS,
    CEDE,
    FIRST_ANNOUNCEMENT,
    NO_STOSS,
    PASS,
    REPORTED,
    STOSS,
    play_of,
)
from engine.cards import card_name
from engine.errors import NotationError
from engine.variants import GAMES

__all__ = [
    "BID",
    "CEDE",
    "FIRST_ANNOUNCEMENT",
    "NAMES",
    "NEVER_LEGAL",
    "NO_STOSS",
    "PASS",
    "STOSS",
    "action_name",
    "parse_action",
    "play_of",
]

NAMES: Final[dict[int, str]] = {
    **{play_of(card): card_name(card) for card in range(32)},
    **CALLS,
    **{game.bid: f"bid-{game.family}" for game in GAMES.values() if game.bid is not None},
    **{game.announcement: key for key, game in GAMES.items()},
}
"""The name of every action by its number."""

NEVER_LEGAL: Final = frozenset(
    (*REPORTED, *(game.announcement for game in GAMES.values() if not game.announced))
)
"""Actions that are told and never answered: counts of reports, games that nobody announces."""

_NUMBERS: Final = {name: number for number, name in NAMES.items()}


def action_name(action: int) -> str:
    """Return the name of an action. Raises NotationError for a number that is none."""
    try:
        return NAMES[action]
    except KeyError:
        raise NotationError(f"{action} is no action") from None


def parse_action(text: str) -> int:
    """Read the name of an action. Raises NotationError."""
    try:
        return _NUMBERS[text]
    except KeyError:
        raise NotationError(f"{text!r} is no action") from None

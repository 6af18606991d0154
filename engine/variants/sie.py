"""Sie: the declarer holds the highest trumps only and has won without a card played (S0)."""

from dataclasses import replace

from engine.cards import Rank, Suit, card_of, mask_of
from engine.single_games import single_game

_TOPS = [card_of(suit, rank) for rank in (Rank.OBER, Rank.UNTER) for suit in reversed(Suit)]


def _holds_all(hand: int) -> bool:
    """Eight cards are all Ober and Unter; six are the highest six of them (dossier 5)."""
    return hand != 0 and hand == mask_of(_TOPS[: hand.bit_count()])


GAME_TYPES = (
    replace(
        single_game("sie", 84, 59, (Rank.OBER, Rank.UNTER), None, kind="sie"),
        may_announce=_holds_all,
        wins_at_once=True,
    ),
)

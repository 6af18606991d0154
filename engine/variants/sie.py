"""Sie: the declarer holds all Ober and Unter and has won without a card played (S0)."""

from dataclasses import replace

from engine.cards import Rank, Suit, card_of, mask_of
from engine.single_games import single_game

_TOPS = mask_of(card_of(suit, rank) for rank in (Rank.OBER, Rank.UNTER) for suit in Suit)


def _holds_all(hand: int) -> bool:
    return hand & _TOPS == _TOPS


GAME_TYPES = (
    replace(
        single_game("sie", 84, (Rank.OBER, Rank.UNTER), None, kind="sie"),
        may_announce=_holds_all,
        wins_at_once=True,
    ),
)

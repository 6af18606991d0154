"""Solo: Ober and Unter are trumps, and below them a suit of the declarer's choice (S0)."""

from engine.cards import Rank, Suit
from engine.single_games import single_game

_RANKS = (Rank.OBER, Rank.UNTER)

GAME_TYPES = (
    *(single_game("solo", 72, 50, _RANKS, suit) for suit in Suit),
    *(single_game("solo-tout", 80, 55, _RANKS, suit, kind="solo") for suit in Suit),
)

"""Wenz: the four Unter are trumps, in a Farbwenz also a suit below them (S0, dossier 5)."""

from engine.cards import Rank, Suit
from engine.single_games import single_game

_RANKS = (Rank.UNTER,)

GAME_TYPES = (
    single_game("wenz", 68, 49, _RANKS, None),
    single_game("wenz-tout", 76, 54, _RANKS, None, kind="wenz"),
    *(single_game("farbwenz", 92, 52, _RANKS, suit) for suit in Suit),
    *(single_game("farbwenz-tout", 100, 57, _RANKS, suit, kind="farbwenz") for suit in Suit),
)

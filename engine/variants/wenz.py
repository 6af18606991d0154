"""Wenz: the four Unter are the only trumps; an Ober stands below the King (S0)."""

from engine.cards import Rank
from engine.single_games import single_game

GAME_TYPES = (
    single_game("wenz", 68, (Rank.UNTER,), None),
    single_game("wenz-tout", 76, (Rank.UNTER,), None, kind="wenz"),
)

"""Geier: the four Ober are trumps, in a Farbgeier also a suit below them (S3, dossier 5)."""

from engine.cards import Rank, Suit
from engine.single_games import single_game

_RANKS = (Rank.OBER,)

GAME_TYPES = (
    single_game("geier", 88, 51, _RANKS, None),
    single_game("geier-tout", 89, 56, _RANKS, None, kind="geier"),
    *(single_game("farbgeier", 96, 53, _RANKS, suit) for suit in Suit),
    *(single_game("farbgeier-tout", 104, 58, _RANKS, suit, kind="farbgeier") for suit in Suit),
)

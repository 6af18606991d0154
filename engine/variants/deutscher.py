"""Deutscher Schafkopf: Unter and a suit are trumps, partners sit opposite (S2, dossier 6)."""

from engine.cards import Rank, Suit
from engine.model import Deal, GameType
from engine.scoring import settle_by_points
from engine.single_games import always

_ORDER = (
    Rank.ACE,
    Rank.KING,
    Rank.OBER,
    Rank.TEN,
    Rank.NINE,
    Rank.EIGHT,
    Rank.SEVEN,
)
_FIRST_ANNOUNCEMENT = 112


def _pair(deal: Deal) -> int:
    assert deal.declarer is not None
    return 1 << deal.declarer | 1 << ((deal.declarer + 2) & 3)


def _game(suit: Suit) -> GameType:
    return GameType(
        key=f"deutscher-{suit.name.lower()}",
        family="deutscher",
        kind="deutscher",
        announcement=_FIRST_ANNOUNCEMENT + suit,
        trump_ranks=(Rank.UNTER,),
        trump_suit=suit,
        plain_order=_ORDER,
        may_announce=always,
        side=_pair,
        settle=settle_by_points,
        fixed_partners=True,
    )


GAME_TYPES = tuple(_game(suit) for suit in Suit)

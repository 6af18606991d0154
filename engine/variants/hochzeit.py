"""Hochzeit: trumps as in a Rufspiel; partners are who offered and who took a trump (dossier 5)."""

from engine.cards import Rank, Suit
from engine.model import Deal, GameType
from engine.scoring import settle_by_points
from engine.single_games import never


def _couple(deal: Deal) -> int:
    assert deal.exchange is not None
    offerer, taker, _, _ = deal.exchange
    return 1 << offerer | 1 << taker


GAME = GameType(
    key="hochzeit",
    family="hochzeit",
    kind="hochzeit",
    announcement=110,
    trump_ranks=(Rank.OBER, Rank.UNTER),
    trump_suit=Suit.HERZ,
    may_announce=never,
    side=_couple,
    settle=settle_by_points,
    announced=False,
)

GAME_TYPES = (GAME,)

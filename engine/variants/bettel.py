"""Bettel: the declarer must take no trick; no trumps, and the ten ranks low (dossier 5)."""

from dataclasses import replace

from engine.cards import Rank
from engine.model import Deal, Settlement
from engine.scoring import paid, seats_of
from engine.single_games import single_game

_ORDER = (
    Rank.ACE,
    Rank.KING,
    Rank.OBER,
    Rank.UNTER,
    Rank.TEN,
    Rank.NINE,
    Rank.EIGHT,
    Rank.SEVEN,
)


def _took_a_trick(deal: Deal) -> bool:
    return any(deal.tricks[seat] for seat in seats_of(deal.side))


def _settle(deal: Deal) -> Settlement:
    won = not _took_a_trick(deal)
    price = deal.rules.tariff.base["bettel"]
    return Settlement(side=seats_of(deal.side), won=won, payoff=paid(deal, won, price))


GAME_TYPES = (
    replace(
        single_game("bettel", 109, 60, (), None),
        plain_order=_ORDER,
        settle=_settle,
        over=_took_a_trick,
    ),
)

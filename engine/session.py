"""What goes on from deal to deal of a session: Stock, Bock rounds, Schafköpfe (dossier 5, 6).

The Stock belongs to all four seats alike. Paying the same into it is therefore neither
gain nor loss, and whoever takes it takes three quarters of it from the others: so every
deal still sums to zero.
"""

from collections.abc import Callable
from typing import Final

from engine.cards import POINTS
from engine.model import Carried, Deal, Four, Settlement

_PAIRS: Final = ((0, 2), (1, 3))
_FULL: Final = 1 << 24
"""Money that the Stock can hold at most, so that doubling it fits into every message."""


def with_stock(deal: Deal, settlement: Settlement) -> Four:
    """Return the payoff with the Stock: the declarer's side takes it, or pays as much in."""
    stock = deal.carried.stock
    if not stock or settlement.won is None:
        return settlement.payoff
    moved = stock if settlement.won else -_paid_in(stock)
    share = moved // len(settlement.side)
    a, b, c, d = (
        gain + share * (seat in settlement.side) - moved // 4
        for seat, gain in enumerate(settlement.payoff)
    )
    return (a, b, c, d)


def _paid_in(stock: int) -> int:
    """What the declarer's side pays into the Stock when it loses: as much as is in it."""
    return min(stock, _FULL - stock)


def carry(deal: Deal, settlement: Settlement) -> Carried:
    """Return what a finished deal leaves to the next one of its session."""
    rules = deal.rules.session
    before = deal.carried
    bock = max(0, before.bock - 1)
    if any(_EVENTS[event](deal, settlement) for event in rules.bock_after):
        bock += rules.bock_deals
    strokes, schafkoepfe = _counted(deal, settlement)
    return Carried(
        stock=_stock_after(deal, settlement), bock=bock, strokes=strokes, schafkoepfe=schafkoepfe
    )


def _stock_after(deal: Deal, settlement: Settlement) -> int:
    stock = deal.carried.stock
    if deal.game is None:
        return min(stock + 4 * deal.rules.session.stock, _FULL)
    if settlement.won is None:
        return stock
    return 0 if settlement.won else stock + _paid_in(stock)


def _counted(deal: Deal, settlement: Settlement) -> tuple[tuple[int, int], tuple[int, int]]:
    """Add the strokes that a pair won; full ones make a Schafkopf, enough of those a match."""
    rules = deal.rules.session
    before = deal.carried
    if not rules.schafkopf_strokes:
        return before.strokes, before.schafkoepfe
    strokes, schafkoepfe = list(before.strokes), list(before.schafkoepfe)
    for pair, (seat, _) in enumerate(_PAIRS):
        strokes[pair] += max(0, settlement.payoff[seat])
        if strokes[pair] >= rules.schafkopf_strokes:
            strokes = [0, 0]
            schafkoepfe[pair] += 1
            if schafkoepfe[pair] >= rules.match_schafkoepfe:
                schafkoepfe = [0, 0]
            break
    return (strokes[0], strokes[1]), (schafkoepfe[0], schafkoepfe[1])


def _tied(deal: Deal, settlement: Settlement) -> bool:
    """Half of all Augen; a game that ended early has laid fewer and was no tie."""
    half = sum(POINTS) // 2
    return bool(settlement.side) and sum(deal.points[s] for s in settlement.side) == half


_EVENTS: Final[dict[str, Callable[[Deal, Settlement], bool]]] = {
    "pass_out": lambda deal, _: deal.game is None,
    "schneider": lambda _, settlement: settlement.schneider,
    "schwarz": lambda _, settlement: settlement.schwarz,
    "single_game_lost": lambda _, settlement: settlement.won is False and len(settlement.side) == 1,
    "tie": _tied,
    "stoss": lambda deal, _: bool(deal.stoss),
}

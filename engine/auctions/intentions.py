"""The opening that several procedures share: everybody says once whether he wants to play."""

from collections.abc import Callable

from engine.action_ids import BID, PASS
from engine.model import Deal
from engine.rules import pass_out

PROCEDURES = ()

_ASKED_BYTES = 8
"""Four calls of two bytes."""


def begin_intentions(deal: Deal, then: Callable[[Deal], None]) -> None:
    """Ask everybody from forehand on; `then` goes on if somebody wants to play."""

    def take(deal: Deal, action: int) -> None:
        seat = deal.turn
        deal.auction += bytes((seat, action))
        if action == BID:
            deal.bidding.bidders.append(seat)
        if len(deal.auction) < _ASKED_BYTES:
            deal.turn = (seat + 1) & 3
        elif deal.bidding.bidders:
            then(deal)
        else:
            pass_out(deal)

    deal.legal = bytes((PASS, BID))
    deal.step = take

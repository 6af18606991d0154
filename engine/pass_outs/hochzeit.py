"""Hochzeit: a seat with exactly one trump offers it to whoever returns a plain card (dossier 5).

Everybody is asked at the same points whatever he holds, so that asking tells nothing. Who
takes it is the declarer, who offered it his partner; the two are known to all. When nobody
offers or takes, the table goes on as after any pass-out.
"""

from engine.action_ids import OFFER, PASS, TAKE, plays_of
from engine.model import Deal, PassOut
from engine.order import order_of
from engine.rules import begin_play
from engine.variants.hochzeit import GAME

PASS_OUTS: tuple[PassOut, ...] = ()


def with_hochzeit(otherwise: PassOut) -> PassOut:
    """Return the way to go on that tries a Hochzeit first."""

    def begin(deal: Deal) -> None:
        deal.turn = deal.forehand
        deal.step = take_offer
        _ask_offer(deal)

    def take_offer(deal: Deal, action: int) -> None:
        seat = deal.turn
        deal.auction += bytes((seat, action))
        if action == OFFER:
            deal.bidding.holder = seat
            deal.bidding.challengers = [(seat + offset) & 3 for offset in (1, 2, 3)]
            deal.step = take_answer
            ask_taker(deal)
            return
        deal.turn = (seat + 1) & 3
        if deal.turn == deal.forehand:
            otherwise.begin(deal)
        else:
            _ask_offer(deal)

    def ask_taker(deal: Deal) -> None:
        if not deal.bidding.challengers:
            otherwise.begin(deal)
            return
        deal.turn = deal.bidding.challengers.pop(0)
        deal.legal = bytes((PASS, TAKE)) if _plain(deal) else bytes((PASS,))

    def take_answer(deal: Deal, action: int) -> None:
        deal.auction += bytes((deal.turn, action))
        if action == PASS:
            ask_taker(deal)
            return
        deal.step = _take_return
        deal.legal = plays_of(_plain(deal))

    return PassOut(otherwise.key, begin, (GAME, *otherwise.games), otherwise.problem)


def _ask_offer(deal: Deal) -> None:
    one_trump = _trumps(deal).bit_count() == 1
    deal.legal = bytes((PASS, OFFER)) if one_trump else bytes((PASS,))


def _take_return(deal: Deal, action: int) -> None:
    """Exchange the offered trump for this card, and play."""
    offerer, taker = deal.bidding.holder, deal.turn
    assert offerer is not None
    returned = action - 1
    trump = (deal.hands[offerer] & order_of(GAME, deal.rules).trumps).bit_length() - 1
    both = 1 << returned | 1 << trump
    deal.hands[offerer] ^= both
    deal.hands[taker] ^= both
    a, b, c, d = deal.hands
    deal.opening = (a, b, c, d)
    deal.exchange = (offerer, taker, trump, returned)
    begin_play(deal, GAME, taker)


def _trumps(deal: Deal) -> int:
    return deal.hands[deal.turn] & order_of(GAME, deal.rules).trumps


def _plain(deal: Deal) -> int:
    return deal.hands[deal.turn] & ~order_of(GAME, deal.rules).trumps

"""One round (S3): one bid each, the highest plays; of equal bids the earlier would have won."""

from engine.action_ids import PASS
from engine.auctions.offers import announceable, fixed_partners_listed, game_announced
from engine.model import Deal, Procedure
from engine.rules import begin_play, pass_out


def _begin(deal: Deal) -> None:
    deal.step = _take_bid
    _ask(deal)


def _ask(deal: Deal) -> None:
    above = -1 if deal.game is None else deal.rules.rank[deal.game.announcement]
    first = deal.game is None
    games = announceable(deal, above, first=first)
    deal.legal = bytes((PASS, *(game.announcement for game in games)))


def _take_bid(deal: Deal, action: int) -> None:
    seat = deal.turn
    deal.auction += bytes((seat, action))
    if action != PASS:
        deal.game = game_announced(deal, action)
        deal.declarer = seat
    deal.turn = (seat + 1) & 3
    if deal.turn != deal.forehand:
        _ask(deal)
    elif deal.game is None:
        pass_out(deal)
    else:
        begin_play(deal, deal.game, deal.declarer)


PROCEDURES = (Procedure("single_round", _begin, fixed_partners_listed),)

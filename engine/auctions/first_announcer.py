"""The first who wants to play ends the auction and names his game (S1)."""

from engine.action_ids import BID, PASS
from engine.auctions.offers import announceable, game_announced, no_game_for_all
from engine.model import Deal, Procedure
from engine.rules import begin_play, pass_out


def _begin(deal: Deal) -> None:
    deal.legal = bytes((PASS, BID))
    deal.step = _take_intention


def _take_intention(deal: Deal, action: int) -> None:
    seat = deal.turn
    deal.auction += bytes((seat, action))
    if action == BID:
        deal.bidding.bidders.append(seat)
        deal.step = _take_announcement
        games = announceable(deal, -1, first=True)
        deal.legal = bytes(game.announcement for game in games)
        return
    deal.turn = (seat + 1) & 3
    if deal.turn == deal.forehand:
        pass_out(deal)


def _take_announcement(deal: Deal, action: int) -> None:
    deal.auction += bytes((deal.turn, action))
    begin_play(deal, game_announced(deal, action), deal.turn)


PROCEDURES = (Procedure("first_announcer", _begin, no_game_for_all),)

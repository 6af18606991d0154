"""Two rounds (S0): first everybody says whether he wants to play, then the bidders say what."""

from engine.action_ids import CEDE
from engine.auctions.intentions import begin_intentions
from engine.auctions.offers import announceable, game_announced, nothing_for_later_bidders
from engine.model import Deal, Procedure
from engine.rules import begin_play


def _begin(deal: Deal) -> None:
    begin_intentions(deal, _begin_announcements)


def _begin_announcements(deal: Deal) -> None:
    deal.step = _take_announcement
    _ask_bidder(deal, 0)


def _take_announcement(deal: Deal, action: int) -> None:
    deal.auction += bytes((deal.turn, action))
    if action != CEDE:
        deal.game = game_announced(deal, action)
        deal.declarer = deal.turn
    spoken = len(deal.auction) // 2 - 4
    if spoken < len(deal.bidding.bidders):
        _ask_bidder(deal, spoken)
        return
    assert deal.game is not None, "the last bidder can't cede"
    assert deal.declarer is not None
    begin_play(deal, deal.game, deal.declarer)


def _ask_bidder(deal: Deal, number: int) -> None:
    """Ask the bidder of this number for a game that beats the best so far."""
    deal.turn = deal.bidding.bidders[number]
    above = -1 if deal.game is None else deal.rules.rank[deal.game.announcement]
    offers = [game.announcement for game in announceable(deal, above, first=number == 0)]
    last = number == len(deal.bidding.bidders) - 1
    if deal.game is not None or not last:
        offers.insert(0, CEDE)
    deal.legal = bytes(offers)


PROCEDURES = (Procedure("two_round", _begin, nothing_for_later_bidders),)

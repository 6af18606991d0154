"""Two rounds (S0): first everybody says whether he wants to play, then the bidders say what."""

from engine.action_ids import BID, CEDE, PASS
from engine.model import Deal, GameType, Procedure
from engine.rules import begin_play, pass_out


def _begin(deal: Deal) -> None:
    deal.legal = bytes((PASS, BID))
    deal.step = _take_intention


def _take_intention(deal: Deal, action: int) -> None:
    seat = deal.turn
    deal.auction += bytes((seat, action))
    if action == BID:
        deal.bidders.append(seat)
    if len(deal.auction) < 8:
        deal.turn = (seat + 1) & 3
    elif deal.bidders:
        deal.step = _take_announcement
        _ask_bidder(deal, 0)
    else:
        pass_out(deal)


def _take_announcement(deal: Deal, action: int) -> None:
    deal.auction += bytes((deal.turn, action))
    if action != CEDE:
        deal.game = next(g for g in deal.rules.games if g.announcement == action)
        deal.declarer = deal.turn
    spoken = len(deal.auction) // 2 - 4
    if spoken < len(deal.bidders):
        _ask_bidder(deal, spoken)
        return
    assert deal.game is not None, "the last bidder can't cede"
    assert deal.declarer is not None
    begin_play(deal, deal.game, deal.declarer)


def _ask_bidder(deal: Deal, number: int) -> None:
    """Ask the bidder of this number for a game that beats the best so far."""
    deal.turn = deal.bidders[number]
    hand = deal.dealt[deal.turn]
    offers = [g.announcement for g in deal.rules.games if _may_name(deal, g, hand, number)]
    last = number == len(deal.bidders) - 1
    if deal.game is not None or not last:
        offers.insert(0, CEDE)
    deal.legal = bytes(offers)


def _may_name(deal: Deal, game: GameType, hand: int, number: int) -> bool:
    rank = deal.rules.rank
    if deal.game is not None and rank[game.announcement] <= rank[deal.game.announcement]:
        return False
    first_only = deal.rules.auction.partner_games_first_bidder_only
    if game.hidden_partner and first_only and number > 0:
        return False
    return game.may_announce(hand)


PROCEDURES = (Procedure("two_round", _begin),)

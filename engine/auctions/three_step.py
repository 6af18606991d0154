"""Three steps (official order, Sauspiel): who wants to play, what kind, and then which suit.

Bidders speak in turn. The holder of the bid and the next bidder raise against each other
until one of them cedes; the holder keeps it with an equal kind, the other needs a higher
one. Only the last holder says which ace or suit.
"""

from engine.action_ids import CEDE
from engine.auctions.intentions import begin_intentions
from engine.auctions.offers import announceable, game_announced, nothing_for_later_bidders
from engine.model import Deal, GameType, Procedure, RuleSet
from engine.rules import begin_play


def _begin(deal: Deal) -> None:
    begin_intentions(deal, _begin_kinds)


def _begin_kinds(deal: Deal) -> None:
    deal.bidding.holder = None
    deal.bidding.held = -1
    deal.bidding.challengers = list(deal.bidding.bidders)
    _next_challenger(deal)


def _next_challenger(deal: Deal) -> None:
    """Ask the next bidder for a kind; without one, the holder names his game."""
    if not deal.bidding.challengers:
        _ask_game(deal)
        return
    deal.turn = deal.bidding.challengers.pop(0)
    deal.step = _take_challenge
    must = deal.bidding.holder is None and not deal.bidding.challengers
    _ask_kind(deal, deal.bidding.held, may_cede=not must)


def _ask_kind(deal: Deal, above: int, *, may_cede: bool) -> None:
    first = deal.turn == deal.bidding.bidders[0]
    bids = {game.bid for game in announceable(deal, above, first=first)}
    offers = sorted(bid for bid in bids if bid is not None)
    deal.legal = bytes((CEDE, *offers)) if may_cede else bytes(offers)


def _take_challenge(deal: Deal, action: int) -> None:
    deal.auction += bytes((deal.turn, action))
    if action == CEDE:
        _next_challenger(deal)
        return
    outbid = deal.bidding.holder
    challenger = deal.turn
    deal.bidding.held = _rank_of(deal, action)
    deal.bidding.kind = action
    deal.bidding.holder = challenger
    if outbid is None or not deal.rules.auction.holder_may_raise:
        _next_challenger(deal)
        return
    deal.turn = outbid
    deal.step = _take_defence
    _ask_kind(deal, deal.bidding.held - 1, may_cede=True)


def _take_defence(deal: Deal, action: int) -> None:
    """The outbid earlier bidder keeps the bid with an equal kind, or cedes for good."""
    deal.auction += bytes((deal.turn, action))
    if action == CEDE:
        _next_challenger(deal)
        return
    challenger = deal.bidding.holder
    assert challenger is not None
    deal.bidding.holder = deal.turn
    deal.bidding.held = _rank_of(deal, action)
    deal.bidding.kind = action
    deal.bidding.challengers.insert(0, challenger)
    _next_challenger(deal)


def _rank_of(deal: Deal, bid: int) -> int:
    return next(deal.rules.rank[game.announcement] for game in _family(deal, bid))


def _family(deal: Deal, bid: int) -> list[GameType]:
    return [game for game in deal.rules.games if game.bid == bid]


def _ask_game(deal: Deal) -> None:
    assert deal.bidding.holder is not None
    deal.turn = deal.bidding.holder
    deal.step = _take_game
    hand = deal.dealt[deal.turn]
    games = [game for game in _family(deal, deal.bidding.kind) if game.may_announce(hand)]
    deal.legal = bytes(game.announcement for game in games)


def _take_game(deal: Deal, action: int) -> None:
    deal.auction += bytes((deal.turn, action))
    begin_play(deal, game_announced(deal, action), deal.turn)


def _problem(rules: RuleSet) -> str | None:
    without = sorted({game.family for game in rules.games if game.bid is None})
    if without:
        return f"auction.ranking: {without[0]!r} can't be bid in this procedure"
    return nothing_for_later_bidders(rules)


PROCEDURES = (Procedure("three_step", _begin, _problem),)

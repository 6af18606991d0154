"""Ramsch: trumps as in a Rufspiel, everybody for himself, most Augen lose (dossier 5)."""

from engine.cards import Rank, Suit
from engine.model import Deal, Four, GameType, Settlement
from engine.order import order_of
from engine.scoring import doublings
from engine.single_games import never


def _nobody(_deal: Deal) -> int:
    return 0


def _settle(deal: Deal) -> Settlement:
    rules = deal.rules.ramsch
    price = deal.rules.tariff.base["ramsch"] << doublings(deal)
    winner = _marched_through(deal)
    if winner is not None:
        return Settlement(payoff=_paid(price, {winner}, set(range(4)) - {winner}, {}))
    if rules.decides == "fewest_wins":
        winners = _chosen(deal, min(deal.points))
        return Settlement(payoff=_paid(price, winners, set(range(4)) - winners, {}))
    losers = _chosen(deal, max(deal.points))
    virgins = [seat for seat in range(4) if deal.tricks[seat] == 0]
    if rules.jungfrau == "double_all":
        price <<= len(virgins)
    twice = dict.fromkeys(virgins, 2) if rules.jungfrau == "individual" else {}
    return Settlement(payoff=_paid(price, set(range(4)) - losers, losers, twice))


def _marched_through(deal: Deal) -> int | None:
    """The seat that took so much that it wins instead of losing."""
    rules = deal.rules.ramsch
    best = max(range(4), key=deal.points.__getitem__)
    if rules.durchmarsch == "off":
        return None
    if rules.durchmarsch == "all_tricks":
        return best if deal.tricks[best] == sum(deal.tricks) else None
    return best if deal.points[best] >= int(rules.durchmarsch) else None


def _chosen(deal: Deal, points: int) -> set[int]:
    """The seats with these Augen, or the one of them that was dealt the highest trump."""
    equal = {seat for seat in range(4) if deal.points[seat] == points}
    if len(equal) == 1 or deal.rules.ramsch.tie == "all":
        return equal
    assert deal.game is not None
    for card in order_of(deal.game, deal.rules).ranked_trumps:
        for seat in equal:
            if deal.opening[seat] >> card & 1:
                return {seat}
    return {min(equal)}


def _paid(price: int, winners: set[int], losers: set[int], factor: dict[int, int]) -> Four:
    """Each loser pays each winner the price, times the winner's factor."""
    payoff = [0, 0, 0, 0]
    for loser in losers:
        for winner in winners:
            amount = price * factor.get(winner, 1)
            payoff[winner] += amount
            payoff[loser] -= amount
    a, b, c, d = payoff
    return (a, b, c, d)


GAME_TYPES = (
    GameType(
        key="ramsch",
        family="ramsch",
        kind="ramsch",
        announcement=108,
        trump_ranks=(Rank.OBER, Rank.UNTER),
        trump_suit=Suit.HERZ,
        may_announce=never,
        side=_nobody,
        settle=_settle,
        announced=False,
        everybody_alone=True,
    ),
)

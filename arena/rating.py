"""Rates the bots of a league from its deal lines, whatever order they come in."""

from collections.abc import Iterable, Sequence

from arena.rating_blocks import COMPLETE, STOOD_DOWN, Blocks, Conduct, Order
from arena.rating_fit import CONFIDENCE, DIGITS, fit, groups_of, null_space, solve
from arena.rating_notes import notes
from arena.rating_records import Leader, League, Ratings
from arena.rating_sample import gather, left_side, shares
from arena.rating_table import complete_share, completes_enough, pairs, rows
from arena.rating_teams import rated_teams
from arena.records import DealLine, Header


def rate(
    header: Header,
    lines: Iterable[DealLine],
    *,
    resamples: int = 1000,
) -> Ratings:
    """Rate the bots from all complete blocks.

    The same set of lines gives the same ratings in any order; of lines with the same key
    the first counts. Raises EvidenceError for a line that the schedule doesn't hold.
    """
    blocks = Blocks(header)
    fixed_partners = header.schedule.fixed_partners
    for line in lines:
        blocks.add(line)
    # Sorted, so that the order of arrival can't reach the arithmetic.
    orders = [order for _, order in sorted(blocks.orders.items()) if order.rated]
    size = len(header.bots)
    sample = gather(orders, size, fixed_partners=fixed_partners) if orders else None
    result = fit(sample, header.commitment, resamples) if sample else None
    sessions = sample.sessions if sample else 0
    compared = pairs(result, size, sessions)
    bots = rows(blocks, orders, result, compared, sessions)
    league = League(
        name=header.league,
        fixed_partners=fixed_partners,
        confidence=CONFIDENCE,
        resamples=resamples,
        deals=blocks.deals,
        passed_out_share=blocks.passed_out / blocks.deals if blocks.deals else None,
        sessions=sessions,
        scheduled_blocks=_scheduled(header),
        complete_blocks=sum(order.rated for order in orders),
        stood_down_blocks=_count(blocks, COMPLETE | STOOD_DOWN, 0),
        incomplete_blocks=_count(blocks, 0, COMPLETE),
    )
    teams = rated_teams(orders, header, resamples) if fixed_partners else ()
    return Ratings(league, bots, compared, teams, notes(blocks, league, bots))


class Standings:
    """Folds deal lines as they arrive, to name the leader of a running league at any time.

    Each key must come once; a block that is complete is forgotten but for its sums, so that
    a long league takes no more memory than a short one.
    """

    def __init__(self, header: Header) -> None:
        self._blocks = Blocks(header)
        self._fixed_partners = header.schedule.fixed_partners
        self._totals: dict[Order, list[int]] = {}
        """Number of rated blocks and payoff per place."""

    @property
    def conduct(self) -> Sequence[Conduct]:
        """What each bot did so far, in the header's order."""
        return self._blocks.conduct

    def add(self, line: DealLine) -> None:
        """Fold one line. Raises EvidenceError as `rate`."""
        done = self._blocks.add(line)
        if done is not None:
            order, row = done
            totals = self._totals.setdefault(order, [0] * 5)
            for column, amount in enumerate((1, *order.block(row))):
                totals[column] += amount
        self._blocks.forget_if_complete(line.key)

    def leader(self) -> Leader | None:
        """Return the strongest bot so far within the largest group of comparable bots.

        None while no two bots can be compared, or none may have a place, as `rate` has it. Of
        equal bots the first is named.
        """
        import numpy as np

        bots = len(self._blocks.conduct)
        left, right = np.zeros((bots, bots)), np.zeros(bots)
        for order, (blocks, *payoffs) in self._totals.items():
            spread = shares(order.places, bots, fixed_partners=self._fixed_partners)
            right += payoffs @ spread
            block = left_side(order.places, order.deals, bots, fixed_partners=self._fixed_partners)
            left += blocks * block
        null = null_space(left)
        groups = groups_of(null)
        largest = max(groups, key=groups.count, default=0)
        if groups.count(largest) < 2:
            return None
        strengths = solve(left[None], right[None], null)[0]
        members = [bot for bot, group in enumerate(groups) if group == largest]
        mean = sum(float(strengths[bot]) for bot in members) / len(members)
        placed = [bot for bot in members if completes_enough(complete_share(self.conduct[bot]))]
        if not placed:
            return None
        best = max(placed, key=lambda bot: round(float(strengths[bot]), DIGITS))
        rated = sum(totals[0] for totals in self._totals.values())
        return Leader(best, float(strengths[best]) - mean, rated)


def _scheduled(header: Header) -> int:
    schedule = header.schedule
    return len(schedule.lineups) * (schedule.deals // schedule.session_deals)


def _count(blocks: Blocks, bearing: int, lacking: int) -> int:
    return sum(order.count(bearing, lacking) for order in blocks.orders.values())

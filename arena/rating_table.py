"""Puts a fit and the blocks' counts into the rows of a table."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from arena.rating_blocks import FAULTY, Blocks, Conduct, Order
from arena.rating_fit import DIGITS, Fit, interval
from arena.rating_notes import LEAST_COMPLETE
from arena.rating_records import BotRating, Faults, Pair
from arena.rating_sample import rated

Pairs = tuple[tuple[Pair | None, ...], ...]


@dataclass(frozen=True)
class _Sums:
    """A bot's rated blocks added up."""

    blocks: int = 0
    deals: int = 0
    payoff: int = 0
    faultless_deals: int = 0
    faultless_payoff: int = 0


def pairs(fit: Fit | None, bots: int, sessions: int) -> Pairs:
    """Compare every bot with every other of its group."""
    if fit is None:
        return ((None,) * bots,) * bots
    groups = fit.groups
    return tuple(
        tuple(
            _pair(fit, first, second, sessions)
            if first != second and groups[first] == groups[second]
            else None
            for second in range(bots)
        )
        for first in range(bots)
    )


def rows(
    blocks: Blocks, orders: Sequence[Order], fit: Fit | None, compared: Pairs, sessions: int
) -> tuple[BotRating, ...]:
    """Return one row per bot, in the header's order."""
    sums = _sums(orders, len(blocks.conduct))
    unplaced = [_row(blocks, bot, sums[bot], fit, sessions) for bot in range(len(sums))]
    ranked = {bot for bot, row in enumerate(unplaced) if _may_be_ranked(row)}
    return tuple(
        _placed(row, [compared[bot][other] for other in ranked]) if bot in ranked else row
        for bot, row in enumerate(unplaced)
    )


def _pair(fit: Fit, first: int, second: int, sessions: int) -> Pair:
    import numpy as np

    difference = fit.strengths[first] - fit.strengths[second]
    draws = fit.strength_draws[:, first] - fit.strength_draws[:, second]
    draws = np.round(draws, DIGITS) + 0.0  # no negative zeros
    better = (draws > 0).mean() + (draws == 0).mean() / 2 if len(draws) else None
    return Pair(
        difference=round(float(difference), DIGITS) + 0.0,
        interval=interval(draws, sessions),
        superiority=None if better is None else float(better),
    )


def _row(blocks: Blocks, bot: int, sums: _Sums, fit: Fit | None, sessions: int) -> BotRating:
    entry, conduct = blocks.header.bots[bot], blocks.conduct[bot]
    alone = fit is None or fit.groups.count(fit.groups[bot]) == 1
    row = BotRating(
        name=entry.name,
        version=entry.version,
        group=0 if fit is None else fit.groups[bot],
        rank=None,
        rank_interval=None,
        strength=None,
        strength_interval=None,
        elo=None,
        elo_interval=None,
        elo_bounded=False,
        payoff=sums.payoff / sums.deals if sums.deals else None,
        payoff_faultless=(
            sums.faultless_payoff / sums.faultless_deals if sums.faultless_deals else None
        ),
        deals=sums.deals,
        blocks=sums.blocks,
        complete_share=complete_share(conduct),
        stood_down=conduct.stood_down,
        faults=Faults(**{kind: conduct.faults[kind] for kind in Faults.__struct_fields__}),
    )
    if fit is None or alone:
        return row
    return msgspec.structs.replace(
        row,
        strength=float(fit.strengths[bot]),
        strength_interval=interval(fit.strength_draws[:, bot], sessions),
        elo=float(fit.elo[bot]),
        elo_interval=interval(fit.elo_draws[:, bot], sessions),
        elo_bounded=fit.elo_bounded[bot],
    )


def complete_share(conduct: Conduct) -> float | None:
    """Return the share of a bot's deals for which it wasn't stood down."""
    return 1 - conduct.stood_down / conduct.deals if conduct.deals else None


def completes_enough(share: float | None) -> bool:
    """Return whether a bot with this share of complete deals may have a place."""
    return share is not None and share >= LEAST_COMPLETE


def _may_be_ranked(row: BotRating) -> bool:
    return row.strength is not None and completes_enough(row.complete_share)


def _placed(row: BotRating, others: Sequence[Pair | None]) -> BotRating:
    """Rank a bot by its pairs with the other ranked bots; None is itself or another group."""
    rivals = [pair for pair in others if pair is not None]
    above = [pair for pair in rivals if pair.interval is not None and pair.interval.high < 0]
    below = [pair for pair in rivals if pair.interval is not None and pair.interval.low > 0]
    return msgspec.structs.replace(
        row,
        rank=1 + sum(pair.difference < 0 for pair in rivals),
        rank_interval=(1 + len(above), 1 + len(rivals) - len(below)),
    )


def _sums(orders: Sequence[Order], bots: int) -> list[_Sums]:
    sums = [_Sums()] * bots
    for order in orders:
        _, payoffs, marks = rated(order)
        faultless = (marks & FAULTY) == 0
        for bot in set(order.places):
            places = [place for place, other in enumerate(order.places) if other == bot]
            mine = payoffs[:, places].sum(1)
            deals = order.deals * len(places)
            sums[bot] = _Sums(
                blocks=sums[bot].blocks + len(mine),
                deals=sums[bot].deals + deals * len(mine),
                payoff=sums[bot].payoff + int(mine.sum()),
                faultless_deals=sums[bot].faultless_deals + deals * int(faultless.sum()),
                faultless_payoff=sums[bot].faultless_payoff + int(mine[faultless].sum()),
            )
    return sums

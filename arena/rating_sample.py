"""Turns complete blocks into the numbers that the fits need, one row per session."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from arena.rating_blocks import COMPLETE, STOOD_DOWN, Order
from arena.schedule import Four

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """Rated blocks: one row per session, in the order of their numbers; one column per bot."""

    payoff: "Integers"
    """Right sides of the normal equations."""
    wins: "Integers"
    """Outcomes of the blocks, doubled: 2 for each bot beaten, 1 for each tie."""
    patterns: "Floats"
    """Distinct sets of orders that some session has rated blocks of; few even in long leagues."""
    pattern_of: "Integers"
    equations: "Floats"
    """Left side of the normal equations of one block of each order, flattened."""
    meetings: "Floats"
    """Pairs that one block of each order compares, flattened."""
    scored: "NDArray[np.bool_]"
    """Whether the row's bot ever beat or tied the column's."""

    @property
    def sessions(self) -> int:
        return len(self.payoff)

    @property
    def bots(self) -> int:
        return int(self.payoff.shape[1])


def left_side(places: Four, deals: int, bots: int, *, fixed_partners: bool) -> "Integers":
    """Return one block's part of the left side of the normal equations, with `deals` deals.

    Luck is not in them: over a block every bot holds each seat's cards equally often.
    """
    import numpy as np

    if fixed_partners:
        side = np.zeros(bots, np.int64)
        for place, bot in enumerate(places):
            side[bot] += 1 - 2 * (place % 2)
        return deals * np.outer(side, side)
    held = np.bincount(places, minlength=bots)
    return deals * (4 * np.diag(held) - np.outer(held, held))


def shares(places: Four, bots: int, *, fixed_partners: bool) -> "Integers":
    """Return how a block's payoffs per place enter the right side: places by bots."""
    import numpy as np

    spread = np.zeros((4, bots), np.int64)
    for place, bot in enumerate(places):
        if fixed_partners:
            spread[[0, 2], bot] += 1 - 2 * (place % 2)
        else:
            spread[place, bot] += 3
    return spread


def contests(places: Four, *, fixed_partners: bool) -> list[tuple[int, int]]:
    """Return the pairs of different bots that a block compares; fixed partners never are."""
    pairs = set(combinations(sorted(set(places)), 2))
    if fixed_partners:
        pairs -= {(min(pair), max(pair)) for pair in zip(places[:2], places[2:], strict=True)}
    return sorted(pairs)


def rated(order: Order) -> "tuple[Integers, Integers, Integers]":
    """Return the rated blocks of an order: sessions, payoffs per place, marks."""
    import numpy as np

    marks = np.frombuffer(bytes(order.marks), np.uint8).astype(np.int64)
    keep = (marks & (COMPLETE | STOOD_DOWN)) == COMPLETE
    sessions = np.fromiter(order.rows, np.int64, len(order.rows))
    sums = np.frombuffer(order.sums.tobytes(), np.int64).reshape(-1, 4)
    return sessions[keep], sums[keep], marks[keep]


def gather(orders: Sequence[Order], bots: int, *, fixed_partners: bool) -> Sample:
    """Collect the rated blocks of all orders."""
    import numpy as np

    kept = [rated(order) for order in orders]
    sessions = np.unique(np.concatenate([numbers for numbers, _, _ in kept]))
    payoff = np.zeros((len(sessions), bots), np.int64)
    wins = np.zeros_like(payoff)
    present = np.zeros((len(sessions), len(orders)), np.uint8)
    meetings = np.zeros((len(orders), bots, bots))
    scored = np.zeros((bots, bots), np.bool_)
    for column, (order, (numbers, sums, _)) in enumerate(zip(orders, kept, strict=True)):
        rows = np.searchsorted(sessions, numbers)
        present[rows, column] = 1
        payoff[rows] += sums @ shares(order.places, bots, fixed_partners=fixed_partners)
        for first, second in contests(order.places, fixed_partners=fixed_partners):
            outcome = _outcomes(order.places, sums, first, second)
            wins[rows, first] += 1 + outcome
            wins[rows, second] += 1 - outcome
            scored[first, second] |= bool((outcome >= 0).any())
            scored[second, first] |= bool((outcome <= 0).any())
            meetings[column, [first, second], [second, first]] = 1
    patterns, pattern_of = _distinct(present)
    left = [
        left_side(order.places, order.deals, bots, fixed_partners=fixed_partners).ravel()
        for order in orders
    ]
    return Sample(
        payoff=payoff,
        wins=wins,
        patterns=patterns,
        pattern_of=pattern_of,
        equations=np.array(left, np.float64),
        meetings=meetings.reshape(len(orders), -1),
        scored=scored,
    )


def _distinct(present: "NDArray[np.uint8]") -> "tuple[Floats, Integers]":
    """Return the different rows, and for each row the number of its like."""
    import numpy as np

    number_of: dict[bytes, int] = {}
    packed = np.packbits(present, axis=1)
    numbers = [number_of.setdefault(row.tobytes(), len(number_of)) for row in packed]
    pattern_of = np.array(numbers, np.int64)
    _, first = np.unique(pattern_of, return_index=True)
    return present[first].astype(np.float64), pattern_of


def _outcomes(places: Four, sums: "Integers", first: int, second: int) -> "Integers":
    """Return 1, 0 or -1 per block: whose mean per seat was higher."""
    import numpy as np

    seats = np.array(places)
    mine, theirs = seats == first, seats == second
    signs: Integers = np.sign(sums @ (mine * theirs.sum() - theirs * mine.sum()))
    return signs

"""Folds deal lines, in any order, into blocks: one session in all seatings of its arrangement."""

from array import array
from collections import Counter

import msgspec

from arena.errors import EvidenceError
from arena.records import DealLine, Header, Key
from arena.schedule import Four, arrangements, expected_seats, seatings

FAULTY, STOOD_DOWN, COMPLETE = 1, 2, 4
"""Marks of a block: the house answered for a bot once, or all along; every deal is there."""


class Conduct(msgspec.Struct):
    """What one bot did, counted over all deals of the journal, once per seat it held."""

    deals: int = 0
    stood_down: int = 0
    faults: Counter[str] = msgspec.field(default_factory=Counter)


class Order:
    """The blocks of one lineup in one arrangement. Row i of every column is one session."""

    def __init__(self, lineup: int, places: Four, session_deals: int) -> None:
        self.lineup = lineup
        self.places = places
        """The arrangement: seating r puts place p on seat p + r."""
        self.deals = len(seatings(places)) * session_deals
        """Deals of one block."""
        self.rows: dict[int, int] = {}
        """Row of each session."""
        self.seen: list[int] = []
        """Deals that have arrived, one bit each."""
        self.sums = array("q")
        """Payoff of each place, four to a row."""
        self.marks = bytearray()
        self._free: list[int] = []
        """Rows of sessions that were forgotten."""

    def row(self, session: int) -> int:
        """Return a session's row, making one if it is new."""
        row = self.rows.get(session)
        if row is None:
            row = self.rows[session] = self._free.pop() if self._free else self._append()
        return row

    def _append(self) -> int:
        self.seen.append(0)
        self.sums.extend((0, 0, 0, 0))
        self.marks.append(0)
        return len(self.seen) - 1

    def forget_if_complete(self, session: int) -> None:
        """Make room where nothing more can come of a session's block.

        For folds that meet each key only once and keep what they need themselves.
        """
        row = self.rows[session]
        if self.marks[row] & COMPLETE:
            del self.rows[session]
            self._free.append(row)
            self.seen[row] = self.marks[row] = 0
            self.sums[4 * row : 4 * row + 4] = array("q", (0, 0, 0, 0))

    def block(self, row: int) -> Four:
        """Return the payoff of each place over the block."""
        first, second, third, fourth = self.sums[4 * row : 4 * row + 4]
        return first, second, third, fourth

    def count(self, bearing: int, lacking: int = 0) -> int:
        """Return how many blocks bear all marks of one set and none of another."""
        return sum(
            self.marks.count(marks)
            for marks in range(8)
            if marks & bearing == bearing and not marks & lacking
        )

    @property
    def rated(self) -> int:
        """Number of blocks that are rated."""
        return self.count(COMPLETE, STOOD_DOWN)


def _is_absent(line: DealLine) -> bool:
    """Return whether a bot took no part in a deal at all.

    Who was asked before it was stood down could have seen how the deal goes: leaving that out
    would let a bot choose its deals.
    """
    return any(line.asked[seat] == 0 for seat in line.stood_down)


class Blocks:
    """Everything of a journal that ratings hang on, in integers."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.orders: dict[tuple[int, int], Order] = {}
        """By lineup and arrangement."""
        self.conduct = [Conduct() for _ in header.bots]
        self.deals = 0
        self.passed_out = 0

    def add(self, line: DealLine) -> tuple[Order, int] | None:
        """Fold one line; return the block that it completed, if that block is to be rated.

        A key that came before is ignored. Raises EvidenceError for a line that the
        header's schedule doesn't hold.
        """
        key, schedule = line.key, self.header.schedule
        if expected_seats(schedule, key) != line.seats:
            raise EvidenceError(
                f"deal line {tuple(msgspec.to_builtins(key))} with bots {line.seats} is not in "
                f"the schedule of league {self.header.league!r}; check the journal with "
                "`arena log verify`"
            )
        order = self._order(key.lineup, key.arrangement)
        row = order.row(key.session)
        bit = 1 << (key.seating * schedule.session_deals + key.deal % schedule.session_deals)
        if order.seen[row] & bit:
            return None
        order.seen[row] |= bit
        for seat, payoff in enumerate(line.payoff):
            order.sums[4 * row + (seat - key.seating) % 4] += payoff
        self._count(line)
        order.marks[row] |= FAULTY * bool(line.faults) | STOOD_DOWN * _is_absent(line)
        if order.seen[row].bit_count() < order.deals:
            return None
        order.marks[row] |= COMPLETE
        return None if order.marks[row] & STOOD_DOWN else (order, row)

    def forget_if_complete(self, key: Key) -> None:
        """Make room where nothing more can come of this key's block: see `Order`."""
        self._order(key.lineup, key.arrangement).forget_if_complete(key.session)

    def _order(self, lineup: int, arrangement: int) -> Order:
        order = self.orders.get((lineup, arrangement))
        if order is None:
            schedule = self.header.schedule
            places = arrangements(schedule.lineups[lineup])[arrangement]
            order = self.orders[lineup, arrangement] = Order(lineup, places, schedule.session_deals)
        return order

    def _count(self, line: DealLine) -> None:
        self.deals += 1
        self.passed_out += line.result.game is None
        for bot in line.seats:
            self.conduct[bot].deals += 1
        for seat in line.stood_down:
            self.conduct[line.seats[seat]].stood_down += 1
        for fault in line.faults:
            self.conduct[line.seats[fault.seat]].faults[fault.fault] += 1

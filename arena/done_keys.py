"""The keys of finished deals, in about a bit each."""

from arena.records import Key
from arena.schedule import Shard


class DoneKeys:
    """A growing set of keys; the session isn't looked at, as it follows from the deal."""

    def __init__(self) -> None:
        self.count = 0
        """Keys in the set."""
        self._deals = 0
        self._bits: dict[tuple[int, int, int], bytearray] = {}

    def bound(self, deals: int) -> None:
        """Say how many deal numbers there are; they start at 0."""
        self._deals = deals

    def in_bounds(self, key: Key) -> bool:
        """Whether the key has a deal number that may be added."""
        return 0 <= key.deal < self._deals

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, Key) or key.deal < 0:
            return False
        bits = self._bits.get((key.lineup, key.arrangement, key.seating), b"")
        byte = key.deal >> 3
        return byte < len(bits) and bool(bits[byte] >> (key.deal & 7) & 1)

    def missing(self, shard: Shard) -> tuple[int, ...]:
        """Return the numbers of a shard's deals that are still to be played.

        A session of which one deal is missing is replayed whole.
        """
        everything = (1 << shard.deals) - 1
        there = self._there(shard) & everything
        if there == everything:
            return ()
        deals = range(shard.first_deal, shard.first_deal + shard.deals)
        if there == 0:
            return tuple(deals)
        span = shard.session_deals
        digits = f"{there:0{shard.deals}b}"[::-1]
        return tuple(
            deal
            for offset in range(0, shard.deals, span)
            if "0" in digits[offset : offset + span]
            for deal in deals[offset : offset + span]
        )

    def _there(self, shard: Shard) -> int:
        """Return a bit for each deal of a shard that is in the set, and some behind them."""
        bits = self._bits.get((shard.lineup, shard.arrangement, shard.seating), b"")
        first, end = shard.first_deal >> 3, (shard.first_deal + shard.deals + 7) >> 3
        return int.from_bytes(bits[first:end], "little") >> (shard.first_deal & 7)

    def __len__(self) -> int:
        return self.count

    def add(self, key: Key) -> None:
        """Add a key; one that is there already changes nothing."""
        assert self.in_bounds(key), f"{key} is not of this schedule"
        if key in self:
            return
        bits = self._bits.setdefault((key.lineup, key.arrangement, key.seating), bytearray())
        byte = key.deal >> 3
        if byte >= len(bits):
            # Half as much again, so that growing costs little over a whole league.
            size = min(byte + 1 + len(bits) // 2, (self._deals >> 3) + 1)
            bits.extend(bytes(size - len(bits)))
        bits[byte] |= 1 << (key.deal & 7)
        self.count += 1

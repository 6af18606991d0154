"""The keys of finished deals, in about a bit each."""

from arena.records import Key


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

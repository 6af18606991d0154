"""How long a league bears with bots that are stood down in one shard after another.

Each such shard may cost minutes of waiting, so in the end nobody waits any more.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable


class Patience:
    """Counts for one run; the next run begins anew, since the cause may be mended by then."""

    def __init__(self, shards: int) -> None:
        """After so many shards in a row it ends."""
        self._shards = shards
        self._failed: defaultdict[str, set[str]] = defaultdict(set)
        """Bots that failed in shards that still run."""
        self._in_a_row: Counter[str] = Counter()

    def failed(self, shard: str, bot: str) -> None:
        """Note that a bot was stood down."""
        self._failed[shard].add(bot)

    def ended(self, shard: str, bots: Iterable[str]) -> list[str]:
        """Note that a shard of these bots was played; return those that are now suspended."""
        failed = self._failed.pop(shard, set())
        suspended = []
        for bot in dict.fromkeys(bots):
            if self.is_over(bot):
                continue
            self._in_a_row[bot] = self._in_a_row[bot] + 1 if bot in failed else 0
            if self.is_over(bot):
                suspended.append(bot)
        return suspended

    def lost(self, shard: str) -> None:
        """Forget what failed in a shard that was lost, and will be played anew."""
        self._failed.pop(shard, None)

    def is_over(self, bot: str) -> bool:
        """Whether a bot isn't started any more."""
        return self._in_a_row[bot] >= self._shards

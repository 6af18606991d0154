"""What befalls a shard's bots, for the log; of a flood the first, and then how often."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from arena.frames import Noticed
from arena.logs import worth_a_line

_DETAIL: Final = 500
"""Characters that are kept of a detail."""


class Notices:
    """Passes on what a shard's seats notice; `heard` takes what is worth a line."""

    def __init__(self, bots: tuple[str, ...], heard: Callable[[Noticed], None]) -> None:
        self._bots = bots
        self._heard = heard
        self._counts: Counter[tuple[int, str]] = Counter()

    def __call__(
        self,
        seat: int,
        what: str,
        detail: str,
        strikes: int,
        deals: Sequence[int],
    ) -> None:
        """Take something that befell a seat's bot.

        `deals` are those whose open question the house decides because of it.
        """
        kind = (seat, what)
        self._counts[kind] += 1
        count = self._counts[kind]
        if worth_a_line(count):
            first = deals[0] if deals else None
            self._heard(
                Noticed(
                    what,
                    seat,
                    self._bots[seat],
                    detail[:_DETAIL],
                    strikes,
                    first,
                    len(deals),
                    count,
                )
            )

"""What became of an ask: actions, or whose fault it was; and who hears of faults."""

from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

NO_STREAM: Final = "no stream"
"""Detail of the blame where a question could not even be sent."""
BANK_USED_UP: Final = "this deal's time bank is used up"
"""Detail of the blame where a seat isn't asked any more because it has no time left."""
TOO_MANY_ANSWERS: Final = "too many answers to no question"
"""Detail of the blame where the strikes were for other answers; the bot was told of those."""

FaultKind = Literal["late", "illegal", "garbled", "gone"]


class Blame(msgspec.Struct, frozen=True):
    """Why an answer could not be used."""

    kind: FaultKind
    detail: str


class Reply(msgspec.Struct, frozen=True):
    """What became of an ask: either actions, one per decision, or a blame for all."""

    actions: bytes
    think_us: list[int]
    """Think time of each decision: a batch's time is shared by its decisions."""
    sent: int
    """When the question went out, in nanoseconds of the seat's clock."""
    received: int | None = None
    """When the answer was read; None where none was waited for any longer."""
    blame: Blame | None = None
    cpu_us: int = 0
    """CPU time of each decision, where it is limited."""

    def with_cpu_time(self, used_ns: int, cpu_ms: int) -> "Reply":
        """Return the reply with the CPU time that it took; more than this per decision is late."""
        decisions = len(self.think_us)
        blame, actions = self.blame, self.actions
        allowed_ms = cpu_ms * decisions
        if blame is None and used_ns > allowed_ms * 1_000_000:
            used_ms = used_ns / 1_000_000
            blame = Blame("late", f"used {used_ms:.1f} ms of CPU time, {allowed_ms} ms are allowed")
            actions = b""
        cpu_us = max(0, used_ns) // (1000 * decisions)
        return Reply(actions, self.think_us, self.sent, self.received, blame, cpu_us)


Notice = Callable[[int, str, str, int, Sequence[int]], None]
"""Hears what befalls a seat: its number, what, a detail, its strikes, the deals that it spoils."""


def unheard(seat: int, what: str, detail: str, strikes: int, deals: Sequence[int]) -> None:
    """Where nobody keeps a log."""


async def untold() -> None:
    """Where nobody knows how a bot ended."""

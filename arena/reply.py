"""What became of an ask: actions, or whose fault it was; and who hears of faults."""

from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

NO_STREAM: Final = "no stream"
"""Detail of the blame where a question could not even be sent."""
BANK_USED_UP: Final = "this deal's time bank is used up"
"""Detail of the blame where a seat isn't asked any more because it has no time left."""

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


Notice = Callable[[int, str, str, int, Sequence[int]], None]
"""Hears what befalls a seat: its number, what, a detail, its strikes, the deals that it spoils."""


def unheard(seat: int, what: str, detail: str, strikes: int, deals: Sequence[int]) -> None:
    """Where nobody keeps a log."""

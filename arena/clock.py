"""How long a bot may think: budgets, time banks, and what is charged. Reads no clock itself."""

from collections.abc import Sequence

import msgspec

from arena.records import Limits, Times

_MICROSECONDS = 1000
"""In a millisecond."""
_NANOSECONDS = 1_000_000
"""In a millisecond."""


class Bank:
    """What is left of each seat's time for one deal, where the league has time banks."""

    __slots__ = ("_increment_us", "_left_us", "charged_us", "told")

    def __init__(self, bank_ms: int, increment_ms: int) -> None:
        self._left_us = [bank_ms * _MICROSECONDS] * 4
        self._increment_us = increment_ms * _MICROSECONDS
        self.told: set[int] = set()
        """Seats that were told that their time is used up."""
        self.charged_us: list[int] | None = None
        """The time of each judged decision in order; None where that isn't recorded."""

    def left_ms(self, seat: int) -> int:
        """Return the whole milliseconds that a seat has left."""
        return self._left_us[seat] // _MICROSECONDS

    def charge(self, seat: int, think_us: int) -> None:
        """Take a judged decision's time, and only then add the increment."""
        left = max(0, self._left_us[seat] - think_us)
        self._left_us[seat] = left + self._increment_us
        if self.charged_us is not None:
            self.charged_us.append(think_us)


def bank_of(limits: Limits) -> Bank | None:
    """Return a new deal's time banks, or None where the league has none."""
    return None if limits.bank_ms is None else Bank(limits.bank_ms, limits.increment_ms)


class Budget(msgspec.Struct, frozen=True):
    """The time of one ask."""

    ms: int
    shares_ms: tuple[int, ...]
    """What each decision brought in; they sum to the whole."""
    margin_ms: int

    def is_late(self, elapsed_ns: int) -> bool:
        """Whether an answer that took so long comes too late; the very limit is in time."""
        return elapsed_ns > (self.ms + self.margin_ms) * _NANOSECONDS

    @property
    def allowed_ns(self) -> int:
        """From handing an ask over to the last moment for its answer."""
        return (self.ms + self.margin_ms) * _NANOSECONDS

    def charges_us(self, elapsed_ns: int) -> list[int]:
        """Return each decision's part of the time, in proportion to what it brought in."""
        elapsed_us = elapsed_ns // _MICROSECONDS
        if len(set(self.shares_ms)) == 1:
            return [elapsed_us // len(self.shares_ms)] * len(self.shares_ms)
        return [elapsed_us * share // self.ms for share in self.shares_ms]

    def all_of_it_us(self) -> list[int]:
        """Return what is charged where no answer came in time."""
        return [share * _MICROSECONDS for share in self.shares_ms]


def budget(limits: Limits, seat: int, banks: Sequence[Bank | None]) -> Budget:
    """Return the time for one ask: the decision limit each, or what a bank has left below it."""
    most = limits.decision_ms
    if limits.bank_ms is None:
        return Budget(most * len(banks), (most,) * len(banks), limits.margin_ms)
    shares = tuple([most if bank is None else min(most, bank.left_ms(seat)) for bank in banks])
    return Budget(sum(shares), shares, limits.margin_ms)


class Timeline:
    """The four times of each decision of one deal, for leagues that record them."""

    __slots__ = ("_base_ns", "_queued_ns", "_times")

    def __init__(self, base_ns: int) -> None:
        self._base_ns = base_ns
        self._queued_ns = base_ns
        self._times: list[Times | None] = []

    def queued(self, now_ns: int) -> None:
        """Note that a question waits for its seat."""
        self._queued_ns = now_ns

    def judged(self, sent_ns: int, received_ns: int | None, now_ns: int) -> None:
        """Note what became of the question."""
        received = None if received_ns is None else self._us(received_ns)
        self._times.append(
            (self._us(self._queued_ns), self._us(sent_ns), received, self._us(now_ns))
        )

    def not_asked(self) -> None:
        """Note a decision that the house made without asking."""
        self._times.append(None)

    def times(self) -> tuple[Times | None, ...]:
        """Return all of them, in the order of the actions."""
        return tuple(self._times)

    def _us(self, moment_ns: int) -> int:
        return (moment_ns - self._base_ns) // _MICROSECONDS

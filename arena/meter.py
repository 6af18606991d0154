"""What a shard measures where metrics are wanted; costs nothing otherwise."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import psutil

from arena.frames import Measures, SeatMeasures, Usage

if TYPE_CHECKING:
    from arena.fetchers import Fetcher
    from arena.seat import Seat

BOUNDS_S: Final = (
    *(0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05),
    *(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0),
)
"""Upper bounds of the think times that are counted together; one more class is above them."""

_BOUNDS_US: Final = tuple(round(bound * 1e6) for bound in BOUNDS_S)


class ThinkTimes:
    """Counts a seat's decisions by their think time."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        self.total_us = 0

    def add(self, think_us: Sequence[int]) -> None:
        """Count the decisions of one ask."""
        for each_us in think_us:
            self.counts[bisect_left(_BOUNDS_US, each_us)] += 1
        self.total_us += sum(think_us)


class Meter:
    """Measures a shard's seats and processes."""

    def __init__(self, seats: "Sequence[Seat]", fetchers: "Sequence[Fetcher]") -> None:
        self._seats = seats
        self._fetchers = fetchers
        self._thought = [ThinkTimes() for _ in seats]
        for seat, times in zip(seats, self._thought, strict=True):
            seat.thought = times.add

    def measures(self) -> Measures:
        """Return everything as it is now; takes some milliseconds, so call it in a thread."""
        rows = zip(self._seats, self._fetchers, self._thought, strict=True)
        return Measures(
            seats=tuple(
                SeatMeasures(
                    waiting=len(seat.pending),
                    asks=seat.asks,
                    decisions=seat.decisions,
                    launches=fetcher.launches,
                    relaunches=seat.relaunches,
                    thought=tuple(times.counts),
                    thought_s=times.total_us / 1e6,
                    usage=Usage() if fetcher.pid is None else usage_of_tree(fetcher.pid),
                )
                for seat, fetcher, times in rows
            ),
            usage=usage(psutil.Process()),
        )


def usage(process: psutil.Process) -> Usage:
    """Return what one process uses; nothing if it is gone or another's."""
    try:
        with process.oneshot():
            times = process.cpu_times()
            return Usage(process.memory_info().rss, times.user + times.system, process.num_fds())
    except psutil.Error:
        return Usage()


def usage_of_tree(pid: int) -> Usage:
    """Return what a process and all that it has started use together."""
    try:
        process = psutil.Process(pid)
        parts = [usage(each) for each in (process, *process.children(recursive=True))]
    except psutil.Error:
        return Usage()
    return Usage(
        sum(part.resident_bytes for part in parts),
        sum(part.cpu_s for part in parts),
        sum(part.open_files for part in parts),
    )

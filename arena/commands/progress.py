"""How a league's progress is told while it is played."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from arena.commands.durations import duration

if TYPE_CHECKING:
    from arena.status import Snapshot, Status

_LINE_EVERY_S = 30
"""How often progress is told where there is no terminal."""


@contextmanager
def progress(status: "Status", *, quiet: bool) -> Iterator[Callable[["Snapshot"], None]]:
    """Yield what tells of progress: a bar, lines where there is no terminal, or nothing."""
    if quiet:
        yield lambda _snapshot: None
    elif sys.stdout.isatty():
        _tell_news(status)
        with _bar(status) as on_tick:
            yield on_tick
    else:
        _tell_news(status)
        yield _lines(status)
        _tell_news(status)


def _tell_news(status: "Status") -> None:
    with suppress(OSError):  # nobody listens; the league matters more
        for warning in status.news():
            print(f"warning: {warning}", flush=True)


def _lines(status: "Status") -> Callable[["Snapshot"], None]:
    told = [time.monotonic()]

    def on_tick(snapshot: "Snapshot") -> None:
        _tell_news(status)
        if time.monotonic() - told[0] >= _LINE_EVERY_S:
            told[0] = time.monotonic()
            print(f"{snapshot.done} of {snapshot.total} deals, {_facts(snapshot)}", flush=True)

    return on_tick


@contextmanager
def _bar(status: "Status") -> Iterator[Callable[["Snapshot"], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    progress = Progress(
        BarColumn(), MofNCompleteColumn(), TextColumn("deals  {task.description}", markup=False)
    )
    task = progress.add_task("", total=status.total, completed=status.done)

    def on_tick(status: "Snapshot") -> None:
        progress.update(task, completed=status.done, description=_facts(status))

    try:
        with progress:
            yield on_tick
            on_tick(status.snapshot())
    except OSError:  # the terminal is gone
        return


def _facts(status: "Snapshot") -> str:
    left = "" if status.left_s is None else f", {duration(status.left_s)} left"
    hands = sum(status.stood_down.values())
    house = f", {hands} hands played by the house" if hands else ""
    leader = "" if status.leader is None else f", leader {status.leader}"
    faults = sum(status.faults.values())
    return f"{status.deals_per_s:.0f} deals/s{left}, {faults} faults{house}{leader}"

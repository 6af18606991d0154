"""Plays a real league for long and watches what its processes hold: `-m tests.soak --help`.

One shard lasts for half an hour and more, so that a leak in any process would show as a slope;
with --slice-deals shards come and go as usual. Only what lasts half the run is shown. A bot plays
against itself unless others are named: then each deal is a block of its own, and the
coordinator needn't keep it until its other seatings are played, a shard later.

A quarter of the run is taken as warming up and left out of the slopes. What isn't flat is
told as a problem, and the exit code is 1; a short run must also grow by something to speak of.
So is a league that plays slower in the end than in the beginning, unless other work took that
share of the machine; speed is also given per second of processor time, which other work
disturbs less.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from arena.errors import OperatorError
from arena.status import read_status
from tests.league_files import ARENA, league_file

_SAMPLES: Final = 200
_SHORTEST_PAUSE_S: Final = 0.5
_SHARD_DEALS: Final = 1_000_000
"""The most that a shard may have."""
_SHARDS: Final = 1000
_BATCH: Final = 4
"""Decisions in one message: so few that a shard lasts longer than half an hour."""
_WARM_UP: Final = 0.25
_MOST_MEGABYTES_PER_HOUR: Final = 4.0
_LEAST_MEGABYTES: Final = 1.0
"""Less growth than this in all is the noise of a short run."""
_MOST_DESCRIPTORS_PER_HOUR: Final = 1.0
_LEAST_DESCRIPTORS: Final = 0.3
"""By the best line, so that one look at a bad moment is none."""
_LEAST_SPEED: Final = 0.9
"""Of the last tenth, by that of the first."""
_STOPPED: Final = 130


class Sample(NamedTuple):
    """What one process held at one moment."""

    seconds: float
    megabytes: float
    descriptors: int


class Progress(NamedTuple):
    """How far the league was at one moment."""

    seconds: float
    deals: int
    cpu_s: float
    """Processor time of all processes so far, those that have ended included."""
    busy_s: float
    """Processor time that the machine's cores have spent so far on anything at all."""
    idle_s: float


class Watch:
    """Samples of a running league."""

    def __init__(self, coordinator: int, folder: Path) -> None:
        self.samples: dict[str, list[Sample]] = {}
        self.progress: list[Progress] = []
        self._coordinator = coordinator
        self._folder = folder
        self._names: dict[int, str] = {}
        self._begun = time.monotonic()

    def look(self) -> None:
        """Take a sample of everything, once the first deals are there."""
        now = time.monotonic() - self._begun
        try:
            deals = read_status(self._folder).done
        except OperatorError:
            return
        if deals == 0:
            self._begun = time.monotonic()
            return
        cpu_s = 0.0
        for name, process in self._processes():
            try:
                cpu_s += sum(process.cpu_times()[:4])
                megabytes = process.memory_info().rss / 2**20
                sample = Sample(now, megabytes, process.num_fds())
            except psutil.NoSuchProcess:
                continue
            self.samples.setdefault(name, []).append(sample)
        busy_s, idle_s = _machine()
        self.progress.append(Progress(now, deals, cpu_s, busy_s, idle_s))

    def _processes(self) -> Iterator[tuple[str, psutil.Process]]:
        coordinator = psutil.Process(self._coordinator)
        yield "coordinator", coordinator
        for shard in coordinator.children():
            yield self._name("shard", shard), shard
            for process in shard.children(recursive=True):
                # A sandbox is held by processes of its own; the bot is what they came to.
                if not process.children():
                    yield self._name("bot", process), process

    def _name(self, kind: str, process: psutil.Process) -> str:
        """Return a name that a process keeps, and no other ever gets."""
        return self._names.setdefault(process.pid, f"{kind} {process.pid}")

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun if self.progress else 0


def _machine() -> tuple[float, float]:
    """Return what all cores together have been busy and idle."""
    times = psutil.cpu_times()
    busy_s = times.user + times.nice + times.system + times.irq + times.softirq + times.steal
    return busy_s, times.idle + times.iowait


def main() -> None:
    options = _options()
    seconds = 60 * options.minutes
    with tempfile.TemporaryDirectory(prefix="soak-", dir=options.folder) as name:
        file = league_file(
            Path(name),
            bots=options.bots,
            deals=_SHARDS * _SHARD_DEALS,
            slice_deals=options.slice_deals or _SHARD_DEALS,
            limits={"max_batch": _BATCH},
        )
        arena = subprocess.Popen([*ARENA, "run", file, "--workers", "1", "--quiet"])
        try:
            watch = _watch(arena, file.with_suffix(""), seconds)
            arena.send_signal(signal.SIGINT)
            status = arena.wait(timeout=30)
        finally:
            arena.kill()
        faults = read_status(file.with_suffix("")).faults
    problems = list(_tell(watch))
    if faults:
        problems.append(f"faults: {faults}")
    if status != _STOPPED:
        problems.append(f"the league ended with {status}")
    print(f"load average: {os.getloadavg()[2]:.1f} over the last 15 minutes")
    for problem in problems:
        print(f"PROBLEM: {problem}")
    sys.exit(bool(problems))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="how long (30)")
    parser.add_argument("--folder", help="where the league is kept meanwhile; it needs space")
    parser.add_argument("--bots", nargs="+", default=["rule_bot.py"], help="sample bots")
    parser.add_argument("--slice-deals", type=int, help="deals per shard (all)")
    return parser.parse_args()


def _watch(arena: "subprocess.Popen[bytes]", folder: Path, seconds: float) -> Watch:
    watch = Watch(arena.pid, folder)
    pause = max(_SHORTEST_PAUSE_S, seconds / _SAMPLES)
    while watch.seconds < seconds:
        time.sleep(pause)
        if arena.poll() is not None:
            sys.exit(f"the league ended by itself with {arena.returncode} {watch.seconds:.0f} s in")
        watch.look()
    return watch


def _tell(watch: Watch) -> Iterator[str]:
    """Print what was seen; yield what isn't flat."""
    head = ("start", "middle", "end", "per hour")
    print(f"{'':20}{'resident memory, MB':^40}{'descriptors':^40}")
    print(f"{'':20}" + "".join(f"{word:>10}" for word in (*head, *head)))
    lasting = len(watch.progress) // 2
    for name, samples in watch.samples.items():
        if len(samples) < lasting:
            continue
        times = [sample.seconds for sample in samples]
        megabytes = [sample.megabytes for sample in samples]
        descriptors = [sample.descriptors for sample in samples]
        print(f"{name:20}" + _columns(times, megabytes) + _columns(times, descriptors))
        hours = (times[-1] - times[_warm(times)]) / 3600
        slope = 3600 * _slope(times, megabytes)
        if slope > _MOST_MEGABYTES_PER_HOUR and slope * hours > _LEAST_MEGABYTES:
            yield f"{name} grows by {slope:.1f} MB per hour"
        slope = 3600 * _slope(times, descriptors)
        if slope > _MOST_DESCRIPTORS_PER_HOUR and slope * hours > _LEAST_DESCRIPTORS:
            yield f"{name} opens {slope:.1f} more descriptors per hour"
    yield from _speed(watch.progress)


def _speed(progress: Sequence[Progress]) -> Iterator[str]:
    tenth = max(1, len(progress) // 10)
    first, last = progress[: tenth + 1], progress[-tenth - 1 :]
    if _deals(first) == 0 or first[-1].cpu_s == first[0].cpu_s:
        yield "too little was played to compare anything"
        return
    wall = [_deals(part) / (part[-1].seconds - part[0].seconds) for part in (first, last)]
    cpu = [_deals(part) / (part[-1].cpu_s - part[0].cpu_s) for part in (first, last)]
    for unit, (before, after) in (("s", wall), ("s of processor time", cpu)):
        print(
            f"deals per {unit}: {before:.1f} in the first tenth, {after:.1f} in the last, "
            f"{after / before:.3f}"
        )
    others = [_others(part) for part in (first, last)]
    print(f"other work on the machine: {others[0]:.0%} of it at first, {others[1]:.0%} at last")
    left = min(1.0, (1 - others[1]) / max(1 - others[0], 0.01))
    slower = wall[1] / wall[0]
    if max(slower, cpu[1] / cpu[0]) < _LEAST_SPEED:
        yield "the last tenth was slower than the first"
    elif slower < _LEAST_SPEED * left**2:  # who waits for others' turns loses more than a share
        yield "the last tenth waited more than the first, and other work doesn't explain it"


def _others(part: Sequence[Progress]) -> float:
    """Return the share of the machine's time that went to other work."""
    first, last = part[0], part[-1]
    busy_s, idle_s = last.busy_s - first.busy_s, last.idle_s - first.idle_s
    return max(0.0, busy_s - (last.cpu_s - first.cpu_s)) / max(busy_s + idle_s, 0.01)


def _deals(part: Sequence[Progress]) -> int:
    return part[-1].deals - part[0].deals


def _columns(times: Sequence[float], values: Sequence[float]) -> str:
    points = (values[0], values[len(values) // 2], values[-1], 3600 * _slope(times, values))
    return "".join(f"{point:10.1f}" for point in points)


def _warm(times: Sequence[float]) -> int:
    """Return the index of the first sample after the warm-up."""
    return int(len(times) * _WARM_UP)


def _slope(times: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of the best straight line through what follows the warm-up."""
    first = _warm(times)
    late = list(zip(times[first:], values[first:], strict=True))
    mean_time = sum(time for time, _ in late) / len(late)
    mean_value = sum(value for _, value in late) / len(late)
    spread = sum((time - mean_time) ** 2 for time, _ in late)
    if spread == 0:
        return 0
    return sum((time - mean_time) * (value - mean_value) for time, value in late) / spread


if __name__ == "__main__":
    main()

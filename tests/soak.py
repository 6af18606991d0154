"""Plays a real league for long and watches what its processes hold: `-m tests.soak --help`.

One shard lasts through the whole run, so that a leak in any process would show as a slope;
with --slice-deals shards come and go as usual, and only what lasts is shown. A quarter of
the run is taken as warming up and left out of the slopes.
"""

import argparse
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
_DEALS_PER_S: Final = 1000
"""More than any machine plays, so that the shard never ends; the most that a file allows."""
_MOST_DEALS: Final = 1_000_000
_WARM_UP: Final = 0.25
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
        self.progress.append(Progress(now, deals))
        for name, process in self._processes():
            try:
                megabytes = process.memory_info().rss / 2**20
                sample = Sample(now, megabytes, process.num_fds())
            except psutil.NoSuchProcess:
                continue
            self.samples.setdefault(name, []).append(sample)

    def _processes(self) -> Iterator[tuple[str, psutil.Process]]:
        coordinator = psutil.Process(self._coordinator)
        yield "coordinator", coordinator
        for shard in coordinator.children():
            yield self._name("shard", shard), shard
            for bot in shard.children():
                yield self._name("bot", bot), bot

    def _name(self, kind: str, process: psutil.Process) -> str:
        """Return a name that a process keeps, and no other ever gets."""
        return self._names.setdefault(process.pid, f"{kind} {process.pid}")

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun if self.progress else 0


def main() -> None:
    options = _options()
    seconds = 60 * options.minutes
    with tempfile.TemporaryDirectory(prefix="soak-", dir=options.folder) as name:
        deals = min(_MOST_DEALS, round(seconds * _DEALS_PER_S) + _DEALS_PER_S)
        file = league_file(
            Path(name), bots=options.bots, deals=deals, slice_deals=options.slice_deals or deals
        )
        arena = subprocess.Popen([*ARENA, "run", file, "--workers", "1", "--quiet"])
        try:
            watch = _watch(arena, file.with_suffix(""), seconds)
            arena.send_signal(signal.SIGINT)
            status = arena.wait(timeout=30)
        finally:
            arena.kill()
        faults = read_status(file.with_suffix("")).faults
    _tell(watch, faults)
    sys.exit(status != _STOPPED)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20, help="how long (20)")
    parser.add_argument("--folder", help="where the league is kept meanwhile; it needs space")
    parser.add_argument(
        "--bots", nargs="+", default=["rule_bot.py", "random_bot.py"], help="sample bots"
    )
    parser.add_argument("--slice-deals", type=int, help="deals per shard (all)")
    return parser.parse_args()


def _watch(arena: "subprocess.Popen[bytes]", folder: Path, seconds: float) -> Watch:
    watch = Watch(arena.pid, folder)
    pause = max(_SHORTEST_PAUSE_S, seconds / _SAMPLES)
    while watch.seconds < seconds:
        time.sleep(pause)
        if arena.poll() is not None:
            sys.exit(f"the league ended by itself with {arena.returncode}")
        watch.look()
    return watch


def _tell(watch: Watch, faults: dict[str, int]) -> None:
    head = ("start", "middle", "end", "per hour")
    print(f"{'':20}{'resident memory, MB':^40}{'descriptors':^40}")
    print(f"{'':20}" + "".join(f"{word:>10}" for word in (*head, *head)))
    lasting = len(watch.progress) // 2
    for name, samples in watch.samples.items():
        if len(samples) < lasting:
            continue
        times = [sample.seconds for sample in samples]
        print(
            f"{name:20}"
            + _columns(times, [sample.megabytes for sample in samples])
            + _columns(times, [sample.descriptors for sample in samples])
        )
    first, last = _first_and_last_tenth(watch.progress)
    print(f"deals/s: {first:.1f} in the first tenth, {last:.1f} in the last, {last / first:.3f}")
    print(f"faults: {faults}")


def _columns(times: Sequence[float], values: Sequence[float]) -> str:
    points = (values[0], values[len(values) // 2], values[-1], 3600 * _slope(times, values))
    return "".join(f"{point:10.1f}" for point in points)


def _slope(times: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of the best straight line through what follows the warm-up."""
    first = int(len(times) * _WARM_UP)
    late = list(zip(times[first:], values[first:], strict=True))
    mean_time = sum(time for time, _ in late) / len(late)
    mean_value = sum(value for _, value in late) / len(late)
    spread = sum((time - mean_time) ** 2 for time, _ in late)
    if spread == 0:
        return 0
    return sum((time - mean_time) * (value - mean_value) for time, value in late) / spread


def _first_and_last_tenth(progress: Sequence[Progress]) -> tuple[float, float]:
    tenth = max(1, len(progress) // 10)
    return _rate(progress[: tenth + 1]), _rate(progress[-tenth - 1 :])


def _rate(progress: Sequence[Progress]) -> float:
    return (progress[-1].deals - progress[0].deals) / (progress[-1].seconds - progress[0].seconds)


if __name__ == "__main__":
    main()

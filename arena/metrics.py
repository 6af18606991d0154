"""Figures of a running league for Prometheus, told over HTTP to whoever asks."""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import psutil

from arena.errors import OperatorError
from arena.frames import Measures, ShardSpec, Usage
from arena.meter import BOUNDS_S, usage
from arena.records import DealLine, Header
from arena.reply import FaultKind

if TYPE_CHECKING:
    from prometheus_client import Metric

_LOOPBACK: Final = "127.0.0.1"
_MOST_PORT: Final = 65_535
_FAULTS: Final[tuple[str, ...]] = get_args(FaultKind)


class _Bot:
    """What is counted of one bot, over all shards that have ended."""

    def __init__(self) -> None:
        self.decisions = 0
        self.faults: Counter[str] = Counter(dict.fromkeys(_FAULTS, 0))
        """Every kind from the start: a rate needs the series before its first fault."""
        self.asks = 0
        self.asked = 0
        self.launches = 0
        self.relaunches = 0
        self.thought = [0] * (len(BOUNDS_S) + 1)
        self.thought_s = 0.0


class Metrics:
    """Counts what the coordinator hears; another thread collects it."""

    def __init__(self, header: Header, journal: Path) -> None:
        self._names = [bot.name for bot in header.bots]
        self._bots = {name: _Bot() for name in self._names}
        self._journal = journal
        self._lock = threading.Lock()
        """A collection sees whole sessions, never half of one."""
        self._deals = 0
        self._shards = Counter({"done": 0, "lost": 0})
        self._appended = time.monotonic()
        self._running: dict[int, tuple[ShardSpec, Measures]] = {}
        """By worker, what its shard told last."""

    def played(self, lines: Iterable[DealLine]) -> None:
        """Count deals that were just journaled."""
        with self._lock:
            self._appended = time.monotonic()
            for line in lines:
                self._deals += 1
                for seat, bot in enumerate(line.seats):
                    self._bots[self._names[bot]].decisions += line.asked[seat]
                for fault in line.faults:
                    name = self._names[line.seats[fault.seat]]
                    self._bots[name].faults[fault.fault] += 1

    def measured(self, spec: ShardSpec, measures: Measures) -> None:
        """Take what a running shard has measured."""
        with self._lock:
            self._running[spec.worker] = (spec, measures)

    def ended(self, spec: ShardSpec, how: str) -> None:
        """Count a shard that is `done` or `lost`."""
        with self._lock:
            self._shards[how] += 1
            last = self._running.pop(spec.worker, None)
            if last is not None:
                _add(self._bots, *last)

    def collect(self) -> "Iterator[Metric]":
        """Yield everything as Prometheus wants it; called by its own thread."""
        with self._lock:
            found = [*self._of_the_league(), *self._of_bots(), *self._of_processes()]
        yield from found

    def _of_the_league(self) -> "Iterator[Metric]":
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        yield CounterMetricFamily("arena_deals", "Deals journaled by this run.", self._deals)
        shards = CounterMetricFamily("arena_shards", "Shards that have ended.", labels=["how"])
        for how, count in self._shards.items():
            shards.add_metric([how], count)
        yield shards
        size = 0
        with contextlib.suppress(OSError):
            size = self._journal.stat().st_size
        yield GaugeMetricFamily("arena_journal_bytes", "Size of the journal.", size)
        age = time.monotonic() - self._appended
        yield GaugeMetricFamily("arena_append_age_seconds", "Since deals were journaled.", age)

    def _of_bots(self) -> "Iterator[Metric]":
        from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

        totals = {name: _Bot() for name in self._names}
        for name, bot in self._bots.items():
            _join(totals[name], bot)
        for spec, measures in self._running.values():
            _add(totals, spec, measures)
        texts = {
            "decisions": "Decisions of journaled deals.",
            "asks": "Messages that asked for decisions.",
            "asked": "Decisions that were asked for; by asks it is how full these are.",
            "launches": "Processes started; of a remote bot, streams asked for.",
            "relaunches": "Attempts to start a lost bot again.",
        }
        for key, text in texts.items():
            family = CounterMetricFamily(f"arena_bot_{key}", text, labels=["bot"])
            for name, bot in totals.items():
                family.add_metric([name], getattr(bot, key))
            yield family
        faults = CounterMetricFamily(
            "arena_bot_faults", "Decisions that the house made.", labels=["bot", "kind"]
        )
        thought = HistogramMetricFamily(
            "arena_bot_think_seconds", "Think time of a decision.", labels=["bot"]
        )
        for name, bot in totals.items():
            for kind, count in bot.faults.items():
                faults.add_metric([name, kind], count)
            thought.add_metric([name], _cumulative(bot.thought), bot.thought_s)
        yield faults
        yield thought

    def _of_processes(self) -> "Iterator[Metric]":
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        labels = ["process", "worker", "seat", "bot"]
        waiting = GaugeMetricFamily(
            "arena_waiting_deals", "Deals that wait to be put to a seat.", labels=labels
        )
        resident = GaugeMetricFamily("arena_resident_bytes", "Resident memory.", labels=labels)
        files = GaugeMetricFamily("arena_open_files", "Open descriptors.", labels=labels)
        cpu = CounterMetricFamily("arena_cpu_seconds", "Processor time.", labels=labels)
        for process, used in self._used():
            resident.add_metric(process, used.resident_bytes)
            files.add_metric(process, used.open_files)
            cpu.add_metric(process, used.cpu_s)
        for worker, (spec, measures) in sorted(self._running.items()):
            for seat, measured in enumerate(measures.seats):
                process = ["bot", str(worker), str(seat), spec.bots[seat].name]
                waiting.add_metric(process, measured.waiting)
        yield from (waiting, resident, files, cpu)

    def _used(self) -> Iterator[tuple[list[str], Usage]]:
        """Yield what each process uses, with its labels; shards and bots as they told last."""
        yield ["coordinator", "", "", ""], usage(psutil.Process())
        for worker, (spec, measures) in sorted(self._running.items()):
            yield ["shard", str(worker), "", ""], measures.usage
            for seat, measured in enumerate(measures.seats):
                yield ["bot", str(worker), str(seat), spec.bots[seat].name], measured.usage


def _add(bots: dict[str, _Bot], spec: ShardSpec, measures: Measures) -> None:
    """Add what a shard has measured to its bots."""
    for entry, seat in zip(spec.bots, measures.seats, strict=True):
        bot = bots[entry.name]
        bot.asks += seat.asks
        bot.asked += seat.decisions
        bot.launches += seat.launches
        bot.relaunches += seat.relaunches
        bot.thought = [a + b for a, b in zip(bot.thought, seat.thought, strict=True)]
        bot.thought_s += seat.thought_s


def _join(total: _Bot, part: _Bot) -> None:
    total.decisions, total.faults = part.decisions, part.faults
    total.asks, total.asked = part.asks, part.asked
    total.launches, total.relaunches = part.launches, part.relaunches
    total.thought, total.thought_s = list(part.thought), part.thought_s


def _cumulative(counts: list[int]) -> list[tuple[str, float]]:
    bounds = [*map(str, BOUNDS_S), "+Inf"]
    return [(bound, sum(counts[: number + 1])) for number, bound in enumerate(bounds)]


def address(text: str) -> tuple[str, int]:
    """Read [HOST:]PORT; the host is loopback where none is given. Raises OperatorError."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) <= _MOST_PORT:
        raise OperatorError(f"metrics: {text!r} is no [HOST:]PORT, for example 9100")
    return host.strip("[]") or _LOOPBACK, int(port)


@contextlib.contextmanager
def served(metrics: Metrics, text: str) -> Iterator[str]:
    """Answer scrapes at this [HOST:]PORT while the context is open; yields the URL.

    Raises OperatorError, also where the port is taken.
    """
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.registry import Collector

    class League(Collector):
        def collect(self) -> "Iterator[Metric]":
            return metrics.collect()

    host, port = address(text)
    registry = CollectorRegistry()
    registry.register(League())
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise OperatorError(
            f"metrics can't be served at {host}:{port}: {error.strerror}; choose another port"
        ) from None
    try:
        yield f"http://{host}:{port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

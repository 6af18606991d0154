"""The pool of shard processes: how one ends is told, and none outlives the pool."""

import signal
from collections.abc import Callable
from pathlib import Path

import msgspec
import psutil
import pytest
import structlog
import structlog.testing
import trio

from arena.executor import LocalPool, cores, pinned_cores
from arena.frames import Message, SessionDone, ShardDone, ShardSpec
from tests.arena.runs import PATIENCE_S, left_over, until
from tests.arena.test_shard import specification

OnStart = Callable[[int], None]


class Log:
    """What a pool tells its owner."""

    def __init__(self, specs: list[ShardSpec]) -> None:
        self.specs = list(specs)
        self.workers: list[int] = []
        self.messages: list[Message] = []
        self.lost: list[str] = []

    def next_spec(self, worker: int) -> ShardSpec | None:
        self.workers.append(worker)
        return self.specs.pop(0) if self.specs else None

    def heard(self, spec: ShardSpec, message: Message) -> None:
        self.messages.append(message)

    def was_lost(self, spec: ShardSpec, how: str) -> None:
        self.lost.append(how)

    def deals(self) -> list[int]:
        done = [each for each in self.messages if isinstance(each, SessionDone)]
        return sorted(key.deal for each in done for key in each.keys)


async def run(log: Log, folder: Path, workers: int = 1, silence_s: float = 60) -> None:
    with trio.fail_after(PATIENCE_S):
        pool = LocalPool(workers, folder / "shards.log", silence_s=silence_s)
        await pool.run(log.next_spec, log.heard, log.was_lost)


async def all_are_up(folder: Path) -> None:
    """Wait for a shard and its four bots."""
    with trio.fail_after(PATIENCE_S):
        while len(left_over(folder)) < 5:  # noqa: ASYNC110  # other processes' doing
            await trio.sleep(0.02)


def shard_of_this_process() -> int:
    with_name = [child for child in psutil.Process().children() if "arena.shard" in child.cmdline()]
    return with_name[0].pid if with_name else 0


def halves(folder: Path) -> list[ShardSpec]:
    whole = specification(folder, deals=8)
    other = folder / "other"
    other.mkdir()
    return [
        msgspec.structs.replace(whole, deals=(0, 1, 2, 3)),
        msgspec.structs.replace(whole, deals=(4, 5, 6, 7), scratch=str(other)),
    ]


@pytest.mark.parametrize("workers", [1, 2])
async def test_all_shards_are_played(workers: int, tmp_path: Path) -> None:
    log = Log(halves(tmp_path))
    await run(log, tmp_path, workers)
    assert log.deals() == list(range(8))
    assert sum(isinstance(message, ShardDone) for message in log.messages) == 2
    assert not log.lost
    assert set(log.workers) == set(range(workers))
    until(lambda: not psutil.Process().children(recursive=True))


async def test_nothing_to_do(tmp_path: Path) -> None:
    log = Log([])
    await run(log, tmp_path, 3)
    assert sorted(log.workers) == [0, 1, 2]


@pytest.mark.parametrize(
    ("number", "how"), [(signal.SIGKILL, "killed by SIGKILL"), (signal.SIGTERM, "exit status 0")]
)
async def test_a_lost_shard_is_told(number: signal.Signals, how: str, tmp_path: Path) -> None:
    log = Log([specification(tmp_path, "--vice", "mute", deals=50)])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, log, tmp_path)
        await all_are_up(tmp_path)
        psutil.Process(shard_of_this_process()).send_signal(number)
    assert log.lost == [how]
    assert not left_over(tmp_path)
    until(lambda: not psutil.Process().children(recursive=True))


async def test_a_shard_that_stands_still_is_ended(tmp_path: Path) -> None:
    log = Log([specification(tmp_path, "--vice", "mute", deals=50)])
    with structlog.testing.capture_logs() as told:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, log, tmp_path, 1, 20)  # much more than a beat
            await all_are_up(tmp_path)
            psutil.Process(shard_of_this_process()).send_signal(signal.SIGSTOP)
    assert log.lost == ["stood still, and was ended"]
    assert "no sign of life" in {line["event"] for line in told}, "people hear of it before"
    assert not left_over(tmp_path)
    until(lambda: not psutil.Process().children(recursive=True))


async def test_a_shard_that_cannot_even_begin_is_told(tmp_path: Path) -> None:
    spec = specification(tmp_path, rules={"name": "nonsense"})
    log = Log([spec])
    await run(log, tmp_path)
    assert log.lost == ["exit status 1"]
    assert "RuleSetError" in (tmp_path / "shards.log").read_text()


@pytest.mark.parametrize("vice", ["mute", "deaf", "children", "stops"])
async def test_cancelling_leaves_nothing(vice: str, tmp_path: Path) -> None:
    log = Log([specification(tmp_path, "--vice", vice, deals=5000)])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, log, tmp_path)
        await all_are_up(tmp_path)
        await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert not log.lost, "stopping is nobody's fault"
    assert not left_over(tmp_path)
    until(lambda: not psutil.Process().children(recursive=True))


async def test_a_shard_that_is_dead_when_the_stop_comes(tmp_path: Path) -> None:
    log = Log([specification(tmp_path, "--vice", "mute", deals=5000)])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, log, tmp_path)
        await all_are_up(tmp_path)
        shard = psutil.Process(shard_of_this_process())
        shard.kill()
        until(lambda: shard.status() == psutil.STATUS_ZOMBIE)  # holds up the executor, too
        nursery.cancel_scope.cancel()
    assert not left_over(tmp_path)
    until(lambda: not psutil.Process().children(recursive=True))


def test_cores_are_shared_out_where_there_are_enough() -> None:
    available = cores()
    enough = len(available) - 1
    assert list(pinned_cores(enough)) == available[:enough]
    assert list(pinned_cores(len(available))) == [None] * len(available)

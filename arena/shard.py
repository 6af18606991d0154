"""A shard's process: one table, four bots, finished deals up the pipe at once.

Run as `python -m arena.shard PARENT_PID`; the specification comes on standard input,
whose end also means that the coordinator is gone.
"""

import contextlib
import math
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import msgspec
import psutil
import structlog
import trio

from arena import frames, logs
from arena.deal_line import deal_line
from arena.dealer import Dealer
from arena.frames import Alive, BotFailed, Playing, SessionDone, ShardDone, ShardSpec
from arena.launcher import Grounds, Launcher, mind_orphans
from arena.meter import Meter
from arena.notices import Notices
from arena.open_deal import OpenDeal
from arena.process import adopt_orphans, die_with_parent, kill_descendants
from arena.records import DealLine, encode_body
from arena.seat import Seat
from arena.server import open_server
from arena.table import Table
from engine.ruleset import rule_set

_BEAT_S: Final = 5.0


async def play_shard(spec: ShardSpec, output: trio.abc.SendStream) -> None:
    """Play the deals of a shard; every finished one is sent at once.

    All bots are gone when this returns or is cancelled.
    """
    push, lines = trio.open_memory_channel[bytes](math.inf)  # bounded by the shard's deals
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_send_all, lines, output)
        async with push, trio.open_nursery() as beating:
            seats: list[Seat] = []
            meters: list[Meter] = []
            beating.start_soon(_beat, seats, meters, push)
            done = await _play(spec, seats, meters, push)
            push.send_nowait(frames.frame(done))
            beating.cancel_scope.cancel()


async def _beat(
    seats: list[Seat], meters: list[Meter], push: "trio.MemorySendChannel[bytes]"
) -> None:
    """Give signs of life."""
    while True:
        push.send_nowait(frames.frame(await _alive(seats, meters)))
        await trio.sleep(_BEAT_S)


async def _alive(seats: list[Seat], meters: list[Meter]) -> Alive:
    asks = sum(seat.asks for seat in seats)
    if not meters:
        return Alive(asks)
    return Alive(asks, await trio.to_thread.run_sync(meters[0].measures))


async def _send_all(lines: "trio.MemoryReceiveChannel[bytes]", output: trio.abc.SendStream) -> None:
    """Send frames in order; several that wait go as one write."""
    try:
        async for first in lines:
            with trio.CancelScope(shield=True):  # else a stop could cut a frame in two
                await output.send_all(first + _waiting(lines))
    finally:
        with trio.CancelScope(shield=True):
            await output.send_all(_waiting(lines))


def _waiting(lines: "trio.MemoryReceiveChannel[bytes]") -> bytes:
    joined = bytearray()
    with contextlib.suppress(trio.WouldBlock, trio.EndOfChannel):
        while True:
            joined += lines.receive_nowait()
    return bytes(joined)


async def _play(
    spec: ShardSpec,
    seats: list[Seat],
    meters: list[Meter],
    push: "trio.MemorySendChannel[bytes]",
) -> ShardDone:
    """Play everything; `seats` is filled with the table's seats, `meters` with one if wanted."""
    scratch = Path(spec.scratch)
    rules = rule_set(spec.rules)
    socket = scratch / "arena.sock"
    hello_s = spec.limits.startup_ms / 1000
    async with (
        open_server(f"unix:{socket}", hello_s=hello_s) as server,
        trio.open_nursery() as nursery,
    ):
        grounds = Grounds(server, socket, spec.limits, spec.sandbox)
        launchers = [
            Launcher(nursery, grounds, bot, scratch / f"seat{number}", Path(spec.outputs[number]))
            for number, bot in enumerate(spec.bots)
        ]
        seats += _seats(spec, launchers, push)
        meters += [Meter(seats, launchers)] * spec.metered
        nursery.start_soon(mind_orphans, launchers, spec.limits)
        times_from = time.monotonic_ns() if spec.recording.times else None
        dealer = Dealer(spec.shard, rules, spec.secret, spec.limits, times_from)
        reported: set[int] = set()

        def report_failures() -> None:
            for seat in seats:
                if seat.stood_down and seat.number not in reported:
                    reported.add(seat.number)
                    words = (seat.failure, launchers[seat.number].last_words)
                    detail = "; ".join(filter(None, words))
                    failed = BotFailed(spec.bots[seat.number].name, detail)
                    push.send_nowait(frames.frame(failed))

        def finished(open_deal: OpenDeal, stood_down: tuple[int, ...]) -> OpenDeal | None:
            report_failures()
            line = _line(spec, open_deal, stood_down)
            _report_end(open_deal, line, seats)
            following = dealer.following(open_deal, line)
            if following is None:
                push.send_nowait(frames.frame(_session_done(open_deal.session)))
            return following

        try:
            async with trio.open_nursery() as starting:
                for seat in seats:
                    starting.start_soon(seat.start)
            report_failures()
            push.send_nowait(frames.frame(Playing()))
            _pin(spec.cpu)
            openings = dealer.openings(spec.deals)
            done = await _metered(Table(seats, openings, finished, open_deals=spec.open_deals))
            report_failures()
            push.send_nowait(frames.frame(await _alive(seats, meters)))
            for seat in seats:
                seat.close("finished", "all deals are played")
        except trio.Cancelled:
            for seat in seats:
                seat.close("stopped", "the league was stopped")
            raise
        finally:
            await _stop_all(launchers)
            nursery.cancel_scope.cancel()
    return done


def _seats(
    spec: ShardSpec, launchers: list[Launcher], push: "trio.MemorySendChannel[bytes]"
) -> list[Seat]:
    names = tuple(bot.name for bot in spec.bots)
    notices = Notices(names, lambda noticed: push.send_nowait(frames.frame(noticed)))
    rule_set_json = msgspec.json.encode(spec.rules).decode()
    seats = []
    for number, launcher in enumerate(launchers):
        seat = Seat(
            number,
            launcher.start,
            spec.limits,
            rule_set_json,
            cpu_ns=launcher.cpu_ns,
            verdict=launcher.verdict,
        )
        seat.record_sent, seat.notice = spec.recording.sent, notices
        seats.append(seat)
    return seats


async def _metered(table: Table) -> ShardDone:
    """Play everything and say what it took."""
    begun, arena_cpu_s, bots_cpu_s = time.monotonic(), time.process_time(), _bots_cpu_s()
    fill = await table.run()
    return ShardDone(
        fill.asks,
        fill.decisions,
        time.monotonic() - begun,
        time.process_time() - arena_cpu_s,
        _bots_cpu_s() - bots_cpu_s,
    )


def _bots_cpu_s() -> float:
    """Return what all bots have used so far, those that have ended included."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = ended.ru_utime + ended.ru_stime
    for bot in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(bot.cpu_times()[:4])  # user and system, its own and its children's
    return total


async def _stop_all(launchers: list[Launcher]) -> None:
    with trio.CancelScope(shield=True):
        async with trio.open_nursery() as stopping:
            for launcher in launchers:
                stopping.start_soon(launcher.stop)


def _line(spec: ShardSpec, open_deal: OpenDeal, stood_down: tuple[int, ...]) -> DealLine:
    return deal_line(
        open_deal.key,
        spec.shard.seats,
        open_deal.deal,
        bytes(open_deal.actions),
        open_deal.conduct(stood_down),
    )


def _report_end(open_deal: OpenDeal, line: DealLine, seats: list[Seat]) -> None:
    """Tell the bots that want to know how a deal ended."""
    for seat in seats:
        if not seat.stood_down:
            handle, payoff = open_deal.handles[seat.number], line.payoff[seat.number]
            seat.report_end(handle, payoff, bytes(open_deal.deal.plays))


def _session_done(lines: list[DealLine]) -> SessionDone:
    return SessionDone(tuple(line.key for line in lines), tuple(map(encode_body, lines)))


def _pin(cpu: int | None) -> None:
    """Keep this process on one core; bots are given all cores when they are launched."""
    if cpu is not None:
        with contextlib.suppress(OSError):  # a core may have been taken away meanwhile
            for thread in Path("/proc/self/task").iterdir():
                os.sched_setaffinity(int(thread.name), {cpu})


async def _main(spec: ShardSpec, output: int) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    with trio.open_signal_receiver(*numbers) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_on_signal, signals, nursery.cancel_scope)
            nursery.start_soon(_cancel_on_end_of_input, nursery.cancel_scope)
            async with trio.lowlevel.FdStream(output) as stream:
                await play_shard(spec, stream)
            nursery.cancel_scope.cancel()


async def _cancel_on_signal(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    async for _ in signals:
        scope.cancel()


async def _cancel_on_end_of_input(scope: trio.CancelScope) -> None:
    async with trio.lowlevel.FdStream(os.dup(0)) as stream:
        async for _ in stream:
            pass
    scope.cancel()


def _read_spec() -> ShardSpec:
    length = int.from_bytes(_read_exactly(4), "big")
    return frames.decode_spec(_read_exactly(length))


def _read_exactly(size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(0, size - len(data))
        if not chunk:
            sys.exit("arena.shard is started by the arena, not by hand")
        data += chunk
    return bytes(data)


def main() -> None:
    """Run one shard process."""
    if len(sys.argv) != 2:
        sys.exit("arena.shard is started by the arena, not by hand")
    die_with_parent(int(sys.argv[1]))
    adopt_orphans()
    logs.to_stderr()
    output = os.dup(1)
    os.dup2(2, 1)  # a stray print must not end up in the frames
    spec = _read_spec()
    structlog.contextvars.bind_contextvars(league=spec.league, table=spec.shard.id)
    try:
        trio.run(_main, spec, output)
    finally:
        kill_descendants()
        shutil.rmtree(spec.scratch, ignore_errors=True)


if __name__ == "__main__":
    main()

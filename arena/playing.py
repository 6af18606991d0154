"""A shard's deals from the first launch to the last goodbye: one table, four bots."""

import contextlib
import math
import os
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import psutil
import trio

from arena import frames
from arena.deal_line import deal_line
from arena.dealer import Dealer
from arena.errors import single
from arena.fetchers import Fetcher, fetcher, report_reconnects, stop_all
from arena.frames import (
    Alive,
    BotFailed,
    Playing,
    SessionDone,
    ShardDone,
    ShardGaveUp,
    ShardSpec,
)
from arena.launcher import Grounds, mind_orphans
from arena.meter import Meter
from arena.notices import Notices
from arena.open_deal import OpenDeal
from arena.records import DealLine, encode_body
from arena.remote import LobbyGoneError
from arena.reply import Notice
from arena.seat import Seat
from arena.seen import noting
from arena.server import open_server
from arena.table import Table
from engine.ruleset import rule_set

_BEAT_S: Final = 5.0
_LAST_SAID: Final = 400
"""Characters; of a long complaint the end says most."""


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
            try:
                end: ShardDone | ShardGaveUp = await _play(spec, seats, meters, push)
            except* LobbyGoneError as errors:
                end = ShardGaveUp(str(single(errors)))
            push.send_nowait(frames.frame(end))
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
        launchers = [fetcher(nursery, grounds, spec, number) for number in range(4)]
        seats += _seats(spec, launchers, push)
        meters += _meters(spec, seats, launchers)
        nursery.start_soon(mind_orphans, launchers, spec.limits)
        times_from = time.monotonic_ns() if spec.recording.times else None
        dealer = Dealer(spec.shard, rules, spec.secret, spec.limits, times_from)
        reported = {seat.number for seat in seats if seat.stood_down}

        def report_failures() -> None:
            for seat in seats:
                if seat.stood_down and seat.number not in reported:
                    reported.add(seat.number)
                    words = (seat.failure, launchers[seat.number].last_words)
                    detail = "; ".join(filter(None, words))
                    failed = BotFailed(spec.bots[seat.number].name, detail, seat.asks > 0)
                    push.send_nowait(frames.frame(failed))

        def launched() -> None:
            report_failures()
            push.send_nowait(frames.frame(Playing()))
            _pin(spec.cpu)

        def finished(open_deal: OpenDeal, stood_down: tuple[int, ...]) -> OpenDeal | None:
            report_failures()
            line = _report_end(open_deal, _line(spec, open_deal, stood_down), seats)
            following = dealer.following(open_deal, line)
            if following is None:
                push.send_nowait(frames.frame(_session_done(open_deal.session)))
            return following

        def remote_bot_looks_on() -> bool:
            return any(spec.bots[seat.number].remote and not seat.stood_down for seat in seats)

        try:
            await _bring_all_up(spec, seats, launched)
            report_failures()
            openings = noting(spec.seen, dealer.openings(spec.deals), remote_bot_looks_on)
            done = await _metered(Table(seats, openings, finished, open_deals=spec.open_deals))
            report_failures()
            push.send_nowait(frames.frame(await _alive(seats, meters)))
            report_reconnects(launchers, lambda news: push.send_nowait(frames.frame(news)))
            for seat in seats:
                seat.close("finished", "all deals are played")
        finally:
            for seat in seats:  # whose stream is still open
                seat.close("stopped", "the league was stopped")
            await stop_all(launchers)
            nursery.cancel_scope.cancel()
    return done


async def _bring_all_up(spec: ShardSpec, seats: list[Seat], launched: Callable[[], None]) -> None:
    """Bring bots up; `launched` is called when only those are missing that dial in."""
    remote = [seat for seat in seats if spec.bots[seat.number].remote]
    async with trio.open_nursery() as waiting:
        waiting.start_soon(_bring_up, remote)
        await _bring_up([seat for seat in seats if seat not in remote])
        launched()


async def _bring_up(seats: list[Seat]) -> None:
    async with trio.open_nursery() as starting:
        for seat in seats:
            if not seat.stood_down:
                starting.start_soon(seat.start)


def _seats(
    spec: ShardSpec, launchers: list[Fetcher], push: "trio.MemorySendChannel[bytes]"
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
        seat.record_sent, seat.notice = spec.recording.sent, _with_last_lines(notices, launcher)
        seat.stood_down = spec.suspended[number]
        if spec.bots[number].remote:
            seat.start_attempts = 1  # the next would only be to wait longer
        seats.append(seat)
    return seats


def _with_last_lines(notices: Notices, bot: Fetcher) -> Notice:
    """Let the log say of a lost bot what it printed last, which its next launch would hide."""

    def notice(seat: int, what: str, detail: str, strikes: int, deals: Sequence[int]) -> None:
        said = bot.last_lines if what == "gone" else ""
        told = f"{detail}; {said[-_LAST_SAID:]}" if said else detail
        notices(seat, what, told, strikes, deals)

    return notice


def _meters(spec: ShardSpec, seats: list[Seat], launchers: list[Fetcher]) -> list[Meter]:
    """Return a meter where one is wanted; making it is what makes seats measure."""
    return [Meter(seats, launchers)] if spec.metered else []


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


def _line(spec: ShardSpec, open_deal: OpenDeal, stood_down: tuple[int, ...]) -> DealLine:
    return deal_line(
        open_deal.key,
        spec.shard.seats,
        open_deal.deal,
        bytes(open_deal.actions),
        open_deal.conduct(stood_down),
    )


def _report_end(open_deal: OpenDeal, line: DealLine, seats: list[Seat]) -> DealLine:
    """Tell the bots that want to know how a deal ended; return the line that knows they were."""
    for seat in seats:
        if not seat.stood_down:
            seat.report_end(open_deal, line.payoff[seat.number])
    if open_deal.sent is None:
        return line
    return msgspec.structs.replace(line, sent=open_deal.digests)


def _session_done(lines: list[DealLine]) -> SessionDone:
    return SessionDone(tuple(line.key for line in lines), tuple(map(encode_body, lines)))


def _pin(cpu: int | None) -> None:
    """Keep this process on one core; bots are given all cores when they are launched."""
    if cpu is not None:
        with contextlib.suppress(OSError):  # a core may have been taken away meanwhile
            for thread in Path("/proc/self/task").iterdir():
                os.sched_setaffinity(int(thread.name), {cpu})

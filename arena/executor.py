"""Runs shards in child processes, several at once; a lost one is told, not hidden."""

import contextlib
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import structlog
import trio

from arena import frames
from arena.exits import exit_text
from arena.frames import Alive, Message, Playing, ShardDone, ShardGaveUp, ShardSpec
from arena.framing import FrameError
from arena.logs import bound
from arena.process import adopt_orphans, kill_all_but
from arena.seat import MOST_BATCH_MS

_SILENCE_S: Final = 60.0
"""A shard that gives no sign of life for so long is stuck."""
_WORRYING: Final = 1 / 3
"""After this part of that time people are told."""
_LAST_LOOK_S: Final = 0.5
_STOP_S: Final = 1.9
"""Time for a shard to stop its bots and send its last deals; people wait for its end, too."""
_EXIT_S: Final = 10.0
"""Time from the end of its pipe to its own end; then it is killed."""
_STOPPED_EXIT_S: Final = 0.5
"""The same where somebody waits for the arena to stop."""

NextSpec = Callable[[int], ShardSpec | None]
"""Returns the next shard to play in a worker of this number, or None when none is left."""
OnMessage = Callable[[ShardSpec, Message], None]
OnLost = Callable[[ShardSpec, str], None]


class LocalPool:
    """A pool of worker slots on this machine, each with one shard process at a time.

    Must be used from the main thread, whose end would end the shards.
    """

    def __init__(self, workers: int, log_file: Path, *, silence_s: float = _SILENCE_S) -> None:
        self.workers = workers
        self._log_file = log_file
        self._silence_s = silence_s
        self._running: set[int] = set()
        # One core is left to those who play; it made no league slower.
        self._starting = trio.CapacityLimiter(max(1, len(cores()) - 1))
        self._log = structlog.get_logger().bind(part="executor")

    async def run(self, next_spec: NextSpec, on_message: OnMessage, on_lost: OnLost) -> None:
        """Play shards until `next_spec` has none; no process is left afterwards.

        On cancellation the deals that are already on their way still arrive.
        """
        adopt_orphans()

        async def work(worker: int) -> None:
            while (spec := next_spec(worker)) is not None:
                await self._play(spec, on_message, on_lost)

        async with trio.open_nursery() as nursery:
            for worker in range(self.workers):
                nursery.start_soon(work, worker)

    async def _play(self, spec: ShardSpec, on_message: OnMessage, on_lost: OnLost) -> None:
        start = _Start(self._starting)
        await start.wait()
        done = False
        with contextlib.closing(start):
            process = self._launch()
            pulse = _Pulse(spec, self._silence_s)

            def heard(message: Message) -> None:
                nonlocal done
                pulse.feel(message)
                done = done or isinstance(message, ShardDone | ShardGaveUp)
                if isinstance(message, Playing):
                    start.close()
                else:
                    on_message(spec, message)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(pulse.watch, nursery.cancel_scope)
                await self._attend(process, spec, heard)
                nursery.cancel_scope.cancel()
        if not done:
            how = "stood still, and was ended" if pulse.stopped else exit_text(process.returncode)
            on_lost(spec, how)

    async def _attend(
        self,
        process: "subprocess.Popen[bytes]",
        spec: ShardSpec,
        heard: Callable[[Message], None],
    ) -> None:
        """Hear a shard to its end; it and all that it left are gone afterwards."""
        try:
            exit_s = _STOPPED_EXIT_S
            await self._converse(process, spec, heard)
            exit_s = _EXIT_S
        finally:
            with trio.CancelScope(shield=True):
                try:
                    await self._end(process, exit_s)
                finally:
                    self._running.discard(process.pid)
                    await kill_all_but(self._running)

    def _launch(self) -> "subprocess.Popen[bytes]":
        bound(self._log_file)
        with self._log_file.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "arena.shard", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the coordinator to pass on
            )
        self._running.add(process.pid)
        return process

    async def _converse(
        self,
        process: "subprocess.Popen[bytes]",
        spec: ShardSpec,
        heard: Callable[[Message], None],
    ) -> None:
        """Send the specification and hear everything until the pipe ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        async with (
            trio.lowlevel.FdStream(os.dup(process.stdin.fileno())) as down,
            trio.lowlevel.FdStream(os.dup(process.stdout.fileno())) as up,
        ):
            process.stdin.close()
            process.stdout.close()
            with contextlib.suppress(trio.BrokenResourceError):  # it died; its end tells
                await down.send_all(frames.frame(spec))
            messages = frames.Messages(up)
            try:
                await self._hear(messages, spec, heard)
            except trio.Cancelled:
                process.send_signal(signal.SIGTERM)
                with trio.CancelScope(shield=True), trio.move_on_after(_STOP_S):
                    await self._hear(messages, spec, heard)
                raise

    async def _hear(
        self, messages: frames.Messages, spec: ShardSpec, heard: Callable[[Message], None]
    ) -> None:
        try:
            async for message in messages:
                heard(message)
        except FrameError as error:
            self._log.warning("broken pipe", table=spec.shard.id, reason=str(error))

    async def _end(self, process: "subprocess.Popen[bytes]", exit_s: float) -> None:
        """See the process end; its pipe has ended, or its time to send is over."""
        if process.poll() is not None:  # then its number may be anybody's
            return
        descriptor = os.pidfd_open(process.pid)
        try:
            with trio.move_on_after(exit_s):
                await trio.lowlevel.wait_readable(descriptor)
            process.kill()
            await trio.lowlevel.wait_readable(descriptor)
            process.wait()
        finally:
            os.close(descriptor)


class _Start:
    """A place among the shards that may start their bots at the same time.

    Starting takes all the CPU that it gets; many starts at once would make those late who play.
    """

    def __init__(self, places: trio.CapacityLimiter) -> None:
        self._places = places
        self._holds = False

    async def wait(self) -> None:
        """Wait for a place; others give theirs up when their bots are up, or with `close`."""
        await self._places.acquire_on_behalf_of(self)
        self._holds = True

    def close(self) -> None:
        """Give the place up, once."""
        if self._holds:
            self._holds = False
            self._places.release_on_behalf_of(self)


class _Pulse:
    """Puts off the end of the patience with a shard as long as it gets on."""

    def __init__(self, spec: ShardSpec, silence_s: float) -> None:
        self.stopped = False
        """Whether the patience came to its end."""
        self._silence_s = silence_s
        # Longer than anything that bots may make a table wait for.
        limits = spec.limits
        waits_ms = 4 * limits.startup_ms + limits.reconnect_ms + MOST_BATCH_MS
        self._stall_s = silence_s + waits_ms / 1000
        self._log = structlog.get_logger().bind(part="executor", table=spec.shard.id)
        self._asks = -1
        self._progress = trio.current_time()
        self._postpone()

    def feel(self, message: Message) -> None:
        """Take a message for a sign of life, and maybe of progress."""
        if not isinstance(message, Alive) or message.asks > self._asks:
            self._progress = trio.current_time()
        if isinstance(message, Alive):
            self._asks = message.asks
        self._postpone()

    def _postpone(self) -> None:
        self._worry = trio.current_time() + self._silence_s * _WORRYING
        silence = trio.current_time() + self._silence_s
        self._deadline = min(silence, self._progress + self._stall_s)

    async def watch(self, shard: trio.CancelScope) -> None:
        """Cancel what attends the shard when the patience ends."""
        while trio.current_time() < self._deadline:
            await trio.sleep_until(min(self._worry, self._deadline))
            # After a standstill of our own, what the shard said meanwhile is still unread.
            await trio.sleep(_LAST_LOOK_S)
            if trio.current_time() > self._worry:
                self._worry = math.inf
                self._log.warning("no sign of life", ended_after_s=self._silence_s)
        self.stopped = True
        shard.cancel()


def cores() -> list[int]:
    """Return the cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


def pinned_cores(workers: int) -> Iterator[int | None]:
    """Yield a core for each worker, or None where there are no cores to spare."""
    available = cores()
    for worker in range(workers):
        yield available[worker] if workers < len(available) else None

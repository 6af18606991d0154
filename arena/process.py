"""Bot processes: started in a session of their own, and gone afterwards, whatever happens."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

import psutil
import trio

from arena.exits import exit_text
from arena.output import BoundedLog
from arena.watchdog import family

_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_SET_PDEATHSIG: Final = 1
_GRACE_S: Final = 1.0
"""From SIGTERM to SIGKILL."""
_SWEEPS: Final = 20
"""What is forked during one sweep is found by the next; nobody is swept for ever."""
_SWEEP_S: Final = 0.01
"""A killed process takes this long to be gone."""
_OUTPUT_CHUNK: Final = 1 << 16
_OUTPUT_PAUSE_S: Final = 0.05
"""Pause after a full chunk, so that a bot that floods its output only slows itself."""
_LAST_OUTPUT_S: Final = 0.1
_WATCH_S: Final = 0.5
_SIGNAL_EXIT: Final = 128
"""A sandbox that holds a bot tells by a higher status which signal ended the bot."""
_RUNNING: Final = "still running"
_TAIL_LINES: Final = 20
_LINE_BYTES: Final = 500


def adopt_orphans() -> None:
    """Make this process the parent of all descendants whose own parent dies."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """End this process when the process `parent`, which started it, ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def kill_descendants(spare: Collection[int] = ()) -> int:
    """Kill all descendants of this process but `spare` and theirs; return how many.

    Works through orphans too once `adopt_orphans` was called.
    """
    killed: set[int] = set()
    for _ in range(_SWEEPS):
        if not _sweep(spare, killed):
            break
        time.sleep(_SWEEP_S)
    _reap(spare)
    return len(killed)


async def kill_all_but(spare: Collection[int]) -> None:
    """Do as `kill_descendants`, letting other tasks run; they may add to `spare` meanwhile."""
    killed: set[int] = set()
    for _ in range(_SWEEPS):
        if not _sweep(spare, killed):
            break
        await trio.sleep(_SWEEP_S)
    _reap(spare)
    await trio.sleep(_SWEEP_S)  # who lost its parent just now comes to us a moment later
    _reap(spare)


def _sweep(spare: Collection[int], killed: set[int]) -> bool:
    """Kill what lives now and add it to `killed`; return whether there was anything."""
    found = _living(spare)
    for process in found:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
            killed.add(process.pid)
    return bool(found)


def _living(spare: Collection[int]) -> list[psutil.Process]:
    candidates = family(os.getpid())
    # Looked up afterwards, so that what the spared start meanwhile is no candidate.
    spared = {os.getpid(), *(each for pid in spare for each in family(pid))}
    found = []
    for pid in candidates:
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            if pid not in spared and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def _reap(spare: Collection[int]) -> None:
    """Collect orphans that have ended; children that somebody waits for are left alone."""
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess, ChildProcessError):
            if child.pid not in spare and child.status() == psutil.STATUS_ZOMBIE:
                os.waitpid(child.pid, os.WNOHANG)


Watch = Callable[[int], Awaitable[str | None]]
"""Says what the process of this number, with its descendants, takes too much of, if anything."""


async def _unwatched(_pid: int) -> None:
    return None


class BotProcess:
    """A running bot, made by `launch`; a task must run `live`, and another await `stop`."""

    def __init__(
        self, popen: "subprocess.Popen[bytes]", log: BoundedLog, watch: Watch, *, apart: bool
    ) -> None:
        self.pid = popen.pid
        self.verdict: str | None = None
        """What it took too much of, when it was killed for that."""
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)
        """The last lines that the bot printed."""
        self._popen = popen
        self._log = log
        self._watch = watch
        self._apart = apart
        self._exited = trio.Event()

    @property
    def running(self) -> bool:
        """Whether nothing has ended it yet."""
        return self.exit_text == _RUNNING

    @property
    def exit_text(self) -> str:
        """How the process ended, for people."""
        status = self._popen.returncode
        if self.verdict is not None or status is None:
            return self.verdict or _RUNNING
        by_signal = self._apart and status > _SIGNAL_EXIT
        return exit_text(_SIGNAL_EXIT - status if by_signal else status)

    async def wait(self) -> None:
        """Return when the process has ended."""
        await self._exited.wait()

    async def live(self) -> None:
        """Keep what the bot prints until it ends, then kill what is left of its session.

        Shielded from cancellation, for it ends with the process: see `stop`.
        """
        with trio.CancelScope(shield=True), contextlib.closing(_PidFd(self.pid)) as pidfd:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep_output)
                nursery.start_soon(self._mind)
                await trio.lowlevel.wait_readable(pidfd.number)
                self._signal(signal.SIGKILL)  # before its number is anybody's
                self._popen.wait()
                self._exited.set()
                await trio.sleep(_LAST_OUTPUT_S)  # somebody who escaped may hold the pipe
                nursery.cancel_scope.cancel()
        self._log.close()

    async def _mind(self) -> None:
        while True:
            await trio.sleep(_WATCH_S)
            excess = await self._watch(self.pid)
            if excess is not None:
                self.verdict = self.verdict or f"{excess}, and was killed"
                _signal_each(family(self.pid), signal.SIGKILL)

    async def _keep_output(self) -> None:
        assert self._popen.stdout is not None
        rest = b""
        async with trio.lowlevel.FdStream(os.dup(self._popen.stdout.fileno())) as stream:
            self._popen.stdout.close()
            async for chunk in stream:
                self._log.write(bytes(chunk))
                *lines, rest = (rest + bytes(chunk)).split(b"\n")
                self.tail.extend(_shown(line) for line in lines)
                rest = rest[:_LINE_BYTES]
                if len(chunk) >= _OUTPUT_CHUNK // 2:
                    await trio.sleep(_OUTPUT_PAUSE_S)
        if rest:
            self.tail.append(_shown(rest))

    async def stop(self) -> None:
        """End the process and its session: at once if it must be, politely if it can be."""
        if self._exited.is_set():
            return  # its number may be another's by now
        with trio.CancelScope(shield=True):
            self._ask_to_end()
            with trio.move_on_after(_GRACE_S):
                await self._exited.wait()
            self._signal(signal.SIGKILL)
            await self._exited.wait()

    def _ask_to_end(self) -> None:
        if not self._apart:
            self._signal(signal.SIGTERM)
            return
        # Whoever holds a sandbox would end at once, and all within it with no time to tidy up.
        _signal_each(family(self.pid)[1:], signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def _signal_each(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _shown(line: bytes) -> str:
    """Return a line of a bot's output without anything that a terminal would obey."""
    text = line[:_LINE_BYTES].decode(errors="replace")
    return "".join(c if c.isprintable() or c == "\t" else f"\\x{ord(c):02x}" for c in text)


class _PidFd:
    def __init__(self, pid: int) -> None:
        self.number = os.pidfd_open(pid)

    def close(self) -> None:
        os.close(self.number)


def launch(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    log: BoundedLog,
    watch: Watch = _unwatched,
    *,
    apart: bool = False,
) -> BotProcess:
    """Start a bot. Must be called on the main thread, whose end would end the bot.

    `apart` says that the command starts in process numbers of its own, so that the outermost
    process only holds them. Raises OSError when it can't be started.
    """
    popen = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    return BotProcess(popen, log, watch, apart=apart)


def environment(scratch: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """Return what a bot gets as its environment: little, and nothing of the league's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(scratch), "TMPDIR": str(scratch), **extra}

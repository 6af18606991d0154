"""Brings one seat's bot up: process, token, stream; again after it was lost."""

import os
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import structlog
import trio

from arena import watchdog
from arena.cpu_time import CpuMeter
from arena.hoard import Hoard
from arena.levels import prefix
from arena.output import BoundedLog
from arena.process import BotProcess, environment, kill_descendants, launch
from arena.records import BotEntry, Limits
from arena.sandbox import Sandbox
from arena.seat import BotFailedError
from arena.server import Server
from arena.session import Session
from arena.surroundings import surroundings

_LAST_OUTPUT_S = 0.2
"""Time for the last lines of a bot that has ended to arrive."""
_EXIT_S = 0.1
"""A bot's process ends a moment after its stream; then it is known how."""
_ENDING_S = 1.0
"""Time for a bot whose stream has ended to end itself."""
_ORPHANS_S = 1.0


class Grounds(NamedTuple):
    """What all bots of a table have in common."""

    server: Server
    socket: Path
    """Where the server listens, which is all that a bot is shown of the world outside."""
    limits: Limits
    sandbox: Sandbox


class Launcher:
    """Starts the bot of one seat. Its processes live in the nursery that it is given."""

    def __init__(
        self,
        nursery: trio.Nursery,
        grounds: Grounds,
        bot: BotEntry,
        scratch: Path,
        output: Path,
    ) -> None:
        self._nursery = nursery
        self._grounds = grounds
        self._server = grounds.server
        self._bot = bot
        self._scratch = scratch
        self._log = BoundedLog(output)
        self._startup_ms = grounds.limits.startup_ms
        self._process: BotProcess | None = None
        self._cpu: CpuMeter | None = None
        self.launches = 0

    async def start(self) -> Session:
        """End the old process, if any, and return a new one's session.

        Raises BotFailedError with the bot's last lines.
        """
        await self.stop()
        token = secrets.token_urlsafe(24)
        with self._server.expect(token) as arrivals:
            process = self._launch(token)
            self._process = process
            session = await self._first_of(process, arrivals)
        if session is not None:
            return session
        await trio.sleep(_LAST_OUTPUT_S)
        problem = self._problem(process)
        await self.stop()
        raise BotFailedError(problem)

    def cpu_ns(self) -> int:
        """Return what the bot's processes have used of the CPU since their launch."""
        return 0 if self._cpu is None else self._cpu.used_ns()

    async def last_moments(self) -> None:
        """Give a bot that seems to be ending a moment to end, and to say why."""
        if self._process is not None:
            with trio.move_on_after(_ENDING_S):
                await self._process.wait()
            await trio.sleep(_LAST_OUTPUT_S)

    async def stop(self) -> None:
        """End the process, if any."""
        if self._process is not None:
            process, self._process = self._process, None
            await process.stop()

    def _launch(self, token: str) -> BotProcess:
        try:
            # A name that no bot of an earlier launch can have taken.
            scratch = Path(tempfile.mkdtemp(prefix="launch-", dir=self._folder()))
            extra = {
                "ARENA_ADDRESS": self._server.address,
                "ARENA_TOKEN": token,
                "ARENA_SCRATCH": str(scratch),
            }
            process = self._confined(scratch, environment(scratch, extra))
        except OSError as error:
            raise BotFailedError(f"can't be started: {error}") from None
        self.launches += 1
        self._cpu = CpuMeter(process.pid)
        self._nursery.start_soon(process.live)
        return process

    def _confined(self, scratch: Path, surrounding: dict[str, str]) -> BotProcess:
        bot, limits, sandbox = self._bot, self._grounds.limits, self._grounds.sandbox
        around = surroundings(
            bot, scratch, self._grounds.socket, secrets=sandbox.secrets, others=sandbox.others
        )
        apart = sandbox.level == "bubblewrap"
        hoard = Hoard(scratch, limits, apart=apart)

        async def excess(pid: int) -> str | None:
            return watchdog.excess([pid], limits) or await hoard.excess(pid)

        return launch(
            [*prefix(sandbox.level, limits, around), *bot.command],
            around.folder,
            surrounding,
            self._log,
            excess,
            apart=apart,
        )

    async def verdict(self) -> str | None:
        """Return how a bot whose stream has ended did, or None if it doesn't end at once.

        What it took too much of says more, where it was killed for that.
        """
        process = self._process
        if process is None:
            return None
        with trio.move_on_after(_EXIT_S):
            await process.wait()
        if process.verdict is None and process.running:
            return None
        return process.verdict or f"the stream ended, {process.exit_text}"

    def _folder(self) -> Path:
        self._scratch.mkdir(parents=True, exist_ok=True)
        return self._scratch

    async def _first_of(
        self, process: BotProcess, arrivals: "trio.MemoryReceiveChannel[Any]"
    ) -> Session | None:
        """Return the bot's session, or None when it ends or lets the time pass first."""
        arrived: list[Session] = []
        with trio.move_on_after(self._startup_ms / 1000):
            async with trio.open_nursery() as nursery:

                async def arrival() -> None:
                    arrived.append(await arrivals.receive())
                    nursery.cancel_scope.cancel()

                nursery.start_soon(arrival)
                await process.wait()
                nursery.cancel_scope.cancel()
        return arrived[0] if arrived else None

    def _problem(self, process: BotProcess) -> str:
        what = f"no hello within {self._startup_ms} ms" if process.running else process.exit_text
        return f"{what}; {_last_lines(process)}"

    @property
    def pid(self) -> int | None:
        """The bot's process, where one was started and not ended by us."""
        return None if self._process is None else self._process.pid

    @property
    def last_words(self) -> str:
        """How the process of a bot that was up is and what it printed last, for people."""
        process = self._process
        return "" if process is None else f"{process.exit_text}; {_last_lines(process)}"

    @property
    def last_lines(self) -> str:
        """What a bot that was up printed last, for people."""
        return "" if self._process is None else _last_lines(self._process)


class _Fetched(Protocol):
    @property
    def pid(self) -> int | None: ...


async def mind_orphans(bots: Sequence[_Fetched], limits: Limits) -> None:
    """End what bots have left to nobody, when it takes more than a bot may take.

    In a world of its own nothing can be left so; elsewhere nobody knows whose they are.
    """
    while True:
        await trio.sleep(_ORPHANS_S)
        launched = [bot.pid for bot in bots if bot.pid is not None]
        orphans = [pid for pid in watchdog.children(os.getpid()) if pid not in launched]
        excess = watchdog.excess(orphans, limits)
        if excess is not None:
            killed = kill_descendants(spare=launched)
            structlog.get_logger().warning("orphans killed", reason=excess, killed=killed)


def _last_lines(process: BotProcess) -> str:
    if not process.tail:
        return "it printed nothing"
    return "its last lines:\n" + "\n".join(process.tail)

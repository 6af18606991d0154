"""Brings one seat's bot up: process, token, stream; again after it was lost."""

import secrets
import tempfile
from pathlib import Path
from typing import Any

import trio

from arena.cpu_time import tree_cpu_ns
from arena.output import BoundedLog
from arena.process import BotProcess, environment, launch
from arena.records import BotEntry
from arena.seat import BotFailedError
from arena.server import Server
from arena.session import Session

_LAST_OUTPUT_S = 0.2
"""Time for the last lines of a bot that has ended to arrive."""


class Launcher:
    """Starts the bot of one seat. Its processes live in the nursery that it is given."""

    def __init__(
        self,
        nursery: trio.Nursery,
        server: Server,
        bot: BotEntry,
        scratch: Path,
        output: Path,
        startup_ms: int,
    ) -> None:
        self._nursery = nursery
        self._server = server
        self._bot = bot
        self._scratch = scratch
        self._log = BoundedLog(output)
        self._startup_ms = startup_ms
        self._process: BotProcess | None = None
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
        return 0 if self._process is None else tree_cpu_ns(self._process.pid)

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
            process = launch(
                self._bot.command, Path(self._bot.folder), environment(scratch, extra), self._log
            )
        except OSError as error:
            raise BotFailedError(f"can't be started: {error}") from None
        self.launches += 1
        self._nursery.start_soon(process.live)
        return process

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
        what = process.exit_text
        if what == "still running":
            what = f"no hello within {self._startup_ms} ms"
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


def _last_lines(process: BotProcess) -> str:
    if not process.tail:
        return "it printed nothing"
    return "its last lines:\n" + "\n".join(process.tail)

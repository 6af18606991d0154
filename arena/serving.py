"""`arena serve`: a process of its own that owns the public address and the lobby."""

import asyncio
import contextlib
import os
import resource
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from arena import store, tokens
from arena.control import open_control
from arena.doorman import DoorRules
from arena.endings import ending_signals
from arena.errors import ArenaError, OperatorError
from arena.gate import open_gate
from arena.home import home
from arena.lobby import Lobby
from arena.lock import is_held, locked
from arena.public_address import Tls, checked_address, credentials

_LOCK_NAME: Final = "serve.lock"
_WATCH_S: Final = 0.5
_READ_ANYWAY_S: Final = 10.0
"""The registry is read this often even where its files look unchanged."""
_SEEN_EVERY_S: Final = 60.0
"""How exactly it is known when a bot was last seen."""
_MORE_FILES: Final = 256
"""Open files beyond the strangers' connections: seated bots, tables, the registry."""


class Served(msgspec.Struct, frozen=True):
    """What `arena serve` is told."""

    address: str
    """Host and port; port 0 takes any that is free."""
    tls: Tls | None
    insecure: bool
    """Whether plain text may leave this machine."""
    rules: DoorRules = DoorRules()


def serve(served: Served, ready: Callable[[str], None]) -> None:
    """Serve until a signal ends it; `ready` is told the address. Raises OperatorError."""
    checked_address(served.address, plain=served.tls is None and not served.insecure)
    _allow_files(served.rules)
    folder = home()
    with _alone(folder):
        asyncio.run(_serve(served, folder, ready))


def server_of(folder: Path) -> int | None:
    """Return the process of the `arena serve` that works for a data folder, if there is one."""
    lock = folder / _LOCK_NAME
    if not is_held(lock):
        return None
    with contextlib.suppress(OSError, ValueError):
        return int(lock.read_text(encoding="ascii"))
    return None


async def _serve(served: Served, folder: Path, ready: Callable[[str], None]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in ending_signals():
        loop.add_signal_handler(number, stop.set)
    lobby = Lobby(served.rules.waiting_per_bot)
    diary = _Diary()
    watch = _Watch(folder, lobby, diary)
    secured = None if served.tls is None else credentials(served.tls)
    await watch.read()  # before anybody can show a token
    async with (
        open_gate(served.address, secured, served.rules, lobby, watch) as gate,
        open_control(folder, lobby),  # is closed first, so that no bot's end is taken for its own
    ):
        ready(gate.address)
        await _run_until(stop, watch.run(), diary.run())


async def _run_until(stop: asyncio.Event, *coroutines: Coroutine[Any, Any, object]) -> None:
    """Run these until `stop`; what one of them fails by is raised."""
    tasks = [asyncio.ensure_future(each) for each in (stop.wait(), *coroutines)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Watch:
    """Keeps the tokens known; a revoked one's streams end within moments."""

    def __init__(self, folder: Path, lobby: Lobby, diary: "_Diary") -> None:
        self.digests: Mapping[str, str] = {}
        """Digest of each bot's token."""
        self.saw = diary.note
        self._files = [folder / f"{store.FILE}{ending}" for ending in ("", "-wal")]
        self._lobby = lobby
        self._due = 0.0
        """When the tokens are read whether or not something has changed."""
        self._stamps: list[tuple[int, int]] = []
        self._reading = asyncio.Lock()
        self._problem = ""

    async def run(self) -> None:
        """Read whenever something has changed. Raises what is no operator's fault."""
        while True:
            await asyncio.sleep(_WATCH_S)
            await self.refresh()

    async def refresh(self) -> None:
        """Read the tokens if something has changed."""
        async with self._reading:
            if time.monotonic() < self._due and self._stamped() == self._stamps:
                return
            try:
                await self.read()
            except ArenaError as error:
                self._report(str(error))
            else:
                self._problem = ""

    async def read(self) -> None:
        """Read the tokens. Raises OperatorError; then the next look reads again."""
        self._stamps, self._due = self._stamped(), time.monotonic() + _WATCH_S
        states = await asyncio.to_thread(tokens.states)
        self._due = time.monotonic() + _READ_ANYWAY_S
        self.digests = {bot: state.digest for bot, state in states.items()}
        self._lobby.keep(set(self.digests.values()))

    def _report(self, problem: str) -> None:
        """Tell once what keeps the tokens from being read."""
        if problem != self._problem:
            self._problem = problem
            structlog.get_logger().warning("registry unreadable", reason=problem)

    def _stamped(self) -> list[tuple[int, int]]:
        stamps = []
        for file in self._files:
            with contextlib.suppress(OSError):
                found = file.stat()
                stamps.append((found.st_mtime_ns, found.st_size))
        return stamps


class _Diary:
    """Writes down which bots were seen, not more often than anybody reads it."""

    def __init__(self) -> None:
        self._news: asyncio.Queue[str] = asyncio.Queue()
        self._noted: dict[str, float] = {}

    def note(self, bot: str) -> None:
        now = time.monotonic()
        if now - self._noted.get(bot, -_SEEN_EVERY_S) >= _SEEN_EVERY_S:
            self._noted[bot] = now
            self._news.put_nowait(bot)

    async def run(self) -> None:
        while True:
            bot = await self._news.get()
            try:
                await asyncio.to_thread(tokens.saw, bot)
            except ArenaError as error:
                structlog.get_logger().warning("registry unwritable", reason=str(error))


def _allow_files(rules: DoorRules) -> None:
    """Make room for all connections. Raises OperatorError when the system doesn't."""
    needed = rules.connections + _MORE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise OperatorError(
            f"the system allows {hard} open files, and {needed} are needed; raise the limit"
            f" (ulimit -Hn {needed})"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed if hard < 0 else hard, hard))


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock."""
    lock = locked(
        folder,
        _LOCK_NAME,
        lambda holder: (
            f"another `arena serve` works for {folder} (process {holder}); stop it, or set"
            " ARENA_HOME to another folder"
        ),
    )
    try:
        yield
    finally:
        os.close(lock)

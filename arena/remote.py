"""Brings a remote bot to one seat: asks the lobby of `arena serve` for one of its streams."""

import math
import os
import socket
import time
from pathlib import Path
from typing import Final

import msgspec
import structlog
import trio

from arena import lobby_frames
from arena.errors import OperatorError
from arena.framing import FrameError, Frames
from arena.lobby_frames import (
    MOST_BYTES,
    FromBot,
    HandedOver,
    Leave,
    Reconnected,
    Seated,
    ToBot,
    ToLobby,
    ToShard,
    Wanted,
)
from arena.records import BotEntry, Limits
from arena.seat import BotFailedError
from arena.session import Arrival, Session
from arena.wire import Hello

_FAREWELL_S: Final = 0.5
"""Time for the lobby to take what was said last."""
_BUSY_PAUSES_S: Final = (0.01, 0.1, 0.5, 1.0, 2.0)
"""Between tries to connect."""
_CHUNK: Final = 1 << 16


class LobbyGoneError(OperatorError):
    """`arena serve` isn't there, which is no bot's fault."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"no `arena serve` works for {folder}, and remote bots take part; start it, and the"
            " same command goes on"
        )


async def require_lobby(folder: Path) -> None:
    """Raise LobbyGoneError unless `arena serve` works for this data folder."""
    await (await _connect(folder)).aclose()


class RemoteSession:
    """A remote bot's stream, at the shard's end of the lobby's socket."""

    def __init__(self, line: "_Line", hello: Hello, bot: "RemoteBot") -> None:
        self.hello = hello
        self.handed_over: int | None = None
        self._asked = 0
        self._line = line
        self._bot = bot

    def send(self, message: bytes) -> None:
        self._line.say(ToBot(message, time.monotonic_ns()))

    def ask(self, question: bytes) -> None:
        self.handed_over = None
        self._asked = time.monotonic_ns()
        self._line.say(ToBot(question, self._asked))

    async def receive(self) -> Arrival:
        while True:
            match await self._line.hear():
                case FromBot(data, arrived, moment):
                    self._note(moment)
                    return data, arrived
                case HandedOver(moment):
                    self._note(moment)
                case Reconnected():
                    self._bot.count_reconnect()
                case _:  # it has ended for good
                    raise trio.EndOfChannel

    def _note(self, moment: int) -> None:
        """Note when the open ask was handed over, unless it's the one before that was."""
        if moment >= self._asked:
            self.handed_over = moment

    def close(self, farewell: bytes | None = None) -> None:
        self._line.say(Leave(farewell))


class RemoteBot:
    """What a launcher is to a bot on this machine."""

    def __init__(
        self, nursery: trio.Nursery, lobby: Path, bot: BotEntry, limits: Limits, table: str
    ) -> None:
        self.name = bot.name
        self.reconnects = 0
        """How often a broken stream of it came back in time."""
        self.launches = 0
        """How many streams of it were asked for."""
        self.pid = None
        """Never known."""
        self._nursery = nursery
        self._lobby = lobby
        self._limits = limits
        self._table = table
        self._line: _Line | None = None

    async def start(self) -> Session:
        """Give up the old stream, if any, and return a new one's session.

        Raises BotFailedError when none comes in time, LobbyGoneError.
        """
        await self.stop()
        self.launches += 1
        line = _Line(await _connect(self._lobby), self._lobby)
        self._line = line
        self._nursery.start_soon(line.run)
        key = _key(self._lobby)
        line.say(Wanted(self.name, self._limits.reconnect_ms, self._table, key))
        with trio.move_on_after(self._limits.startup_ms / 1000):
            answer = await line.hear()
            if isinstance(answer, Seated):
                return RemoteSession(line, answer.hello, self)
        await self.stop()
        raise BotFailedError(f"hasn't dialled in within {self._limits.startup_ms} ms")

    async def stop(self) -> None:
        """Leave the lobby, if it was entered."""
        if self._line is not None:
            line, self._line = self._line, None
            await line.close()

    def count_reconnect(self) -> None:
        """Note that a broken stream came back."""
        self.reconnects += 1
        structlog.get_logger().info("reconnected", bot=self.name, times=self.reconnects)

    async def verdict(self) -> str | None:
        """Return None: how a remote bot ends is not this machine's to know."""
        await trio.lowlevel.checkpoint()
        return None

    def cpu_ns(self) -> int:
        """Return 0: what a remote bot uses of its machine can't be known here."""
        return 0

    @property
    def last_words(self) -> str:
        """Nothing: what a remote bot prints is far away."""
        return ""

    last_lines = last_words


class _Line:
    """A connection to the lobby."""

    def __init__(self, stream: trio.SocketStream, lobby: Path) -> None:
        self._stream = stream
        self._lobby = lobby
        self._frames = Frames(MOST_BYTES)
        # Bounded by what a table says to a bot: one ask is open, and faults stand it down.
        self._push, self._outbox = trio.open_memory_channel[bytes](math.inf)
        self._scope = trio.CancelScope(shield=True)  # a stop mustn't cut off the farewell
        self._over = trio.Event()

    async def run(self) -> None:
        """Send what is said until `close`."""
        try:
            with self._scope:
                async for frame in self._outbox:
                    await self._stream.send_all(frame)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the listener sees it, too
        finally:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(self._stream)
            self._over.set()

    def say(self, message: ToLobby) -> None:
        try:
            self._push.send_nowait(lobby_frames.encode(message))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # closed, or the lobby is gone, which the listener sees

    async def hear(self) -> ToShard:
        """Return what the lobby says next; may be cancelled. Raises LobbyGoneError."""
        while (body := self._taken()) is None:
            try:
                chunk = await self._stream.receive_some(_CHUNK)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                raise LobbyGoneError(self._lobby) from None
            if not chunk:
                raise LobbyGoneError(self._lobby)
            self._frames.feed(chunk)
        try:
            return lobby_frames.to_shard(body)
        except msgspec.DecodeError:
            raise LobbyGoneError(self._lobby) from None

    def _taken(self) -> bytes | None:
        try:
            return self._frames.take()
        except FrameError:
            raise LobbyGoneError(self._lobby) from None

    async def close(self) -> None:
        """Let everything that was said go out, and hang up."""
        with trio.CancelScope(shield=True):
            self._push.close()
            with trio.move_on_after(_FAREWELL_S):
                await self._over.wait()
            self._scope.cancel()
            await self._over.wait()


async def _connect(folder: Path) -> trio.SocketStream:
    """Raises LobbyGoneError; whatever else keeps a socket from opening is a bug."""
    for pause_s in _BUSY_PAUSES_S:
        try:
            return _connected(folder)
        except BlockingIOError:  # more come at once than the lobby takes in
            await trio.sleep(pause_s)
    return _connected(folder)


def _connected(folder: Path) -> trio.SocketStream:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return _opened(lobby_frames.short_path(descriptor))
        finally:
            os.close(descriptor)
    except (FileNotFoundError, ConnectionRefusedError):
        raise LobbyGoneError(folder) from None


def _key(folder: Path) -> str:
    """Return what the lobby wants to see. Raises LobbyGoneError."""
    try:
        return (folder / lobby_frames.KEY).read_text(encoding="ascii")
    except (OSError, UnicodeError):
        raise LobbyGoneError(folder) from None


def _opened(path: str) -> trio.SocketStream:
    """Raises OSError; trio itself takes a full queue for a connection."""
    made = socket.socket(socket.AF_UNIX)
    try:
        made.setblocking(False)
        made.connect(path)  # of this family it is done at once, or refused
    except OSError:
        made.close()
        raise
    return trio.SocketStream(trio.socket.from_stdlib_socket(made))

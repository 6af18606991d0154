"""gRPC, the arena's end. Runs grpc.aio on a thread of its own.

Bytes cross to trio and back; two thread-safe hops a batch. Nothing is decoded here
but the hello, whose token decides who is let in.
"""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final

import grpc
import grpc.aio
import structlog
import trio

from arena import play_call, wire
from arena.errors import OperatorError
from arena.play_call import Context
from arena.session import Arrival

_MOST_UNREAD: Final = 16
"""Messages of one bot that may wait for trio; a flood is held back in its own stream."""
_UNEXPECTED: Final = "unknown token: use ARENA_TOKEN, and only once"
_MOST_UNHEARD: Final = 16
"""Streams that may wait to say hello while nobody is expected; each takes memory."""
_END_S: Final = 2.0
"""Time for the server's thread to end."""
_OPTIONS: Final = (
    ("grpc.so_reuseport", 0),  # else a second arena on the port would silently share it
    ("grpc.max_concurrent_streams", 4),  # on one connection, of which a bot needs one
    ("grpc.max_receive_message_length", 1 << 18),
    ("grpc.max_send_message_length", 1 << 22),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),  # a bot's eager keepalive is no reason to cut it off
)


class GrpcSession:
    """One bot's stream. Constructed on the server's thread, used from trio."""

    def __init__(self, hello: wire.Hello, loop: asyncio.AbstractEventLoop) -> None:
        self.hello = hello
        self.handed_over: int | None = None
        self._question = b""
        self._loop = loop
        self._outbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._push, self._inbox = trio.open_memory_channel[Arrival](_MOST_UNREAD * 4)
        self._read_count = 0
        """Counted by the server's thread alone, as the next is by trio's."""
        self._taken = 0

    def send(self, message: bytes) -> None:
        self._call(self._outbox.put_nowait, message)

    def ask(self, question: bytes) -> None:
        self.handed_over = None
        self._question = question
        self.send(question)

    async def receive(self) -> Arrival:
        arrival = await self._inbox.receive()
        self._taken += 1
        return arrival

    def close(self, farewell: bytes | None = None) -> None:
        if farewell is not None:
            self.send(farewell)
        self._call(self._outbox.put_nowait, None)

    def _call(self, function: Callable[[Any], None], argument: object) -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped; nobody listens
            self._loop.call_soon_threadsafe(function, argument)

    async def pump(self, context: Context, token: trio.lowlevel.TrioToken) -> None:
        """Carry messages both ways until either end has enough. Runs on the server's thread."""
        reader = asyncio.ensure_future(self._read(context, token))
        try:
            while (message := await self._outbox.get()) is not None:
                if message is self._question:
                    self.handed_over = time.monotonic_ns()
                await context.write(message)
        finally:
            reader.cancel()
            _run_on_trio(token, self._push.close)

    async def _read(self, context: Context, token: trio.lowlevel.TrioToken) -> None:
        try:
            while True:
                message = await context.read()
                if not isinstance(message, bytes):
                    return
                arrival = (message, time.monotonic_ns())
                self._read_count += 1
                _run_on_trio(token, self._deliver, arrival)
                while self._read_count - self._taken > _MOST_UNREAD:  # noqa: ASYNC110  # rare; an event costs always
                    await asyncio.sleep(0.01)
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            return  # the stream broke; the seat sees its end
        finally:
            self._outbox.put_nowait(None)

    def _deliver(self, arrival: Arrival) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            self._push.send_nowait(arrival)


def _run_on_trio(
    token: trio.lowlevel.TrioToken, function: Callable[..., object], *arguments: object
) -> None:
    with contextlib.suppress(trio.RunFinishedError):
        token.run_sync_soon(function, *arguments)


class Server:
    """Lets in the bots that are expected. Made by `open_server`."""

    def __init__(self, address: str, hello_s: float) -> None:
        self.address = address
        """gRPC target that bots dial."""
        self._token = trio.lowlevel.current_trio_token()
        self._expected: dict[str, trio.MemorySendChannel[GrpcSession]] = {}
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._started = trio.Event()
        self._thread = threading.Thread(target=self._serve, name="grpc", daemon=True)
        self._hellos = play_call.Hellos(hello_s)
        self._serving = False
        self._failure = ""
        self._log = structlog.get_logger().bind(part="server")

    @contextlib.contextmanager
    def expect(self, token: str) -> Iterator[trio.MemoryReceiveChannel[GrpcSession]]:
        """Let in one bot with this token while the context is open; yields its arrival."""
        push, arrivals = trio.open_memory_channel[GrpcSession](1)
        self._expected[token] = push
        try:
            with arrivals:
                yield arrivals
        finally:
            self._expected.pop(token, None)

    async def start(self) -> None:
        """Bind and serve. Raises OperatorError when the address can't be had."""
        self._thread.start()
        await self._started.wait()
        if self._failure:
            raise OperatorError(self._failure)
        if not self._serving:
            raise RuntimeError("the server's thread has died, and has said of what")

    async def stop(self) -> None:
        """End all streams and the thread."""
        if self._thread.ident is None:  # it couldn't be started
            self._loop.close()
            return
        with contextlib.suppress(RuntimeError):  # it has ended already
            self._loop.call_soon_threadsafe(self._stop.set)
        await trio.to_thread.run_sync(self._thread.join, _END_S)
        if self._thread.is_alive():
            self._log.warning("the server's thread hasn't ended", seconds=_END_S)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()
            _run_on_trio(self._token, self._started.set)  # whatever happened, nobody waits

    async def _main(self) -> None:
        server = grpc.aio.server(options=_OPTIONS)
        play_call.add_to(server, self._play)
        try:
            server.add_insecure_port(self.address)
            await server.start()
        except Exception as error:  # noqa: BLE001  # gRPC promises no narrower one
            self._failure = f"cannot listen on {self.address}: {error}"
        else:
            self._serving = True
            _run_on_trio(self._token, self._started.set)
            await self._stop.wait()
        self._hellos.give_up()
        await server.stop(grace=0.2)

    async def _play(self, _requests: object, context: Context) -> None:
        """Handle one stream, on the server's thread."""
        if len(self._hellos) >= _MOST_UNHEARD and not self._expected:
            await play_call.turn_away(context, grpc.StatusCode.UNAUTHENTICATED, _UNEXPECTED)
            return
        try:
            first = await self._hellos.first(context)
            if not isinstance(first, bytes):
                return
            hello = wire.read_hello(first)
        except (wire.GarbledError, TimeoutError) as error:
            self._log.warning("hello refused", reason=str(error) or "it didn't come")
            await play_call.refuse_hello(context, error)
            return
        if hello.protocol > wire.PROTOCOL:
            await play_call.refuse_revision(context)
            return
        push = self._expected.pop(hello.token, None)
        if push is None:
            self._log.warning("token refused", bot=hello.name)
            await play_call.turn_away(context, grpc.StatusCode.UNAUTHENTICATED, _UNEXPECTED)
            return
        session = GrpcSession(hello, self._loop)
        _run_on_trio(self._token, _introduce, push, session)
        await session.pump(context, self._token)


def _introduce(push: trio.MemorySendChannel[GrpcSession], session: GrpcSession) -> None:
    try:
        push.send_nowait(session)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        session.close(wire.goodbye("refused", "nobody waits for this bot any more"))


def _refuse_taken(address: str) -> None:
    path = address.removeprefix("unix:")
    if path != address and os.path.lexists(path):
        raise OperatorError(f"{path} exists already; another arena may be using it")


@contextlib.asynccontextmanager
async def open_server(address: str, *, hello_s: float = 30) -> AsyncIterator[Server]:
    """Serve on a gRPC target while the context is open. Raises OperatorError.

    A stream on which no hello comes within `hello_s` seconds is ended.
    A unix socket must not exist yet: a second server would silently take over its path.
    """
    _refuse_taken(address)
    server = Server(address, hello_s)
    try:
        await server.start()
        yield server
    finally:
        with trio.CancelScope(shield=True):
            await server.stop()

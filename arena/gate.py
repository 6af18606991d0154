"""The public end of `arena serve`: TLS, strangers, tokens, and the streams of remote bots.

Runs grpc.aio on the loop of the process. Nothing is decoded here but the hello.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final, Protocol

import grpc
import grpc.aio
import msgspec
import structlog

from arena import play_call, tokens, wire
from arena.doorman import Doorman, DoorRules, TurnedAwayError, address_of
from arena.errors import OperatorError
from arena.gate_services import SideServices
from arena.lobby import Lobby
from arena.play_call import Context
from arena.public_address import refuse_taken

_MOST_UNSENT_BYTES: Final = 1 << 22
"""A bot that leaves more unread has lost its stream."""
_FAREWELL_S: Final = 0.5
"""Time for a bot to take what was said last."""
_STOP_S: Final = 1.0
"""The same for all of them, when the arena closes."""


def _options(rules: DoorRules) -> list[tuple[str, int]]:
    return [
        ("grpc.so_reuseport", 0),  # else a second arena on the port would silently share it
        ("grpc.max_receive_message_length", 2 * rules.hello_bytes),  # answers are smaller still
        ("grpc.max_send_message_length", 1 << 22),
        ("grpc.max_metadata_size", 4096),
        ("grpc.absolute_max_metadata_size", 8192),
        ("grpc.compression_enabled_algorithms_bitset", 1),  # none: no small message becomes huge
        ("grpc.max_concurrent_streams", 4 * rules.unheard_per_peer),
        ("grpc.max_allowed_incoming_connections", rules.connections),
        ("grpc.server_handshake_timeout_ms", round(1000 * rules.hello_s)),
        ("grpc.max_connection_idle_ms", 60_000),  # idle is who has no stream
        ("grpc.keepalive_time_ms", 30_000),  # finds bots whose network is gone
        ("grpc.keepalive_timeout_ms", 15_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.max_ping_strikes", 0),  # a bot's eager keepalive is no reason to cut it off
    ]


class GateStream:
    """One authenticated bot's stream."""

    def __init__(self, bot: str, token_digest: str, hello: wire.Hello) -> None:
        self.bot = bot
        self.token_digest = token_digest
        self.hello = msgspec.structs.replace(hello, token="")
        self._outbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._unsent = 0
        self._question = b""
        self._handed_over: Callable[[int], object] = int
        self._closing = asyncio.Event()

    def send(self, message: bytes) -> None:
        if self._closing.is_set():
            return
        self._unsent += len(message)
        if self._unsent > _MOST_UNSENT_BYTES:
            self.close()
        else:
            self._outbox.put_nowait(message)

    def ask(self, question: bytes, handed_over: Callable[[int], None]) -> None:
        self._question, self._handed_over = question, handed_over
        self.send(question)

    def close(self, farewell: bytes | None = None) -> None:
        if farewell is not None:
            self.send(farewell)
        self._outbox.put_nowait(None)
        self._closing.set()

    async def pump(self, context: Context, lobby: Lobby) -> None:
        """Carry messages both ways until either end has enough.

        Who doesn't read can't hold this up: after `close` there is a short time for the rest.
        """
        writing = asyncio.ensure_future(self._write(context))
        tasks = [
            writing,
            asyncio.ensure_future(self._read(context, lobby)),
            asyncio.ensure_future(self._closing.wait()),
        ]
        try:
            await asyncio.wait({writing, tasks[-1]}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({writing}, timeout=_FAREWELL_S)
            if writing.done():
                writing.result()
        finally:
            for task in tasks:
                task.cancel()

    async def _write(self, context: Context) -> None:
        while (message := await self._outbox.get()) is not None:
            if message is self._question:
                self._handed_over(time.monotonic_ns())
            await context.write(message)
            self._unsent -= len(message)

    async def _read(self, context: Context, lobby: Lobby) -> None:
        try:
            while isinstance(message := await context.read(), bytes):
                await lobby.hear(self, message, time.monotonic_ns())
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            return  # the stream broke; the place sees its end
        finally:
            self.close()


class Known(Protocol):
    """What is known of remote bots, read before anybody is let in."""

    digests: Mapping[str, str]
    """Digest of each bot's token."""

    async def refresh(self) -> None:
        """Look again before a token counts as wrong: it may have been made a moment ago."""

    def saw(self, bot: str) -> None:
        """Take note of a bot that is let in; never waits."""


class Gate:
    """Lets in whoever shows a valid token. Made by `open_gate`."""

    def __init__(self, rules: DoorRules, lobby: Lobby, known: Known) -> None:
        self.address = ""
        """Host and port that are really used."""
        self._known = known
        self._lobby = lobby
        self._hellos = play_call.Hellos(rules.hello_s)
        self._doorman = Doorman(rules)
        self._log = structlog.get_logger().bind(part="gate")

    async def play(self, _requests: object, context: Context) -> None:
        """Handle one stream."""
        peer = address_of(context.peer())
        try:
            with self._doorman.unheard(peer):
                stream = await self._admitted(context, peer)
        except TurnedAwayError as error:  # with no more effort than that
            play_call.set_status(context, grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
            return
        if stream is None:
            return
        self._log.info("let in", peer=peer, bot=stream.bot)
        self._known.saw(stream.bot)
        self._lobby.enter(stream)
        try:
            await stream.pump(context, self._lobby)
        finally:
            self._lobby.leave(stream)

    async def _admitted(self, context: Context, peer: str) -> GateStream | None:
        """Return the stream of who shows a valid token; who doesn't is turned away."""
        try:
            first = await self._hellos.first(context)
            if not isinstance(first, bytes):
                return None
            self._doorman.check_size(len(first))
            hello = wire.read_hello(first)
            bot = tokens.holder(hello.token, self._known.digests)
            if bot is None:
                self._doorman.check_unknown(peer)
        except TurnedAwayError as error:
            await play_call.turn_away(context, grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
            return None
        except (wire.GarbledError, TimeoutError) as error:
            await play_call.refuse_hello(context, error)
            return None
        if hello.protocol > wire.PROTOCOL:
            await play_call.refuse_revision(context)
            return None
        if bot is None:  # its token may be of this moment
            await self._known.refresh()
            bot = tokens.holder(hello.token, self._known.digests)
        if bot is not None:
            return GateStream(bot, self._known.digests[bot], hello)
        why = ""
        if self._doorman.may_hear_why(peer):
            why = "unknown token: use ARENA_TOKEN as `arena register` or `arena token` printed it"
            self._log.warning("token refused", peer=peer, bot=hello.name)
        await play_call.turn_away(context, grpc.StatusCode.UNAUTHENTICATED, why)
        return None

    def close(self) -> None:
        """Wait for hellos no more."""
        self._hellos.give_up()

    @asynccontextmanager
    async def side_call(self, context: Context) -> AsyncIterator[bool]:
        """Count a call of a service beside the game; whether it may go on."""
        try:
            with self._doorman.side_call(address_of(context.peer())):
                yield True
        except TurnedAwayError:
            yield False


@asynccontextmanager
async def open_gate(
    address: str,
    credentials: grpc.ServerCredentials | None,
    rules: DoorRules,
    lobby: Lobby,
    known: Known,
) -> AsyncIterator[Gate]:
    """Listen on a host and port while the context is open. Raises OperatorError.

    At the end everybody gets a goodbye.
    """
    refuse_taken(address)
    gate = Gate(rules, lobby, known)
    server = grpc.aio.server(options=_options(rules))
    play_call.add_to(server, gate.play)
    services = SideServices(gate.side_call)
    await services.add_to(server)
    try:
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
        await server.start()
    except Exception as error:  # noqa: BLE001  # gRPC promises no narrower one
        raise OperatorError(f"cannot listen on {address}: {error}") from None
    gate.address = f"{address.rpartition(':')[0]}:{port}"
    try:
        yield gate
    finally:
        await services.stop()
        gate.close()
        lobby.stop()
        await server.stop(grace=_STOP_S)

"""Clients of the server, in this process, for tests."""

import contextlib
import queue
import random
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import trio

from arena.server import GrpcSession, Server
from arena.v1.arena_pb2 import Answer, Hello, PlayRequest, PlayResponse
from tests.arena.runs import PATIENCE_S

TOKEN = "the token"


class Client:
    """A synchronous client; its methods block, so they run on threads."""

    def __init__(
        self,
        address: str,
        options: list[tuple[str, int]] | None = None,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        # Else clients in one process share connections.
        options = [*(options or ()), ("grpc.use_local_subchannel_pool", 1)]
        if credentials is None:
            self.channel = grpc.insecure_channel(address, options=options)
        else:
            self.channel = grpc.secure_channel(address, credentials, options=options)
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play = self.channel.stream_stream("/arena.v1.ArenaService/Play")
        self.call = play(iter(self._requests.get, None))

    def say(self, *messages: bytes) -> None:
        for message in messages:
            self._requests.put(message)

    async def hears(self) -> PlayResponse | grpc.StatusCode:
        """The next message, or how the stream ended."""

        def read() -> PlayResponse | grpc.StatusCode:
            try:
                return PlayResponse.FromString(next(self.call))
            except StopIteration:
                return self.call.code()
            except grpc.RpcError as error:
                return error.code()

        with trio.fail_after(PATIENCE_S):
            return await trio.to_thread.run_sync(read)

    def close(self) -> None:
        self._requests.put(None)
        self.channel.close()


@contextlib.contextmanager
def client(
    address: str,
    options: list[tuple[str, int]] | None = None,
    credentials: grpc.ChannelCredentials | None = None,
) -> Iterator[Client]:
    made = Client(address, options, credentials)
    try:
        yield made
    finally:
        made.close()


def hello(token: str = TOKEN, resume: str = "") -> bytes:
    said = Hello(token=token, name="bot", max_batch=3, resume=resume)
    return PlayRequest(hello=said).SerializeToString()


def answer(ask_id: int, actions: bytes = b"") -> bytes:
    return PlayRequest(answer=Answer(ask_id=ask_id, actions=actions)).SerializeToString()


def free_port() -> int:
    """A port that stays free: from where the system takes none for whoever wants just any."""
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    apart = [port for port in range(10_000, 60_000) if not low <= port <= high]
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.choice(apart) if apart else 0))
            return int(probe.getsockname()[1])


@contextlib.asynccontextmanager
async def met(server: Server, visitor: Client) -> AsyncIterator[GrpcSession]:
    """A client that was let in."""
    with server.expect(TOKEN) as arrivals, trio.fail_after(PATIENCE_S):
        visitor.say(hello())
        yield await arrivals.receive()

"""The gate with real clients that don't read: nothing of theirs lasts longer than it may."""

import asyncio
import gc
import weakref
from collections.abc import Callable

import pytest

from arena import tokens
from arena.doorman import DoorRules
from arena.gate import GateStream, open_gate
from arena.lobby import Lobby, Place, Stream
from arena.lobby_frames import ToShard, Wanted
from tests.arena.clients import client, hello
from tests.arena.runs import PATIENCE_S

TOKEN = "a token"
SMALL_WINDOW = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_535)]


class Known:
    """One bot and its token."""

    def __init__(self) -> None:
        self.digests = {"far": tokens.digest_of(TOKEN)}

    async def refresh(self) -> None:
        pass

    def saw(self, bot: str) -> None:
        assert bot == "far"


class WatchedLobby(Lobby):
    """Tells who comes, and whose handler has ended."""

    def __init__(self) -> None:
        super().__init__(DoorRules().waiting_per_bot)
        self.came: asyncio.Queue[Stream] = asyncio.Queue()
        self.left = 0

    def enter(self, stream: Stream) -> None:
        super().enter(stream)
        self.came.put_nowait(stream)

    def leave(self, stream: Stream) -> None:
        super().leave(stream)
        self.left += 1


def send(stream: Stream, messages: int) -> None:
    for _ in range(messages):
        stream.send(bytes(100_000))


def overflow(_lobby: Lobby, stream: Stream) -> None:
    send(stream, 100)


def revoke_and_want(lobby: Lobby, stream: Stream) -> None:
    """A table that comes right after isn't given the stream that is on its way out."""
    revoke(lobby, stream)
    told: list[ToShard] = []

    async def settle() -> None:
        pass

    lobby.want(Place(Wanted("far", 0, "a table", ""), told.append, settle))
    assert told == []


def revoke(lobby: Lobby, stream: Stream) -> None:
    send(stream, 20)
    lobby.keep(set())


def talk_again(lobby: Lobby, stream: Stream) -> None:
    send(stream, 20)
    stream.close(b"a farewell that it won't read")
    stream.close()
    send(stream, 100)


ENDS = [overflow, revoke, revoke_and_want, talk_again]


@pytest.mark.parametrize("end", ENDS)
def test_who_does_not_read_is_let_go(end: Callable[[Lobby, Stream], None]) -> None:
    async def play() -> None:
        lobby = WatchedLobby()
        async with open_gate("127.0.0.1:0", None, DoorRules(), lobby, Known()) as gate:
            for count in range(1, 4):
                with client(gate.address, SMALL_WINDOW) as bot:
                    bot.say(hello(TOKEN))
                    stream = await asyncio.wait_for(lobby.came.get(), PATIENCE_S)
                    assert isinstance(stream, GateStream)
                    memory = weakref.ref(stream)
                    await asyncio.sleep(0.1)
                    end(lobby, stream)
                    del stream
                    await until(lambda: lobby.left == count)  # noqa: B023  # awaited at once
                    await until(lambda: gc.collect() >= 0 and memory() is None)  # noqa: B023
            assert not lobby.streams

    asyncio.run(play())


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110  # there is no event of it
            await asyncio.sleep(0.02)

"""Frames between coordinator and shard: whole, in order, however the pipe cuts them."""

import contextlib
from collections.abc import AsyncIterator, Iterable

import msgspec
import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from arena.frames import (
    BotFailed,
    Message,
    Messages,
    SessionDone,
    ShardDone,
    ShardSpec,
    decode_spec,
    frame,
)
from arena.framing import FrameError
from arena.records import BotEntry, Key, Limits, Recording
from arena.sandbox import Sandbox
from arena.schedule import Shard

MESSAGES: list[Message] = [
    SessionDone((Key(1, 2, 3, 4, 5),), (b'{"kind":"deal"}',)),
    BotFailed('Ödön, the "first"', "exit status 1; its last lines:\n\x1b[31mno\ufffd", came=True),
    SessionDone((Key(0, 0, 0, 2**32, 2**32),), (b"x" * 100_000,)),
    ShardDone(1, 2, 0.5, 0.25, 0.125),
]


class Chunks(trio.abc.ReceiveStream):
    """A stream that yields given chunks."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        return next(self._chunks, b"")

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


async def collected(stream: AsyncIterator[Message]) -> list[Message]:
    return [message async for message in stream]


@pytest.mark.parametrize("size", [1, 3, 4, 5, 1000, 10**6])
def test_a_pipe_may_cut_anywhere(size: int) -> None:
    data = b"".join(map(frame, MESSAGES))
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert trio.run(collected, Messages(Chunks(chunks))) == MESSAGES


def test_a_reading_that_was_broken_off_is_gone_on_with() -> None:
    """As at a stop, after which a shard still says what it has finished."""
    data = b"".join(map(frame, MESSAGES))
    cut = len(data) - len(frame(MESSAGES[3])) - 5  # within the third, after two whole ones

    async def heard() -> list[Message]:
        sending, receiving = trio.testing.memory_stream_one_way_pair()
        said, found = Messages(receiving), []
        await sending.send_all(data[:cut])
        with trio.move_on_after(1):
            async for message in said:
                found.append(message)  # noqa: PERF401  # what came before the break counts
        assert found == MESSAGES[:2]
        await sending.send_all(data[cut:])
        await sending.aclose()
        return [*found, *[message async for message in said]]

    clock = trio.testing.MockClock(autojump_threshold=0)  # it is over when all has been read
    assert trio.run(heard, clock=clock) == MESSAGES


@pytest.mark.parametrize("lost", [1, 2, 30, 120])
def test_a_broken_frame_is_told(lost: int) -> None:
    data = b"".join(map(frame, MESSAGES))[:-lost]
    heard: list[Message] = []

    async def hear() -> None:
        async for message in Messages(Chunks([data])):
            heard.append(message)  # noqa: PERF401  # what came before the break counts

    if data.endswith(frame(MESSAGES[2])):
        trio.run(hear)
    else:
        with pytest.raises(FrameError, match="ended within a frame"):
            trio.run(hear)
    assert heard == MESSAGES[: len(heard)]
    assert len(heard) >= 2


@pytest.mark.parametrize(
    "data", [b"\xff\xff\xff\xffrest", b"\x00\x00\x00\x01\xc1", b"\x00\x00\x00\x00"]
)
def test_what_is_no_frame_is_told(data: bytes) -> None:
    with pytest.raises(FrameError):
        trio.run(collected, Messages(Chunks([data])))


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_break_the_frame(data: bytes) -> None:
    with contextlib.suppress(FrameError):
        assert not trio.run(collected, Messages(Chunks([data])))


def test_a_specification_arrives_whole() -> None:
    bot = BotEntry("bot", "1", ("python", "bot.py"), "/folder", "ab")
    spec = ShardSpec(
        shard=Shard(1, 2, 3, 120, 4, 2, (3, 1, 2, 0)),
        deals=(120, 121, 123),
        bots=(bot, bot, bot, msgspec.structs.replace(bot, name="other")),
        rules={"name": "online", "stoss": {"steps": 4}},
        limits=Limits(decision_ms=7),
        sandbox=Sandbox("landlock", ("/secret",), ("/folder",)),
        secret=bytes(range(32)),
        scratch="/scratch",
        outputs=("a", "b", "c", "d"),
        recording=Recording(times=True),
        suspended=(False, False, False, False),
        open_deals=3,
        cpu=None,
    )
    data = frame(spec)
    assert int.from_bytes(data[:4], "big") == len(data) - 4
    assert decode_spec(data[4:]) == spec

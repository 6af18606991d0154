"""What coordinator and shard say to each other over a pipe: length-framed records."""

from typing import Final, Self

import msgspec
import trio

from arena.framing import FrameError, Frames, framed
from arena.records import BotEntry, Key, Limits, Recording
from arena.sandbox import Sandbox
from arena.schedule import Shard

MOST_BYTES: Final = 1 << 28
"""Of a frame."""


class ShardSpec(msgspec.Struct, frozen=True):
    """Everything a shard process needs to know. Holds the secret, so it goes by pipe alone."""

    shard: Shard
    deals: tuple[int, ...]
    """Numbers of the deals to play, a subset of the shard's."""
    bots: tuple[BotEntry, BotEntry, BotEntry, BotEntry]
    """By seat."""
    rules: dict[str, object]
    limits: Limits
    sandbox: Sandbox
    secret: bytes
    scratch: str
    """An empty folder of the shard's own, short enough for a socket's path."""
    outputs: tuple[str, str, str, str]
    """Files for what the bots print, by seat."""
    recording: Recording
    suspended: tuple[bool, bool, bool, bool]
    """By seat, whether the house plays without even trying to start the bot."""
    open_deals: int | None
    """Deals in play at once; None leaves it to the table."""
    cpu: int | None
    """The core that the shard's process is kept on."""
    league: str = ""
    """Its name, for the log."""
    worker: int = 0
    """The place in the pool where the shard is played."""
    metered: bool = False
    """Whether the signs of life hold measures."""
    lobby: str = ""
    """Data folder of the `arena serve` that has the remote bots."""
    seen: str = ""
    """File for the deals that remote bots are shown; empty where none takes part."""


class SessionDone(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A finished session, mostly of one deal, as it goes into the journal."""

    keys: tuple[Key, ...]
    bodies: tuple[bytes, ...]
    """Each line's JSON object without its chain."""


class BotFailed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A bot is stood down; `detail` holds its last lines."""

    bot: str
    detail: str
    came: bool
    """Whether it was asked anything at all."""


class BotReconnected(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """How often a remote bot's broken stream came back in time, told at the end."""

    bot: str
    times: int


class ShardGaveUp(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The shard can't go on until the operator acts; `problem` says how."""

    problem: str


class Playing(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A shard's launched bots are up, or given up; who dials in may still be waited for."""


class Noticed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Something that befell a bot, for the log."""

    what: str
    seat: int
    bot: str
    detail: str
    strikes: int
    """So far, this one included."""
    deal: int | None
    """The first deal in which the house decides because of it."""
    decisions: int
    """How many decisions the house makes because of it; 0 where it spoilt none."""
    count: int
    """How often the like befell this seat in the shard; of a flood most are left out."""


class Usage(msgspec.Struct, frozen=True, array_like=True):
    """What a process uses, those that it has started included."""

    resident_bytes: int = 0
    cpu_s: float = 0.0
    open_files: int = 0


class SeatMeasures(msgspec.Struct, frozen=True, array_like=True):
    """One seat of a shard, counted from the shard's beginning."""

    waiting: int
    """Deals whose question waits for this seat."""
    asks: int
    decisions: int
    launches: int
    relaunches: int
    thought: tuple[int, ...]
    """Decisions by think time; see `meter.BOUNDS_S`."""
    thought_s: float
    """All think time."""
    usage: Usage


class Measures(msgspec.Struct, frozen=True, array_like=True):
    """What a shard measures on request."""

    seats: tuple[SeatMeasures, ...]
    usage: Usage
    """Of the shard's own process alone."""


class Alive(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A shard's sign of life, every few seconds, with its progress."""

    asks: int
    """Questions put so far; more of them is progress."""
    measures: Measures | None = None
    """Where the operator asked for metrics."""


class ShardDone(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The last message of a shard that played everything."""

    asks: int
    decisions: int
    play_s: float
    """From the first question to the last answer; starting and ending bots is left out."""
    arena_cpu_s: float
    """What the shard's process used in that time."""
    bots_cpu_s: float


Message = (
    SessionDone | BotFailed | BotReconnected | ShardGaveUp | Playing | Noticed | Alive | ShardDone
)

_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(Message)
_spec_decoder: Final = msgspec.msgpack.Decoder(ShardSpec)


def frame(record: Message | ShardSpec) -> bytes:
    """Encode a record with its length before it."""
    return framed(_encoder.encode(record))


def decode_spec(body: bytes) -> ShardSpec:
    """Decode the one frame that a shard reads."""
    return _spec_decoder.decode(body)


class Messages:
    """What a shard says until its pipe ends. Reading raises FrameError.

    A reading that was cancelled can be gone on with: nothing that has come is lost.
    """

    def __init__(self, stream: trio.abc.ReceiveStream) -> None:
        self._stream = stream
        self._frames = Frames(MOST_BYTES)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        body = await self._next_body()
        if body is None:
            raise StopAsyncIteration
        try:
            return _decoder.decode(body)
        except msgspec.DecodeError as error:
            raise FrameError(f"a frame that is no message: {error}") from None

    async def _next_body(self) -> bytes | None:
        while (body := self._frames.take()) is None:
            chunk = await self._stream.receive_some()
            if not chunk and self._frames:
                raise FrameError("a pipe ended within a frame")
            if not chunk:
                return None
            self._frames.feed(chunk)
        return body

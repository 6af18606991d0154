"""What a shard and the lobby of `arena serve` say to each other over the control socket."""

import os
from typing import Annotated, Final

import msgspec

from arena.framing import framed
from arena.wire import Hello

SOCKET: Final = "serve.sock"
"""Name of the control socket within the operator's data folder."""
KEY: Final = "serve.key"
"""Name of the file beside it, with what a shard has to show.

A bot that landlock keeps apart can reach any socket, but can't read this.
"""
MOST_BYTES: Final = 1 << 24
"""Of a message."""


class Wanted(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A table wants a stream of this bot; the first message of a connection, and only that."""

    bot: str
    reconnect_ms: Annotated[int, msgspec.Meta(ge=0)]
    """Time for the bot to come back when its stream breaks."""
    table: str
    """For logs."""
    key: str
    """What KEY's file holds."""


class ToBot(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A message for the bot."""

    data: Annotated[bytes, msgspec.Meta(min_length=1)]
    sent: int
    """When, in nanoseconds of the monotonic clock, which all processes share."""


class Leave(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The table needs the bot no more."""

    farewell: bytes | None


class Seated(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A stream of the bot is there; `hello` is without its token."""

    hello: Hello


class FromBot(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A message of the bot, and when it was read, as `ToBot.sent`."""

    data: bytes
    arrived: int
    handed_over: int
    """When the last ask went to the bot's stream; 0 where it hasn't."""


class HandedOver(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """When an ask went to the bot's stream; told at once where that took its time."""

    moment: int


class Reconnected(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The bot's stream broke, and it came back in time."""


class Ended(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The bot's stream has ended for good."""

    why: str


ToLobby = Wanted | ToBot | Leave
ToShard = Seated | FromBot | HandedOver | Reconnected | Ended

_encoder: Final = msgspec.msgpack.Encoder()
_to_lobby: Final = msgspec.msgpack.Decoder(ToLobby)
_to_shard: Final = msgspec.msgpack.Decoder(ToShard)


def encode(message: ToLobby | ToShard) -> bytes:
    """Return a message with its length before it."""
    return framed(_encoder.encode(message))


def to_lobby(body: bytes | bytearray) -> ToLobby:
    """Decode what a shard says. Raises msgspec.DecodeError."""
    return _to_lobby.decode(body)


def to_shard(body: bytes | bytearray) -> ToShard:
    """Decode what the lobby says. Raises msgspec.DecodeError."""
    return _to_shard.decode(body)


def short_path(folder: int) -> str:
    """Return a path of the socket that fits its limit of bytes, however long the folder's is.

    `folder` is a descriptor of the data folder, open as long as the path is used.
    """
    return os.path.join(f"/proc/self/fd/{folder}", SOCKET)  # noqa: PTH118  # it isn't resolved

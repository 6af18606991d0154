"""Where remote bots wait for tables, and what joins their streams to the tables' places.

Knows neither gRPC nor sockets. Belongs to the asyncio loop of `arena serve`.
"""

import asyncio
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Protocol

import structlog

from arena import wire
from arena.lobby_frames import (
    Ended,
    FromBot,
    HandedOver,
    Reconnected,
    Seated,
    ToBot,
    ToShard,
    Wanted,
)

_TICKET_BYTES: Final = 16
_PROMPT_NS: Final = 5_000_000
"""A shard needn't know at once of an ask that was handed over in less time."""


class Stream(Protocol):
    """The arena's end of an authenticated bot's stream."""

    bot: str
    """Name that the bot is registered by."""
    token_digest: str
    hello: wire.Hello
    """Without its token."""

    def send(self, message: bytes) -> None:
        """Hand a message to the stream; never waits, and is silent on a dead stream."""

    def ask(self, question: bytes, handed_over: Callable[[int], None]) -> None:
        """Send a question, and say when it goes out, in nanoseconds of the monotonic clock."""

    def close(self, farewell: bytes | None = None) -> None:
        """Send a last message and end the stream; never waits."""


class Place:
    """A remote bot's seat at a table, through all its streams."""

    def __init__(
        self,
        wanted: Wanted,
        tell: Callable[[ToShard], None],
        settle: Callable[[], Awaitable[None]],
    ) -> None:
        self.bot = wanted.bot
        self.table = wanted.table
        self.reconnect_ms = wanted.reconnect_ms
        self.tell = tell
        """Says something to the shard."""
        self.settle = settle
        """Waits until the shard keeps up with what it is told."""
        self.ticket = secrets.token_urlsafe(_TICKET_BYTES)
        self.token_digest = ""
        """Of the token that its streams have shown."""
        self.stream: Stream | None = None
        self.grace: asyncio.TimerHandle | None = None
        """Runs out while the stream is broken."""
        self._welcome: bytes | None = None
        self._ask: ToBot | None = None
        self._handed_over = 0
        """When that ask went to the stream; 0 where it hasn't."""
        self._heard: list[bytes] = []
        """The bot's messages since that ask; few, as `take` waits and strikes end the stay."""

    def pass_on(self, message: ToBot) -> None:
        """Send a table's message to the bot, and keep what a resumed stream will need."""
        if wire.is_ask(message.data):
            self._pass_on_ask(message)
            return
        data = message.data
        if wire.is_welcome(data):
            if self.reconnect_ms:
                data = wire.with_ticket(data, self.ticket, self.reconnect_ms)
            self._welcome = data
        if self.stream is not None:
            self.stream.send(data)

    def _pass_on_ask(self, message: ToBot) -> None:
        self._ask, self._handed_over, self._heard = message, 0, []
        if self.stream is None:
            self._hand_over(message, time.monotonic_ns())  # the clock of who is away runs, too
        else:
            self.stream.ask(message.data, partial(self._hand_over, message))

    def _hand_over(self, ask: ToBot, moment: int) -> None:
        """Note when the open ask went out; what a stream does that was replaced is too late."""
        if ask is not self._ask or self._handed_over:
            return
        self._handed_over = moment
        if moment - ask.sent > _PROMPT_NS:
            self.tell(HandedOver(moment))

    async def take(self, data: bytes, arrived: int) -> None:
        """Pass on what the bot said; waits while the shard doesn't keep up."""
        self._heard.append(data)
        self.tell(FromBot(data, arrived, self._handed_over))
        await self.settle()

    def lose_stream(self) -> None:
        """Note that the stream has ended."""
        self.stream = None
        if self._ask is not None:
            self._hand_over(self._ask, time.monotonic_ns())

    @property
    def resumable(self) -> bool:
        """Whether the bot was told its ticket and has time to use it."""
        return self._welcome is not None and self.reconnect_ms > 0

    def resume(self, stream: Stream) -> None:
        """Go on with a new stream: the welcome again, and the open ask with its time left."""
        if self.grace is not None:
            self.grace.cancel()
            self.grace = None
        self.lose_stream()
        self.stream = stream
        assert self._welcome is not None, "who has a ticket was welcomed"
        stream.send(self._welcome)
        if self._ask is not None and not wire.settled(self._ask.data, self._heard):
            passed_ms = (time.monotonic_ns() - self._handed_over) / 1e6
            if (ask := wire.with_time_left(self._ask.data, passed_ms)) is not None:
                stream.send(ask)
        self.tell(Reconnected())


class Lobby:
    """Brings streams and places together, first come, first served."""

    def __init__(self, most_waiting: int) -> None:
        self._most_waiting = most_waiting
        self._waiting: defaultdict[str, deque[Stream]] = defaultdict(deque)
        self._wanting: defaultdict[str, deque[Place]] = defaultdict(deque)
        self._places: dict[Stream, Place] = {}
        self._tickets: dict[str, Place] = {}
        self._stopping = False
        self._log = structlog.get_logger().bind(part="lobby")

    @property
    def streams(self) -> list[Stream]:
        """All streams, waiting or seated."""
        waiting = [stream for line in self._waiting.values() for stream in line]
        return [*waiting, *self._places]

    def enter(self, stream: Stream) -> None:
        """Take in a stream: into its broken stream's place, to a table that waits, or to wait."""
        place = self._tickets.get(stream.hello.resume)
        if place is not None and place.bot == stream.bot:
            self._resume(place, stream)
        elif self._wanting[stream.bot]:
            self._seat(self._wanting[stream.bot].popleft(), stream)
        elif len(self._waiting[stream.bot]) < self._most_waiting:
            self._waiting[stream.bot].append(stream)
        else:
            why = f"{self._most_waiting} of your streams wait already"
            stream.close(wire.goodbye("refused", why))

    def leave(self, stream: Stream) -> None:
        """Note that a stream has ended, whoever ended it."""
        place = self._places.pop(stream, None)
        if place is None:
            self._wait_no_more(stream)
            return
        if self._stopping:
            self._forget(place)  # its shard hears that the arena is gone, and of nobody's fault
            return
        place.lose_stream()
        if not place.resumable:
            self._end(place, "the stream ended")
            return
        self._log.info("stream broke", bot=place.bot, table=place.table)
        loop = asyncio.get_running_loop()
        why = f"the stream broke, and nobody came back within {place.reconnect_ms} ms"
        place.grace = loop.call_later(place.reconnect_ms / 1000, self._end, place, why)

    async def hear(self, stream: Stream, data: bytes, arrived: int) -> None:
        """Take a message that came after the hello."""
        place = self._places.get(stream)
        if place is not None:
            await place.take(data, arrived)
        elif self._wait_no_more(stream):
            stream.close(wire.goodbye("refused", "nothing was asked; wait for the welcome"))

    def want(self, place: Place) -> None:
        """Find a stream for a place, now or later."""
        if self._waiting[place.bot]:
            self._seat(place, self._waiting[place.bot].popleft())
        else:
            self._wanting[place.bot].append(place)

    def give_up(self, place: Place, farewell: bytes | None) -> None:
        """Free a place, whose shard needs it no more or is gone."""
        if place in self._wanting[place.bot]:
            self._wanting[place.bot].remove(place)
        stream = self._forget(place)
        if stream is not None:
            stream.close(farewell or wire.goodbye("stopped", "the table is gone"))

    def keep(self, valid_digests: set[str]) -> None:
        """End the streams whose token is valid no more, with no way back."""
        for stream in self.streams:
            if stream.token_digest in valid_digests:
                continue
            place = self._places.get(stream)
            if place is not None:
                self._end(place, "its token was revoked")
            self._wait_no_more(stream)
            self._log.info("token revoked", bot=stream.bot)
            stream.close(wire.goodbye("refused", "your token was revoked"))
        for place in list(self._tickets.values()):
            if place.stream is None and place.token_digest not in valid_digests:
                self._end(place, "its token was revoked")

    def stop(self) -> None:
        """Say goodbye to everybody; what ends from now on is nobody's fault."""
        self._stopping = True
        for stream in self.streams:
            stream.close(wire.goodbye("stopped", "the arena closes"))

    def _wait_no_more(self, stream: Stream) -> bool:
        """Take a stream out of its line; return whether it stood there."""
        waiting = self._waiting[stream.bot]
        if stream not in waiting:
            return False
        waiting.remove(stream)
        return True

    def _seat(self, place: Place, stream: Stream) -> None:
        place.stream = stream
        place.token_digest = stream.token_digest
        self._places[stream] = place
        self._tickets[place.ticket] = place
        self._log.info("seated", bot=place.bot, table=place.table)
        place.tell(Seated(stream.hello))

    def _resume(self, place: Place, stream: Stream) -> None:
        old = place.stream
        if old is not None:  # it broke on the bot's side, and nothing told us
            del self._places[old]
            old.close(wire.goodbye("refused", "another stream has taken this one's place"))
        self._places[stream] = place
        self._log.info("reconnected", bot=place.bot, table=place.table)
        place.resume(stream)

    def _end(self, place: Place, why: str) -> None:
        self._log.info("place lost", bot=place.bot, table=place.table, why=why)
        self._forget(place)
        place.tell(Ended(why))

    def _forget(self, place: Place) -> Stream | None:
        """Take a place out of all books; return the stream that it had."""
        self._tickets.pop(place.ticket, None)
        if place.grace is not None:
            place.grace.cancel()
            place.grace = None
        stream, place.stream = place.stream, None
        if stream is not None:
            self._places.pop(stream, None)
        return stream

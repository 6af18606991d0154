"""The contract between a bot's stream and the seat that uses it; no transport in it."""

from typing import Protocol

from arena.wire import Hello

Arrival = tuple[bytes, int]
"""A message and when it was read, in nanoseconds of the monotonic clock."""


class Session(Protocol):
    """The arena's end of one bot's stream, used from trio alone."""

    hello: Hello
    handed_over: int | None
    """When the last question went to the stream, on the clock of arrivals; None while it waits."""

    def send(self, message: bytes) -> None:
        """Hand a message to the stream; never waits, and is silent on a dead stream."""

    def ask(self, question: bytes) -> None:
        """Send a message and note in `handed_over` when the stream has it."""

    async def receive(self) -> Arrival:
        """Return the next message. Raises trio.EndOfChannel when the stream has ended."""

    def close(self, farewell: bytes | None = None) -> None:
        """Send a last message and end the stream; never waits."""

"""Messages with their length before them, as they go through pipes and sockets."""

from typing import Final

from arena.errors import ArenaError

LENGTH_BYTES: Final = 4


class FrameError(ArenaError):
    """The other end broke off within a frame, or sent what is none."""


def framed(body: bytes) -> bytes:
    """Return a message with its length before it."""
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def length_of(head: bytes | bytearray, most_bytes: int) -> int:
    """Return the length of the message that begins so. Raises FrameError above `most_bytes`."""
    length = int.from_bytes(head[:LENGTH_BYTES], "big")
    if length > most_bytes:
        raise FrameError(f"a frame of {length} bytes")
    return length


class Frames:
    """Cuts what arrives, in whatever pieces, into messages."""

    def __init__(self, most_bytes: int) -> None:
        """No message is longer than `most_bytes`."""
        self._most_bytes = most_bytes
        self._buffer = bytearray()
        self._start = 0
        """Where in the buffer the next frame begins."""

    def __bool__(self) -> bool:
        """Return whether anything has come that wasn't taken."""
        return len(self._buffer) > self._start

    def feed(self, data: bytes | bytearray) -> None:
        """Add what has arrived."""
        del self._buffer[: self._start]
        self._start = 0
        self._buffer += data

    def take(self) -> bytes | None:
        """Return the next whole message, or None. Raises FrameError for one that is too long."""
        body = self._start + LENGTH_BYTES
        if len(self._buffer) < body:
            return None
        end = body + length_of(self._buffer[self._start : body], self._most_bytes)
        if len(self._buffer) < end:
            return None
        self._start = end
        return bytes(self._buffer[body:end])

"""A bot that is up within a few milliseconds: HTTP/2 and protobuf by hand, over a unix socket.

It knows just enough to take the first legal action, so that thousands of launches take
minutes. Nothing but the standard library, and little of that.
"""

import os
import socket
import sys
from collections.abc import Iterator

DATA, HEADERS, SETTINGS, PING, GOAWAY = 0, 1, 4, 6, 7
ACKNOWLEDGED, END_OF_HEADERS = 1, 4
BATCH = 16


def frame(kind: int, flags: int, stream: int, content: bytes = b"") -> bytes:
    return (
        len(content).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + content
    )


def text(words: bytes) -> bytes:
    return bytes([len(words)]) + words


REQUEST = (
    b"\x83\x86\x04"  # :method POST, :scheme http; then :path, :authority, content-type, te
    + text(b"/arena.v1.ArenaService/Play")
    + b"\x01" + text(b"localhost")
    + b"\x0f\x10" + text(b"application/grpc")
    + b"\x00" + text(b"te") + text(b"trailers")
)  # fmt: skip


def varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def field(number: int, value: "int | bytes") -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, "int | bytes"]]:
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        value: int | bytes
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        elif tag & 7 == 2:
            size, at = read_varint(data, at)
            value, at = data[at : at + size], at + size
        else:  # four bytes; the protocol has nothing of eight
            value, at = data[at : at + 4], at + 4
        yield tag >> 3, value


class Stream:
    """One call on a connection of its own."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._unread = b""
        self._socket.sendall(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            + frame(SETTINGS, 0, 0)
            + frame(HEADERS, END_OF_HEADERS, 1, REQUEST)
        )

    def say(self, message: bytes) -> None:
        content = b"\0" + len(message).to_bytes(4, "big") + message
        self._socket.sendall(frame(DATA, 0, 1, content))

    def messages(self) -> Iterator[bytes]:
        buffer = b""
        for content in self._data():
            buffer += content
            while len(buffer) >= 5 and len(buffer) >= (end := 5 + int.from_bytes(buffer[1:5])):
                yield buffer[5:end]
                buffer = buffer[end:]

    def _data(self) -> Iterator[bytes]:
        while head := self._exactly(9):
            content = self._exactly(int.from_bytes(head[:3], "big"))
            kind, flags = head[3], head[4]
            if kind == DATA:
                yield content
            elif kind in {SETTINGS, PING} and not flags & ACKNOWLEDGED:
                echo = content if kind == PING else b""
                self._socket.sendall(frame(kind, ACKNOWLEDGED, 0, echo))
            elif kind == GOAWAY or (kind == HEADERS and flags & 1):
                return  # the trailers

    def _exactly(self, size: int) -> bytes:
        """Return so many bytes, or none at the end."""
        while len(self._unread) < size:
            chunk = self._socket.recv(1 << 16)
            if not chunk:
                return b""
            self._unread += chunk
        wanted, self._unread = self._unread[:size], self._unread[size:]
        return wanted


def answer(ask: bytes) -> bytes:
    ask_id, actions = 0, b""
    for number, value in fields(ask):
        if number == 1 and isinstance(value, int):
            ask_id = value
        elif number == 3 and isinstance(value, bytes):
            legal = dict(fields(value))[11]
            assert isinstance(legal, bytes)
            actions += legal[:1]
    return field(2, field(1, ask_id) + field(2, actions))


def main() -> None:
    stream = Stream(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    token = os.environ["ARENA_TOKEN"].encode()
    stream.say(field(1, field(1, token) + field(2, b"light") + field(4, 1) + field(5, BATCH)))
    for message in stream.messages():
        ((kind, content),) = fields(message)
        if kind == 2 and isinstance(content, bytes):
            stream.say(answer(content))
        elif kind == 5:
            sys.exit()


if __name__ == "__main__":
    main()

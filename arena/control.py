"""The private end of `arena serve`: shards ask here for streams of remote bots."""

import asyncio
import contextlib
import hmac
import os
import secrets
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import msgspec

from arena import lobby_frames
from arena.errors import OperatorError
from arena.framing import LENGTH_BYTES, FrameError, length_of
from arena.lobby import Lobby, Place
from arena.lobby_frames import MOST_BYTES, Leave, ToBot, ToShard, Wanted

_BACKLOG: Final = 4096
"""Places may be asked for all at once by many tables; the system cuts this to its own limit."""
_KEY_BYTES: Final = 32
_PRIVATE: Final = 0o177
"""Mask that leaves reading and writing to the owner."""


@contextlib.asynccontextmanager
async def open_control(folder: Path, lobby: Lobby) -> AsyncIterator[None]:
    """Let shards come while the context is open. Raises OperatorError.

    The caller holds the folder's lock, so a socket that is there is a dead process's.
    """
    connections: set[asyncio.StreamWriter] = set()
    key = secrets.token_hex(_KEY_BYTES)

    async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(writer)
        try:
            await _attend(lobby, key, reader, writer)
        finally:
            connections.discard(writer)

    place = folder / lobby_frames.SOCKET
    _keep(folder / lobby_frames.KEY, key)
    server = await asyncio.start_unix_server(attend, sock=_bound(folder), backlog=_BACKLOG)
    try:
        yield
    finally:
        server.close()
        for writer in list(connections):
            writer.close()  # ends its reader, too
        for left in (place, folder / lobby_frames.KEY):
            with contextlib.suppress(OSError):
                left.unlink()


def _keep(file: Path, key: str) -> None:
    try:
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as kept:
            kept.write(key)
    except OSError as error:
        raise OperatorError(f"cannot write {file}: {error.strerror}") from None


def _bound(folder: Path) -> socket.socket:
    """Return the socket, readable and writable by the operator alone."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(_PRIVATE)
    try:
        with contextlib.suppress(FileNotFoundError):
            (folder / lobby_frames.SOCKET).unlink()
        bound.bind(lobby_frames.short_path(descriptor))
    except OSError as error:
        bound.close()
        raise OperatorError(f"cannot make a socket in {folder}: {error.strerror}") from None
    finally:
        os.umask(before)
        os.close(descriptor)
    return bound


async def _attend(
    lobby: Lobby, key: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Serve one place of one table until its shard leaves."""

    def tell(message: ToShard) -> None:
        writer.write(lobby_frames.encode(message))

    async def settle() -> None:
        with contextlib.suppress(ConnectionError):  # its reader sees it
            await writer.drain()

    place: Place | None = None
    farewell: bytes | None = None
    try:
        while (body := await _next(reader)) is not None:
            match lobby_frames.to_lobby(body):
                case Wanted() as wanted if place is None and _same(wanted.key, key):
                    place = Place(wanted, tell, settle)
                    lobby.want(place)
                case ToBot() as message if place is not None:
                    place.pass_on(message)
                case Leave(farewell=last):
                    farewell = last
                    break
                case _:
                    break
    except msgspec.DecodeError:
        pass  # not a shard of this arena
    finally:
        if place is not None:
            lobby.give_up(place, farewell)
        writer.close()


def _same(shown: str, key: str) -> bool:
    return hmac.compare_digest(shown.encode(), key.encode())


async def _next(reader: asyncio.StreamReader) -> bytes | None:
    """Return the next frame's body, or None when there is none."""
    try:
        head = await reader.readexactly(LENGTH_BYTES)
        return await reader.readexactly(length_of(head, MOST_BYTES))
    except (FrameError, asyncio.IncompleteReadError, ConnectionError):
        return None

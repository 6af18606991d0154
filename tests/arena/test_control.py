"""Shards come to the lobby all at once, or to one that isn't there."""

import contextlib
import os
import signal
import socket
import stat
from pathlib import Path

import pytest
import trio

from arena import lobby_frames
from arena.errors import OperatorError
from arena.home import home
from arena.lobby_frames import Wanted
from arena.lock import locked
from arena.remote import LobbyGoneError, require_lobby
from tests.arena.clients import client, hello
from tests.arena.runs import PATIENCE_S
from tests.arena.serving import registered, served
from tests.machine import needs_files

MANY = min(1000, int(Path("/proc/sys/net/core/somaxconn").read_text()))
"""No more than the system lets wait."""


@needs_files(MANY + 500)
async def test_many_places_are_asked_for_at_once() -> None:
    with served() as server:
        server.process.send_signal(signal.SIGSTOP)  # it takes nobody in
        try:
            for _ in range(MANY):
                await require_lobby(home())
        finally:
            server.process.send_signal(signal.SIGCONT)
        await require_lobby(home())


async def test_a_lobby_that_is_busy_is_tried_again(short: Path) -> None:
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(short / lobby_frames.SOCKET))
        listener.listen(0)
        waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
        waiting.connect(str(short / lobby_frames.SOCKET))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(require_lobby, short)
            await trio.sleep(0.05)
            for _ in range(2):
                taken, _ = await trio.to_thread.run_sync(listener.accept)
                taken.close()


@pytest.mark.parametrize("shown", ["", "wrong", "ä" * 64])
async def test_who_does_not_know_the_key_gets_no_bot(shown: str) -> None:
    token = registered("far")
    with served() as server, client(server.address) as far:
        far.say(hello(token))
        descriptor = os.open(home(), os.O_RDONLY | os.O_DIRECTORY)
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as thief:
            thief.settimeout(PATIENCE_S)
            thief.connect(lobby_frames.short_path(descriptor))
            thief.sendall(lobby_frames.encode(Wanted("far", 0, "a table", shown)))
            assert thief.recv(1) == b"", "hung up, with nothing said"
        os.close(descriptor)
        assert stat.S_IMODE((home() / lobby_frames.KEY).stat().st_mode) == 0o600
        server.process.terminate()
        await trio.to_thread.run_sync(server.process.wait)
    assert not (home() / lobby_frames.KEY).exists()


async def test_what_is_no_lobby_s_absence_is_told_as_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(NotADirectoryError):
        await require_lobby(file)
    (tmp_path / lobby_frames.SOCKET).symlink_to(tmp_path / lobby_frames.SOCKET)
    with pytest.raises(OSError, match="symbolic links") as caught:
        await require_lobby(tmp_path)
    assert not isinstance(caught.value, LobbyGoneError)


def test_a_lock_is_held_once(tmp_path: Path) -> None:
    first = locked(tmp_path, "lock", str)
    with pytest.raises(OperatorError, match=f"held by {os.getpid()}"):
        locked(tmp_path, "lock", lambda holder: f"held by {holder}")
    os.close(first)
    os.close(locked(tmp_path, "lock", str))

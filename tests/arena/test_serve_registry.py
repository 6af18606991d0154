"""What `arena serve` knows of tokens: from its first moment on, and when they can't be read."""

import asyncio
import contextlib
import itertools
import os
import queue
import sqlite3
import sys
import time
from collections.abc import Iterator

import grpc
import pytest

from arena import store, tokens
from arena.doorman import DoorRules
from arena.home import home
from arena.lobby import Lobby
from arena.serving import _WATCH_S, _Diary, _Watch
from tests.arena import runs
from tests.arena.clients import client, free_port, hello
from tests.arena.runs import PATIENCE_S, running, until
from tests.arena.serving import registered, served

EAGER = [("grpc.initial_reconnect_backoff_ms", 20), ("grpc.max_reconnect_backoff_ms", 50)]
PLAY = "/arena.v1.ArenaService/Play"


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Keep everybody from reading the registry."""
    with contextlib.closing(sqlite3.connect(home() / store.FILE)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("UPDATE tokens SET made = made")
        connection.commit()
        yield


def test_who_dials_during_the_start_is_let_in() -> None:
    token = registered()
    address = f"127.0.0.1:{free_port()}"
    silence: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    with contextlib.ExitStack() as stack:
        with locked():
            process = stack.enter_context(running("serve", "--address", address))
            until((home() / "serve.lock").exists)
            bot = stack.enter_context(client(address, EAGER))
            said = itertools.chain([hello(token)], iter(silence.get, None))
            call = bot.channel.stream_stream(PLAY)(said, wait_for_ready=True)
            time.sleep(2)  # which is when it used to listen
        until(lambda: tokens.states()["far"].last_seen is not None)
        assert call.is_active()
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert len(list(call)) == 1, "its goodbye is all that it hears"
        assert call.code() == grpc.StatusCode.OK


MISTAKEN = """
import sys
from arena import tokens
from arena.cli import main
from arena.home import home

right = tokens.{name}

def mistaken(*words):
    if (home() / "mistaken").exists():
        raise ValueError("a bug of ours")
    return right(*words)

tokens.{name} = mistaken
sys.exit(main())
"""
"""An arena with a bug that shows once it is told to."""


@pytest.mark.parametrize(
    ("name", "because"),
    [("states", "who looks for changes fails"), ("saw", "who notes that a bot was seen fails")],
)
def test_what_fails_unexpectedly_ends_the_server_loudly(
    name: str, because: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "ARENA", [sys.executable, "-c", MISTAKEN.format(name=name)])
    token = registered()
    with served() as server:
        (home() / "mistaken").touch()
        (home() / store.FILE).touch()
        with client(server.address) as bot:
            bot.say(hello(token))
            assert server.process.wait(PATIENCE_S) not in {0, 2}, because
        assert "a bug of ours" in server.process.stderr.read()


def test_a_registry_that_is_damaged_ends_nobody() -> None:
    token = registered()
    with served() as server:
        with contextlib.closing(sqlite3.connect(home() / store.FILE)) as connection:
            connection.execute("ALTER TABLE tokens RENAME TO other")
            connection.commit()
        told = server.process.stderr
        assert any("unreadable" in line and "is damaged" in line for line in told)
        with client(server.address) as bot:
            bot.say(hello(token))
            assert any("unwritable" in line for line in told), "its token is still known"
        assert server.process.poll() is None


def test_a_registry_that_cannot_be_read_is_read_again_at_the_next_look() -> None:
    """Even when no time stamp tells that it can be read again."""
    registered()
    file = home() / store.FILE
    whole = file.read_bytes()
    watch = _Watch(home(), Lobby(DoorRules().waiting_per_bot), _Diary())

    async def look() -> None:
        await watch.refresh()
        assert not watch.digests
        stamp = file.stat()
        file.write_bytes(whole)
        os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        await asyncio.sleep(_WATCH_S)
        await watch.refresh()
        assert watch.digests.keys() == {"far"}

    file.write_bytes(b"x" * len(whole))
    asyncio.run(look())

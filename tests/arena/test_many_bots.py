"""Bots by the hundred: starting together, dropping their streams, and servers by the dozen."""

import ast
import gc
import socket
import sys
import threading
from pathlib import Path

import psutil
import pytest
import trio

from arena import wire
from arena.launcher import Grounds, Launcher
from arena.records import BotEntry, Limits
from arena.sandbox import Sandbox
from arena.seat import BotFailedError
from arena.server import GrpcSession, Server, open_server
from tests.arena.clients import TOKEN, hello
from tests.arena.runs import PATIENCE_S, ROOT, arena, bot, deals, left_over, write_league
from tests.arena.waiting import comes
from tests.bots.light_bot import Stream
from tests.machine import needs_files

LIGHT_BOT = ROOT / "tests" / "bots" / "light_bot.py"
MANY = 150


def grounds(server: Server, startup_ms: int) -> Grounds:
    """Without a sandbox, which costs a start some time of its own."""
    socket = Path(server.address.removeprefix("unix:"))
    return Grounds(server, socket, Limits(startup_ms=startup_ms), Sandbox("limits"))


def entry(*command: str) -> BotEntry:
    return BotEntry("light", "1", command, str(ROOT), "")


@needs_files(10 * MANY)
async def test_many_bots_starting_together_all_come_up(tmp_path: Path, short: Path) -> None:
    """And one that never does keeps nobody waiting."""
    up = 0
    light = entry(sys.executable, "-I", "-S", str(LIGHT_BOT))
    async with open_server(f"unix:{short / 's'}") as server, trio.open_nursery() as bots:

        def launcher(number: int, bot: BotEntry) -> Launcher:
            place = tmp_path / f"seat{number}"
            return Launcher(bots, grounds(server, 120_000), bot, place, place / "log")

        (tmp_path / "scratch").write_text(str(tmp_path))  # for `left_over`

        launchers = [launcher(number, light) for number in range(MANY)]

        async def start(one: Launcher) -> None:
            nonlocal up
            session = await one.start()
            assert session.hello.name == "light"
            up += 1

        sleeper = launcher(MANY, entry("sleep", "1000"))
        async with trio.open_nursery() as waiting:
            waiting.start_soon(start, sleeper)
            async with trio.open_nursery() as others:
                for one in launchers:
                    others.start_soon(start, one)
            assert up == MANY
            waiting.cancel_scope.cancel()
        async with trio.open_nursery() as stopping:
            for one in (*launchers, sleeper):
                stopping.start_soon(one.stop)
    assert not left_over(tmp_path)


SLEEPS = "import time, runpy; time.sleep({seconds}); runpy.run_path({bot!r}, run_name='__main__')"


@pytest.mark.parametrize(
    ("seconds", "verdict"), [(2, "came up"), (999, "no hello within 20000 ms")]
)
async def test_a_slow_start_gets_the_same_verdict_every_time(
    seconds: float, verdict: str, tmp_path: Path, short: Path
) -> None:
    """Loading a model isn't thinking: it has a limit of its own, here twenty seconds."""
    program = SLEEPS.format(seconds=seconds, bot=str(LIGHT_BOT))
    verdicts: list[str] = []
    async with open_server(f"unix:{short / 's'}") as server, trio.open_nursery() as bots:

        async def start(number: int) -> None:
            place = tmp_path / f"seat{number}"
            slow = entry(sys.executable, "-c", program)
            launcher = Launcher(bots, grounds(server, 20_000), slow, place, place / "log")
            try:
                await launcher.start()
                verdicts.append("came up")
            except BotFailedError as error:
                verdicts.append(str(error).partition(";")[0])
            await launcher.stop()

        async with trio.open_nursery() as starting:
            for number in range(10):
                starting.start_soon(start, number)
    assert verdicts == [verdict] * 10


def sessions() -> int:
    gc.collect()
    return sum(isinstance(each, GrpcSession) for each in gc.get_objects())


async def test_streams_that_are_dropped_leave_nothing_behind(short: Path) -> None:
    """In the middle of a question, again and again, as a bot that crashes each game does."""
    me = psutil.Process()
    path = short / "s"

    async def drop(times: int) -> None:
        for _ in range(times):
            with server.expect(TOKEN) as arrivals:
                stream = await trio.to_thread.run_sync(Stream, str(path))
                stream.say(hello())
                session = await arrivals.receive()
                session.send(wire.fault(1, "late", "x" * 10_000, 1))
                stream._socket.shutdown(socket.SHUT_RDWR)
                stream._socket.close()
                with trio.fail_after(PATIENCE_S), pytest.raises(trio.EndOfChannel):
                    await session.receive()

    async with open_server(f"unix:{path}") as server:
        await drop(200)
        memory, descriptors = me.memory_info().rss, me.num_fds()
        await drop(800)
        await comes(lambda: me.num_fds() <= descriptors + 2 and sessions() <= 4)
        assert me.memory_info().rss - memory < 8 << 20


async def test_servers_that_come_and_go_leave_nothing_behind(short: Path) -> None:
    """A thousand times: a hang at a server's end showed once in hundreds elsewhere."""
    me = psutil.Process()
    for number in range(1000):
        if number == 100:
            threads, descriptors = threading.active_count(), me.num_fds()
        async with open_server(f"unix:{short / 's'}"):
            pass
    await comes(lambda: threading.active_count() <= threads)
    await comes(lambda: me.num_fds() <= descriptors + 2)


async def test_a_server_whose_start_is_broken_off_leaves_nothing_behind(short: Path) -> None:
    threads = threading.active_count()
    for _ in range(5):
        with trio.move_on_after(0):
            async with open_server(f"unix:{short / 's'}"):
                await trio.sleep_forever()
    assert "grpc" not in {thread.name for thread in threading.enumerate()}
    assert threading.active_count() <= threads + 1, "trio keeps one that it waited with"


@pytest.mark.parametrize("support", ["0", "1"])
def test_launching_works_with_and_without_grpcs_fork_handlers(
    support: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRPC_ENABLE_FORK_SUPPORT", support)
    crashing = bot("b", "--vice-of-seat", "1=crashes --at 2", "--max-batch", 1)
    file = write_league(tmp_path / "league.toml", bots=[crashing])
    assert arena("run", file).returncode == 0
    assert len(deals(tmp_path / "league")) == 6


def test_the_arena_never_forks() -> None:
    """Forking beside gRPC's threads is what hangs elsewhere; programs are spawned instead."""
    for module in (ROOT / "arena").rglob("*.py"):
        tree = ast.parse(module.read_bytes())
        named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        imported = {
            name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in node.names
        }
        assert not named & {"fork", "forkpty"}, module
        assert not imported & {"multiprocessing", "fork", "concurrent"}, module
        keywords = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
        assert "preexec_fn" not in keywords, module

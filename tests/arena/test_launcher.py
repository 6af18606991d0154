"""Bringing one bot up, in its place and with little else; again after it was lost."""

import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import trio

from arena.launcher import Grounds, Launcher
from arena.records import BotEntry, Level, Limits
from arena.sandbox import Sandbox
from arena.seat import BotFailedError
from arena.server import open_server
from tests.arena.runs import PATIENCE_S, ROOT, runs_below, scripted, until
from tests.arena.waiting import comes, heard
from tests.machine import short_folder


@contextlib.asynccontextmanager
async def launcher(
    command: list[str], folder: Path, startup_ms: int = 60_000, level: Level = "limits"
) -> AsyncIterator[Launcher]:
    bot = BotEntry("bot", "1", tuple(command), str(ROOT), "")
    with short_folder() as short:
        async with open_server(f"unix:{short / 's'}") as server, trio.open_nursery() as nursery:
            limits = Limits(startup_ms=startup_ms)
            grounds = Grounds(server, short / "s", limits, Sandbox(level))
            made = Launcher(nursery, grounds, bot, folder / "seat2", folder / "out.log")
            try:
                yield made
            finally:
                await made.stop()


async def test_a_bot_comes_up_again_and_again(level: Level, tmp_path: Path) -> None:
    async with launcher(scripted("--name", "Ödön", "--max-batch", 7), tmp_path, level=level) as bot:
        tokens, pids = set(), set()
        for _ in range(3):
            session = await bot.start()
            assert (session.hello.name, session.hello.max_batch) == ("Ödön", 7)
            tokens.add(session.hello.token)
            assert bot._process is not None
            pids.add(bot._process.pid)
        assert (len(tokens), len(pids)) == (3, 3)
        folders = sorted(path.name for path in (tmp_path / "seat2").iterdir())
        assert len(set(folders)) == 3, "each starts in an empty one"


async def test_the_old_process_ends_before_the_new_one_starts(level: Level, tmp_path: Path) -> None:
    async with launcher(scripted(), tmp_path, level=level) as bot:
        await bot.start()
        old = bot._process
        assert old is not None
        await bot.start()
        assert old.exit_text != "still running"


@pytest.mark.parametrize(
    ("command", "startup_ms", "problem"),
    [
        (scripted("--vice", "fails"), 60_000, "exit status 1; its last lines:\nno model file\n"),
        (["sh", "-c", "exit 5"], 60_000, "exit status 5; it printed nothing"),
        (["sh", "-c", "kill -SEGV $$"], 60_000, "killed by SIGSEGV; it printed nothing"),
        (["sleep", "999"], 300, "no hello within 300 ms; it printed nothing"),
        (
            ["sh", "-c", "echo loading; exec sleep 999"],
            3000,
            "no hello within 3000 ms; its last lines:\nloading",
        ),
        (scripted("--vice", "wrong_token"), 60_000, "exit status 0; its last lines:"),
        (["no-such-program"], 60_000, "no-such-program"),
    ],
)
async def test_a_bot_that_does_not_come_up(
    command: list[str], startup_ms: int, problem: str, level: Level, tmp_path: Path
) -> None:
    async with launcher(command, tmp_path, startup_ms, level) as bot:
        with pytest.raises(BotFailedError) as raised:
            await bot.start()
        assert problem in str(raised.value)
        assert bot._process is None
        assert bot.last_words == ""


async def test_a_folder_that_has_gone(level: Level, tmp_path: Path) -> None:
    async with launcher(["true"], tmp_path, level=level) as bot:
        bot._bot = BotEntry("bot", "1", ("true",), str(tmp_path / "gone"), "")
        with pytest.raises(BotFailedError, match=r"can't be started: .*gone"):
            await bot.start()


@pytest.mark.usefixtures("ample_time")
async def test_a_start_can_be_cancelled(level: Level, tmp_path: Path) -> None:
    command = ["sleep", "999"]
    async with launcher(command, tmp_path, level=level) as bot:
        async with trio.open_nursery() as starting:
            starting.start_soon(bot.start)
            await comes(lambda: bot._process and runs_below(bot._process.pid, command))
            starting.cancel_scope.cancel()
        assert bot._process is not None, "stopping it is the owner's business"
        process = bot._process
    assert process.exit_text == "killed by SIGTERM"


async def test_the_last_words_of_a_bot_that_was_up(level: Level, tmp_path: Path) -> None:
    async with launcher(scripted("--vice", "crashes"), tmp_path, level=level) as bot:
        session = await bot.start()
        assert bot.last_words.startswith("still running; ")
        session.send(b"\x12\x02\x08\x01")  # an ask without questions
        assert bot._process is not None
        with trio.fail_after(PATIENCE_S):
            await bot._process.wait()
        said = "exit status 3; its last lines:\nan error that nobody foresaw"
        await comes(lambda: bot.last_words == said)


TIDY = """
import os, signal, sys, time
def tidy(*_):
    os.write(1, b"tidied up\\n")
    sys.exit(7)
signal.signal(signal.SIGTERM, tidy)
os.write(1, b"up\\n")
time.sleep(999)
"""


@pytest.mark.usefixtures("ample_time")
async def test_a_bot_has_time_to_tidy_up(level: Level, tmp_path: Path) -> None:
    """Whoever holds a sandbox would end at once by the same signal."""
    async with launcher([sys.executable, "-c", TIDY], tmp_path, level=level) as bot:
        process = bot._launch("token")
        await heard(process, "up")
        await process.stop()
        assert process.exit_text == "exit status 7"
        await comes(lambda: list(process.tail) == ["up", "tidied up"])


async def test_a_frozen_world_is_ended(level: Level, tmp_path: Path) -> None:
    """It stops all of its group, and with it whoever holds its sandbox."""
    freezes = "print('up', flush=True); import os; os.kill(0, 19)"
    async with launcher([sys.executable, "-c", freezes], tmp_path, level=level) as bot:
        process = bot._launch("token")
        await heard(process, "up")
        started = psutil.Process(process.pid)
        until(
            lambda: (
                psutil.STATUS_STOPPED
                in {each.status() for each in (started, *started.children(recursive=True))}
            )
        )
        await process.stop()
        assert process.exit_text == "killed by SIGKILL"

"""How leagues are stopped from outside: terminals, other tools, and bots that end just then."""

import os
import pty
import select
import shlex
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
import trio

from arena.output import BoundedLog
from arena.process import environment, launch
from arena.status import read_status
from tests.arena.runs import (
    ARENA,
    PATIENCE_S,
    ROOT,
    arena,
    bot,
    deals,
    incidents,
    journal_lines,
    left_over,
    running,
    scripted,
    until,
    write_league,
)

PATIENT = {"startup_ms": 60_000, "decision_ms": 30_000}


def league(tmp_path: Path, *words: object, **keys: object) -> Path:
    keys = {"deals": 300, "slice_deals": 100, "limits": PATIENT, **keys}
    return write_league(tmp_path / "league.toml", bots=[bot("scripted", *words)], **keys)


class Terminal:
    """The end of a terminal at which people sit."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._looked_away = threading.Event()
        self._reader = threading.Thread(target=self._read)

    def type(self, keys: bytes) -> None:
        os.write(self._descriptor, keys)

    def look(self) -> None:
        """Take all that is printed from now on."""
        self._reader.start()

    def close(self) -> None:
        """Hang up, with nobody reading any more: a number that is closed may be another's."""
        self._looked_away.set()
        if self._reader.ident is not None:
            self._reader.join()
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def _read(self) -> None:
        with suppress(OSError):  # closed at its other end
            while not self._looked_away.is_set():
                if select.select([self._descriptor], [], [], 0.05)[0]:
                    os.read(self._descriptor, 1 << 16)


@contextmanager
def in_terminal(*words: object) -> Iterator[tuple[Terminal, "subprocess.Popen[bytes]"]]:
    """Run a command of the arena in a terminal; yield the terminal's other end."""
    outside, inside = pty.openpty()
    terminal = Terminal(outside)
    command = ["setsid", "--ctty", *ARENA, *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT, stdin=inside, stdout=inside, stderr=inside) as process:
        os.close(inside)
        try:
            yield terminal, process
        finally:
            process.kill()
            terminal.close()


def ctrl_c(terminal: Terminal) -> None:
    terminal.type(b"\x03")


def hang_up(terminal: Terminal) -> None:
    terminal.close()


@pytest.mark.parametrize("end", [ctrl_c, hang_up], ids=["Ctrl-C", "the terminal is closed"])
def test_a_terminal_stops_its_league_and_blames_nobody(
    end: Callable[[Terminal], None], tmp_path: Path
) -> None:
    """The keys reach all that belong to the terminal; bots and shards don't."""
    file = league(tmp_path, "--vice", "mute", "--at", 300, "--max-batch", 1)
    folder = tmp_path / "league"
    with in_terminal("run", file) as (terminal, process):
        terminal.look()
        until(lambda: journal_lines(folder) > 3)
        end(terminal)
        # Well below the time that the bots have for the question before them.
        assert process.wait(25) == 130
    assert not left_over(folder)
    assert not incidents(folder)
    assert not any(line.faults for line in deals(folder)), "open deals are no bot's loss"
    assert arena("log", "verify", folder).returncode == 4


def test_a_terminal_that_stands_still_stops_no_league(tmp_path: Path) -> None:
    """As after Ctrl-S: nothing that the arena prints is taken, until somebody looks again."""
    file = league(tmp_path, deals=600)
    folder = tmp_path / "league"
    with in_terminal("run", file) as (terminal, process):
        until(lambda: journal_lines(folder) > 3)
        terminal.type(b"\x13")
        until(lambda: read_status(folder).done == 600)
        assert process.poll() is None, "it can't say yet that it is over"
        terminal.type(b"\x11")
        terminal.look()
        assert process.wait(PATIENCE_S) == 0
    assert not left_over(folder)


def test_a_tool_that_runs_out_of_patience_leaves_nothing(tmp_path: Path) -> None:
    """One bot never answers, so that the league surely lasts so long; the others are deaf."""
    file = league(tmp_path, "--vice", "deaf", "--vice-of-seat", "0=mute")
    command = ["timeout", "12", *ARENA, "run", str(file), "--quiet"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=PATIENCE_S)
    assert run.returncode == 124
    assert not left_over(tmp_path / "league")


def test_a_bot_behind_a_shell_leaves_no_grandchildren(tmp_path: Path) -> None:
    words = shlex.join(scripted())
    wrapped = bot("wrapped", command=["sh", "-c", f"{words} & wait"])
    file = write_league(tmp_path / "league.toml", bots=[wrapped], limits=PATIENT)
    # A sandbox would end them by itself, and shows no files that only the shell knows of.
    assert arena("run", file, "--sandbox", "limits").returncode == 0
    assert not left_over(tmp_path / "league")
    assert not any(line.faults or line.stood_down for line in deals(tmp_path / "league"))


def test_a_table_that_ends_takes_no_other_along(tmp_path: Path) -> None:
    """Nobody answers, so that both are sure to be there all the time."""
    file = league(tmp_path, "--vice", "mute", workers=2)
    folder = tmp_path / "league"
    with running("run", file, "--quiet", "--sandbox", "limits") as run:
        until(lambda: len(left_over(folder)) == 11)
        first, second = psutil.Process(run.pid).children()
        bots = second.children()
        assert len(bots) == 4
        first.kill()
        until(lambda: "shard_lost" in (folder / "journal.jsonl").read_text())
        assert second.is_running()
        assert all(bot.is_running() for bot in bots)
        until(lambda: len(left_over(folder)) == 11)  # the lost one plays again


async def test_bots_that_end_just_as_they_are_stopped(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "bot.log")
    async with trio.open_nursery() as nursery:
        for number in range(40):
            process = launch(["sh", "-c", "exit 0"], tmp_path, environment(tmp_path, {}), log)
            nursery.start_soon(process.live)
            await trio.sleep(number / 4000)
            await process.stop()
            assert process.exit_text != "still running"

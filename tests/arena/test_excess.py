"""Bots that take more of the machine than they may, at each level of isolation."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from arena.records import Level
from tests.arena.runs import (
    PATIENCE_S,
    ROOT,
    arena,
    bot,
    deals,
    faults,
    footer,
    incidents,
    left_over,
    write_league,
)

GREEDY_BOT = str(ROOT / "tests" / "bots" / "greedy_bot.py")
PATIENT = {"startup_ms": 30_000, "decision_ms": 30_000, "strikes": 0}
DEALS = 8


def played(folder: Path, level: Level, greed: str, **limits: int) -> Path:
    """Play a league with one bot that takes too much; all deals are there, and nothing is left."""
    file = write_league(
        folder / "league.toml",
        bots=[bot("greedy", command=[sys.executable, GREEDY_BOT, greed])],
        limits={**PATIENT, **limits},
        deals=DEALS,
    )
    run = arena("run", file, "--sandbox", level)
    assert (run.returncode, run.stderr) == (0, "")
    assert len(deals(folder / "league")) == DEALS
    assert footer(folder / "league").missing == ()
    assert not left_over(folder / "league")
    return folder / "league"


@pytest.mark.parametrize(
    ("greed", "limits", "said"),
    [
        ("memory", {"memory_mb": 300}, "used more than 300 MB, and was killed"),
        ("processes", {"processes": 80}, "had more than 80 processes and threads, and was killed"),
    ],
)
def test_who_takes_too_much_is_killed_and_the_log_says_why(
    greed: str, limits: dict[str, int], said: str, level: Level, tmp_path: Path
) -> None:
    folder = played(tmp_path, level, greed, **limits)
    assert {seat for seat, _ in faults(deals(folder))} == {1}
    details = {(fault.fault, fault.detail) for line in deals(folder) for fault in line.faults}
    assert ("gone", said) in details
    (failed,) = incidents(folder)
    assert failed.incident == "bot_failed"
    assert said in failed.detail


def test_orphans_are_ended(level: Level, tmp_path: Path) -> None:
    """In bubblewrap's world they are still the bot's; elsewhere nobody is blamed."""
    folder = played(tmp_path, level, "orphans", processes=80)
    assert {seat for seat, _ in faults(deals(folder))} <= {1}
    if level != "bubblewrap":
        log = (folder / "logs" / "shards.log").read_text(encoding="utf-8")
        assert "orphans killed" in log, "while the league was played, not only at its end"


@pytest.mark.parametrize("greed", ["many_files", "empty_files", "files_without_a_name"])
def test_who_hoards_files_is_killed_or_refused(greed: str, level: Level, tmp_path: Path) -> None:
    """A folder of a limited size refuses what is too much, but not files that hold nothing."""
    if level == "bubblewrap" and greed != "empty_files":
        folder = played(tmp_path, level, greed, disk_mb=5, decision_ms=4000)
        (log,) = (folder / "logs" / "bots").glob("*-seat1.log")
        assert ": ENOSPC" in log.read_text(encoding="utf-8")
        return
    folder = played(tmp_path, level, greed, disk_mb=5)
    details = {(fault.fault, fault.detail) for line in deals(folder) for fault in line.faults}
    assert ("gone", "kept more than 5 MB in files, and was killed") in details
    assert {seat for seat, _ in faults(deals(folder))} == {1}


def test_a_file_counts_once(level: Level, tmp_path: Path) -> None:
    folder = played(tmp_path, level, "shared_file", disk_mb=5)
    assert not faults(deals(folder))


def test_files_are_refused(level: Level, tmp_path: Path) -> None:
    """The bot lives on."""
    folder = played(tmp_path, level, "goods", disk_mb=5, open_files=200)
    assert not faults(deals(folder))
    (log,) = (folder / "logs" / "bots").glob("*-seat1.log")
    told = dict(
        line.split(": ")
        for line in log.read_text(encoding="utf-8").splitlines()
        if line.split(": ")[0] in {"one large file", "open files"}
    )
    assert told["one large file"] in {"EFBIG", "ENOSPC"}
    assert told["open files"] == "EMFILE"


def test_a_family_of_any_size_is_found_whole() -> None:
    """The kernel tells of children a page at a time."""
    program = """
        import os, signal, time
        from arena.watchdog import family
        children = []
        for _ in range(1200):
            if (child := os.fork()) == 0:
                signal.pause()
            children.append(child)
        print(len(set(family(os.getpid())) & set(children)))
        for child in children:
            os.kill(child, signal.SIGKILL)
    """
    said = subprocess.check_output(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, text=True, timeout=PATIENCE_S
    )
    assert said == "1200\n"

"""Real leagues of real processes for tests, and what is left of them."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import psutil

from arena import journal_read
from arena.records import DealLine, Footer, IncidentLine

ROOT = Path(__file__).parent.parent.parent
SCRIPTED_BOT = str(ROOT / "tests" / "bots" / "scripted_bot.py")
ARENA = [sys.executable, "-c", "import sys; from arena.cli import main; sys.exit(main())"]
SEED = "ab" * 32
PATIENT = {"startup_ms": 60_000, "decision_ms": 10_000}
"""So much that a good bot is never late, whatever else the machine has to do."""
PATIENCE_S = 240
"""So much that what comes at all comes by then. Nobody waits for the rest of it."""


def scripted(*words: object) -> list[str]:
    return [sys.executable, SCRIPTED_BOT, *map(str, words)]


def bot(name: str, *words: object, command: list[str] | None = None) -> dict[str, object]:
    return {"name": name, "command": command or scripted(*words)}


def write_league(
    file: Path,
    *,
    bots: list[object],
    limits: dict[str, int] | None = None,
    patient: bool = True,
    journal: dict[str, bool] | None = None,
    **keys: object,
) -> Path:
    """Write a league file; TOML takes what JSON writes for strings, numbers and lists.

    Limits that aren't given are patient ones, or else the arena's own.
    """
    limits = {**(PATIENT if patient else {}), **(limits or {})}
    top = {"name": "test", "deals": 6, "seed": SEED, "workers": 1, **keys}
    lines = [f"{key} = {json.dumps(value)}" for key, value in top.items() if value is not None]
    named = [each for each in bots if isinstance(each, str)]
    if named:
        lines.append(f"bots = {json.dumps(named)}")
    for each in bots:
        if isinstance(each, dict):
            lines += ["[[bots]]", *(f"{key} = {json.dumps(value)}" for key, value in each.items())]
    for table, values in (("limits", limits), ("journal", journal)):
        if values:
            lines += [f"[{table}]", *(f"{k} = {json.dumps(v)}" for k, v in values.items())]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def arena(*words: object, timeout: float = 500) -> "subprocess.CompletedProcess[str]":
    """Run a command of the arena to its end."""
    return subprocess.run(
        [*ARENA, *map(str, words)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


@contextlib.contextmanager
def running(*words: object, by: Sequence[str] = ()) -> Iterator["subprocess.Popen[str]"]:
    """Run a command of the arena, `by` another; it is killed in the end if it still runs."""
    process = subprocess.Popen(
        [*by, *ARENA, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until(true: Callable[[], object], *, seconds: float = PATIENCE_S) -> None:
    """Wait for something that other processes bring about."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)


def runs_below(pid: int, command: list[str]) -> bool:
    """Whether a process or one that it started has become a command, past what confines it."""
    with contextlib.suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        return any(each.cmdline() == command for each in (first, *first.children(recursive=True)))
    return False


def let_in(doors: Path, numbers: Iterable[int]) -> None:
    """Let bots begin that wait to be let in, by the numbers of their launches."""
    for number in numbers:
        (doors / f"let-in{number}").touch()


def journal_lines(folder: Path) -> int:
    file = folder / "journal.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def deals(folder: Path) -> list[DealLine]:
    return [line for _, line in journal_read.read(folder) if isinstance(line, DealLine)]


def incidents(folder: Path) -> list[IncidentLine]:
    return [line for _, line in journal_read.read(folder) if isinstance(line, IncidentLine)]


def footer(folder: Path) -> Footer:
    found = journal_read.footer(folder)
    assert found is not None
    return found


def faults(lines: list[DealLine]) -> Counter[tuple[int, str]]:
    """How often which seat failed how."""
    return Counter((fault.seat, fault.fault) for line in lines for fault in line.faults)


def left_over(folder: Path) -> list[int]:
    """Processes of this test's shards and of a league's bots that are still there."""
    homes = {"ARENA_HOME": os.environ["ARENA_HOME"]}
    with contextlib.suppress(OSError):
        homes["ARENA_SCRATCH"] = (folder / "scratch").read_text(encoding="utf-8").strip()
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            environment = process.environ()
            if process.pid != os.getpid() and any(
                environment.get(name, "").startswith(home) for name, home in homes.items()
            ):
                found.append(process.pid)
    return found

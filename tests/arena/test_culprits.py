"""Leagues in which one lineup holds a bad bot: what it gets, and that nobody else is touched.

The bad bot has another vice on each seat, so each of its four tables shows one, with three
good bots beside it, while good bots alone play another lineup.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from arena.records import DealLine
from arena.verify import Status, verify
from tests.arena.runs import arena, bot, deals, footer, incidents, left_over, write_league
from tests.bots.excesses import MEAL

DEALS = 4
GOOD = ("Anna", "Bert", "Carl", "Dora")
CULPRIT = len(GOOD)
PATIENT = {"startup_ms": 60_000, "decision_ms": 5000, "strikes": 1000, "failing_shards": 100}
AT_ONCE = PATIENT | {"strikes": 0}
HURRIED = PATIENT | {"startup_ms": 8000}
MOST_MEGABYTES = 120
"""Of a coordinator or a shard; they begin at about half of that."""


class Bad(NamedTuple):
    vice: str
    faults: dict[str, int]
    """Faults of the table, by kind: these and no others."""
    because: str
    stood_down: bool = False


Four = tuple[Bad, Bad, Bad, Bad]

LEAGUES: list[tuple[dict[str, int], Four]] = [
    (
        PATIENT,
        (
            Bad("mute --at 2", {"late": 1}, "one silence costs one decision"),
            Bad("half --at 2", {"garbled": 1}, "half a batch is none"),
            Bad("illegal --at 2", {"illegal": 1}, "a card that it doesn't hold"),
            Bad("unknown --at 2", {"illegal": 1}, "action 200"),
        ),
    ),
    (
        PATIENT,
        (
            Bad("zero --at 2", {"illegal": 1}, "action 0 means none"),
            Bad("too_many --at 2", {"garbled": 1}, "more actions than decisions"),
            Bad("garbage --at 2", {"garbled": 1}, "bytes that are no message"),
            Bad("just_after --at 2", {"late": 1}, "and its answer isn't taken for the next ask"),
        ),
    ),
    (
        PATIENT,
        (
            Bad("just_before --at 2", {}, "time is there to be used"),
            Bad("twice --at 2", {}, "a duplicate is a strike, but spoils no deal"),
            Bad("old --at 2", {}, "so is an answer to an older ask"),
            Bad("torrent --at 2", {}, "printing is no fault, and is held back"),
        ),
    ),
    (
        PATIENT,
        (
            Bad("eats_memory --at 2", {}, f"{MEAL >> 20} MB of its own"),
            Bad("spins --at 2", {}, "two busy processes beside it"),
            Bad("children", {}, "stubborn children end with it"),
            Bad("dials_twice --at 2", {}, "the second stream is refused, the first plays on"),
        ),
    ),
    (
        PATIENT,
        (
            Bad("closes --at 2", {"gone": 4}, "again after each of three relaunches", True),
            Bad("crashes --at 2", {"gone": 4}, "so does a crash", True),
            Bad("exits --at 2", {"gone": 4}, "leaving politely is leaving", True),
            Bad("huge --at 2", {"gone": 4}, "a hundred megabytes end the stream", True),
        ),
    ),
    (
        AT_ONCE,
        (
            Bad("stops --at 2", {"late": 1}, "a frozen process is late, and killed", True),
            Bad("crashes --at 3", {"gone": 1}, "past the strikes there is no relaunch", True),
            Bad("answer_flood --at 2", {"garbled": 1}, "a hundred thousand answers", True),
            Bad("illegal --at 4", {"illegal": 1}, "the first strike is one too many", True),
        ),
    ),
    (
        HURRIED,
        (
            Bad("never_connects", {}, "it has its start-up time, twice", True),
            Bad("silent", {}, "a stream without hello is no start", True),
            Bad("wrong_token", {}, "it is refused", True),
            Bad("garbage_first", {}, "a hello that can't be read", True),
        ),
    ),
]


def most_megabytes(pid: int) -> float:
    """The most that a process ever held; no peak is too short to be seen."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


@contextmanager
def watched_memory(folder: Path) -> Iterator[list[float]]:
    """Yield the megabytes of the arena's own processes, bots left out, as they were seen."""
    seen: list[float] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            for pid in left_over(folder):
                with suppress(psutil.NoSuchProcess, OSError, StopIteration):
                    words = psutil.Process(pid).cmdline()
                    if "arena.shard" in words or "run" in words:
                        seen.append(most_megabytes(pid))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def play(folder: Path, limits: dict[str, int], bad: Four) -> list[DealLine]:
    vices = [f"{seat}={each.vice}" for seat, each in enumerate(bad)]
    words = [word for vice in vices for word in ("--vice-of-seat", vice)]
    file = write_league(
        folder.with_suffix(".toml"),
        bots=[*(bot(name) for name in GOOD), bot("Bad", "--max-batch", 1, *words)],
        limits=limits,
        deals=DEALS,
        lineups=2,
        workers=2,
    )
    with watched_memory(folder) as megabytes:
        run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    assert not left_over(folder)
    assert 20 < max(megabytes) < MOST_MEGABYTES
    assert ("Bad: " in run.stdout) == any(each.faults or each.stood_down for each in bad)
    return deals(folder)


@pytest.mark.parametrize(
    ("limits", "bad"), LEAGUES, ids=[", ".join(each.vice for each in row[1]) for row in LEAGUES]
)
def test_nobody_but_the_culprit_is_touched(
    limits: dict[str, int], bad: Four, tmp_path: Path
) -> None:
    folder = tmp_path / "league"
    lines = play(folder, limits, bad)
    assert len(lines) == 2 * 4 * DEALS
    assert footer(folder).missing == ()
    assert verify(folder, lambda done, total: None).status is Status.COMPLETE
    others = [line for line in lines if CULPRIT not in line.seats]
    assert len(others) == 4 * DEALS
    assert not any(line.faults or line.stood_down for line in others), "other tables"
    for seat, each in enumerate(bad):
        table = [line for line in lines if line.seats[seat] == CULPRIT]
        assert len(table) == DEALS
        blamed = [fault for line in table for fault in line.faults]
        assert {fault.seat for fault in blamed} <= {seat}, "the others at its table"
        assert Counter(fault.fault for fault in blamed) == each.faults, each.because
        house = {other for line in table for other in line.stood_down}
        assert house == ({seat} if each.stood_down else set()), each.because
    told = incidents(folder)
    assert {(line.incident, line.bot) for line in told} <= {("bot_failed", "Bad")}
    assert len(told) == sum(each.stood_down for each in bad)


def test_three_who_think_in_others_turns_make_nobody_late(tmp_path: Path) -> None:
    """On each of three seats two processes compute all the time; the fourth has time enough."""
    words = [w for seat in range(3) for w in ("--vice-of-seat", f"{seat}=spins --at 1")]
    file = write_league(
        tmp_path / "league.toml",
        bots=[bot("ponders", "--max-batch", 1, *words)],
        limits=PATIENT | {"decision_ms": 10_000},
        deals=DEALS,
    )
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    lines = deals(tmp_path / "league")
    assert len(lines) == DEALS
    assert not any(line.faults or line.stood_down for line in lines)
    assert not left_over(tmp_path / "league")

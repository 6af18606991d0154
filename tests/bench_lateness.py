"""Whose fault lateness is: bots that answer in a millisecond, at more and more tables.

Every loss on time here is the runner's or the machine's, never the bot's.
"""

import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Final

import msgspec

from arena import journal_read
from arena.records import DealLine
from tests.league_files import ARENA, league_file

DECISION_MS: Final = 50
_PATIENCE_MS: Final = 2000
"""Where what counts is the CPU time that a bot uses, and not how long it waits for a core."""
TABLES: Final = (1, 2, 4, 8, 16, 32, 64)
_BOT: Final = (
    "-c",
    """
import time
from arena_client import play

def choose(observation):
    time.sleep(0.001)
    return observation.legal[observation.seed % len(observation.legal)]

play(choose, name="quick", version="1")
""",
)
_DEALS_PER_TABLE: Final = 150
_STARTUP_MS: Final = 600_000
"""The bots' start is not what is measured."""


class Lateness(msgspec.Struct, frozen=True):
    """How long bots seemed to think that think for a millisecond, from the stream's having
    the question to the arrival of the answer, which is what the limit is about."""

    tables: int
    at_once: float
    """Tables that played at the same time, on average: others were being set up, or over."""
    decisions: int
    losses: int
    median_ms: float
    late_ms: float
    """The 99th of a hundred."""
    longest_ms: float


def measure(tables: int, batch: int, *, by_cpu: bool = False) -> Lateness:
    """Play a league with a worker for each table, limited by the wall or by the bots' CPU time."""
    clock = {"decision_ms": _PATIENCE_MS, "cpu_ms": DECISION_MS}
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        file = league_file(
            folder,
            bots=(_BOT,),
            deals=_DEALS_PER_TABLE * tables,
            slice_deals=_DEALS_PER_TABLE,
            limits={
                "max_batch": batch,
                **(clock if by_cpu else {"decision_ms": DECISION_MS}),
                "startup_ms": _STARTUP_MS,
                "strikes": 1_000_000,
            },
            journal={"times": True},
        )
        begun = time.monotonic()
        subprocess.run([*ARENA, "run", file, "--workers", str(tables), "--quiet"], check=True)
        return _lateness(tables, file.with_suffix(""), time.monotonic() - begun)


def _lateness(tables: int, league: Path, took_s: float) -> Lateness:
    lines = [line for _, line in journal_read.read(league) if isinstance(line, DealLine)]
    # Where no answer came in time, it was waited for as long as this at least.
    thought = sorted(
        ((times[3] if times[2] is None else times[2]) - times[1]) / 1000
        for line in lines
        for times in line.times
        if times is not None
    )
    return Lateness(
        tables=tables,
        at_once=_playing_us(lines) / 1e6 / took_s,
        decisions=sum(sum(line.asked) for line in lines),
        losses=sum(len(line.faults) for line in lines),
        median_ms=thought[len(thought) // 2],
        late_ms=thought[len(thought) * 99 // 100],
        longest_ms=thought[-1],
    )


def _playing_us(lines: list[DealLine]) -> int:
    """Return for how long tables played, all of them together; each counts from its own begin."""
    moments = defaultdict(list)
    for line in lines:
        asked = [times for times in line.times if times is not None]
        shard = line.key.deal // _DEALS_PER_TABLE, line.key.arrangement, line.key.seating
        moments[shard] += [moment for times in asked for moment in (times[0], times[3])]
    return sum(max(each) - min(each) for each in moments.values())

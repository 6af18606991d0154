"""How fast a real league is: four random bots in Python at one table, by the real command."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from arena import journal_read
from arena.records import DealLine
from arena.status import read_status
from tests.league_files import ARENA, league_file

_WARM_UP_S: Final = 1.0
_FEW_DEALS: Final = 100
_DECISION_MS: Final = 400
"""Short enough that the arena doesn't cut batches of 64 to fit the time."""


class Taken(msgspec.Struct, frozen=True):
    """What one league took, starting and ending its processes left out."""

    deals: int
    decisions: int
    asks: int
    seconds: float
    shard_cpu_s: float
    coordinator_cpu_s: float
    bots_cpu_s: float

    @property
    def arena_cpu_s(self) -> float:
        return self.shard_cpu_s + self.coordinator_cpu_s


class _Logged(msgspec.Struct, frozen=True):
    """The fields of the arena's log that count here."""

    event: str
    decisions: int = 0
    asks: int = 0
    play_s: float = 0
    arena_cpu_s: float = 0
    bots_cpu_s: float = 0
    coordinator_cpu_s: float = 0


def deals_for(seconds: float, batch: int) -> int:
    """Return how many deals take about so long, from a short league."""
    taken = measure(_FEW_DEALS, batch)
    for _ in range(2):
        deals = max(_FEW_DEALS, round(taken.deals / taken.seconds * _WARM_UP_S))
        taken = measure(deals, batch)
    return max(_FEW_DEALS, round(taken.deals / taken.seconds * seconds))


def measure(deals: int, batch: int) -> Taken:
    """Play a league of one shard."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        file = league_file(
            folder,
            bots=("random_bot.py",),
            deals=deals,
            slice_deals=deals,
            limits={"max_batch": batch, "decision_ms": _DECISION_MS},
        )
        subprocess.run([*ARENA, "run", file, "--workers", "1", "--quiet"], check=True)
        return _taken(file.with_suffix(""))


def _taken(league: Path) -> Taken:
    status = read_status(league)
    if status.faults or status.warnings:
        sys.exit(f"the league didn't go well: {status.faults} {status.warnings}")
    log = (league / "logs" / "arena.log").read_bytes().splitlines()
    events = {
        line.event: line for line in (msgspec.json.decode(each, type=_Logged) for each in log)
    }
    shard, league_end = events["shard done"], events["played"]
    lines = [line for _, line in journal_read.read(league) if isinstance(line, DealLine)]
    assert sum(sum(line.asked) for line in lines) == shard.decisions, "the journal knows better"
    return Taken(
        deals=len(lines),
        decisions=shard.decisions,
        asks=shard.asks,
        seconds=shard.play_s,
        shard_cpu_s=shard.arena_cpu_s,
        coordinator_cpu_s=league_end.coordinator_cpu_s,
        bots_cpu_s=shard.bots_cpu_s,
    )

"""Kills leagues at random moments and sees that nothing is lost: `python -m tests.kills --help`.

Coordinators, shards and bots of real leagues die by SIGKILL, and coordinators together with a
shard; a league whose coordinator died is resumed at once. Whatever is left afterwards, in the
journal, among the processes or in the temporary folder, is told, and the exit code is 1.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import psutil

from arena import journal_read, schedule
from arena.process import adopt_orphans
from arena.records import DealLine, Header, IncidentLine, Line
from tests.league_files import ARENA, league_file

Kind = Literal["coordinator", "shard", "bot", "coordinator and shard"]

_KINDS: Final[tuple[Kind, ...]] = ("coordinator", "shard", "bot", "coordinator and shard")
_BOTS: Final = ("rule_bot.py", "random_bot.py", "random_bot.py", "rule_bot.py")
_DEALS, _SLICE_DEALS, _WORKERS = 480, 120, 2
_MOST_LOSSES: Final = 2
"""A shard that is lost once more, over all runs, is given up, as it should be."""
_LONGEST_WAIT_S: Final = 4.0
_GONE_AFTER_S: Final = 5.0
_LEAGUE_S: Final = 600.0
"""A league that takes longer than this hangs."""


class League:
    """A league under fire, run again whenever it dies."""

    def __init__(self, folder: Path, temporary: Path) -> None:
        self.file = league_file(folder, bots=_BOTS, deals=_DEALS, slice_deals=_SLICE_DEALS)
        self.folder = self.file.with_suffix("")
        self.killed: Counter[Kind] = Counter()
        self._environment = {**os.environ, "TMPDIR": str(temporary)}
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*ARENA, "run", self.file, "--workers", str(_WORKERS), "--quiet"],
            env=self._environment,
        )

    @property
    def over(self) -> bool:
        return self._process.poll() is not None

    @property
    def kinds(self) -> list[Kind]:
        """Of what may be killed next."""
        return ["coordinator", "bot"] if self._may_be_given_up() else list(_KINDS)

    def _may_be_given_up(self) -> bool:
        """Whether the loss of any shard could be one too many for it."""
        losses: Counter[str | None] = Counter()
        deals: Counter[str] = Counter()
        for line in _lines(self.folder):
            if isinstance(line, IncidentLine) and line.incident == "shard_lost":
                losses[line.shard] += 1
            elif isinstance(line, DealLine):
                key = line.key
                first = key.deal - key.deal % _SLICE_DEALS
                deals[f"l{key.lineup}-a{key.arrangement}-s{key.seating}-d{first}"] += 1
        untold = max(0, self.killed["shard"] - losses.total())
        worst = max(
            (count for shard, count in losses.items() if deals[str(shard)] < _SLICE_DEALS),
            default=0,
        )
        return worst + untold >= _MOST_LOSSES

    def kill(self, kind: Kind) -> bool:
        """Kill one process of this kind, if there is one, and resume what needs it."""
        victims = self._victims(kind)
        if not victims:
            return False
        for victim in victims:
            try:
                os.kill(victim.pid, signal.SIGKILL)  # at once, with no look before it
            except ProcessLookupError:
                return False
        self.killed[kind] += 1
        if kind in {"coordinator", "coordinator and shard"}:
            self._process.wait()
            self._process = self._start()
        return True

    def _victims(self, kind: Kind) -> list[psutil.Process]:
        """Return what is to die at the same instant; nothing where there is nothing such."""
        try:
            coordinator = psutil.Process(self._process.pid)
            if kind == "coordinator":
                return [coordinator]
            shards = coordinator.children()
            if not shards:
                return []
            shard = random.choice(shards)
            if kind == "shard":
                return [shard]
            if kind == "coordinator and shard":
                return random.sample([coordinator, shard], 2)
            # Holders of a sandbox, too; whichever dies, the bot is gone.
            bots = shard.children(recursive=True)
            return [random.choice(bots)] if bots else []
        except psutil.NoSuchProcess:
            return []

    def finish(self) -> int:
        """Let the league come to its end; return its exit code."""
        try:
            return self._process.wait(_LEAGUE_S)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            sys.exit(f"the league in {self.folder} hangs")


def main() -> None:
    options = _options()
    random.seed(options.seed)
    adopt_orphans()  # whatever escapes from a league ends up as a child of this process
    killed: Counter[Kind] = Counter()
    problems: list[str] = []
    leagues = 0
    while killed.total() < options.kills and not problems:
        leagues += 1
        with tempfile.TemporaryDirectory(prefix="kills-") as name:
            folder = Path(name)
            (folder / "tmp").mkdir()
            league = League(folder, folder / "tmp")
            _fire(league, options.kills - killed.total())
            problems += _problems(league, league.finish(), folder / "tmp")
            killed += league.killed
            _tell(league)
    print(f"seed {options.seed}: {killed.total()} kills in {leagues} leagues: {dict(killed)}")
    for problem in problems:
        print(f"PROBLEM: {problem}")
    sys.exit(bool(problems))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how often to kill (100)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    return parser.parse_args()


def _fire(league: League, kills: int) -> None:
    """Kill at random moments, the very first ones included, until the league is over."""
    while league.killed.total() < kills and not league.over:
        kind = random.choice(league.kinds)
        killed = False
        while not killed and not league.over:
            time.sleep(random.random() ** 2 * _LONGEST_WAIT_S)
            killed = league.kill(kind)
        if killed:
            print(f"killed a {kind}", flush=True)


def _problems(league: League, exit_code: int, temporary: Path) -> Iterator[str]:
    if exit_code != 0:
        yield f"the last `arena run` ended with {exit_code}"
    if left := _processes_left():
        yield f"processes are left: {left}"
    if left := sorted(path.name for path in temporary.iterdir()):
        yield f"the temporary folder still holds {left}"
    yield from _wrong_keys(league.folder)
    verify = subprocess.run([*ARENA, "log", "verify", league.file], check=False)
    if verify.returncode != 0:
        yield f"`arena log verify` ended with {verify.returncode}"


def _wrong_keys(folder: Path) -> Iterator[str]:
    lines = [line for _, line in journal_read.read(folder)]
    header = lines[0]
    assert isinstance(header, Header)
    found = Counter(line.key for line in lines if isinstance(line, DealLine))
    expected = Counter(
        key for shard in schedule.shards(header.schedule) for key in schedule.keys(shard)
    )
    if missing := expected - found:
        yield f"{missing.total()} deals are missing, among them {min(missing)}"
    if more := found - expected:
        yield f"{more.total()} deals are there more often than they should, as {min(more)}"


def _lines(folder: Path) -> Iterator[Line]:
    if journal_read.has_begun(folder):
        for _, line in journal_read.read(folder):
            yield line


def _processes_left() -> list[str]:
    """Return the command lines of all that a league left running, after a moment's patience."""
    end = time.monotonic() + _GONE_AFTER_S
    while (left := list(_descendants())) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def _descendants() -> Iterator[str]:
    for process in psutil.Process().children(recursive=True):
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                os.waitpid(process.pid, os.WNOHANG)
            else:
                yield " ".join(process.cmdline())
        except (psutil.NoSuchProcess, ChildProcessError):
            continue


def _tell(league: League) -> None:
    incidents: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    deals = 0
    for _, line in journal_read.read(league.folder):
        if isinstance(line, IncidentLine):
            incidents[line.incident] += 1
        elif isinstance(line, DealLine):
            deals += 1
            faults.update(fault.fault for fault in line.faults)
    print(f"{deals} deals, incidents {dict(incidents)}, faults {dict(faults)}", flush=True)


if __name__ == "__main__":
    main()

"""How far a league is: kept by the coordinator, shown by `arena status` from elsewhere."""

import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from arena import journal_read, schedule
from arena.errors import OperatorError
from arena.journal import is_held
from arena.paths import is_file, refuse_pipe
from arena.rating import Standings
from arena.records import DealLine, Footer, Header, IncidentLine

_FILE_NAME = "status.json"
_RATE_WINDOW = 30
"""Refreshes over which the speed is averaged."""
_KEPT_WARNINGS = 20
_LEADER_SHARE = 50
"""Finding the leader may take one part in so many of the coordinator's time."""


class Snapshot(msgspec.Struct, frozen=True):
    """What stands in the status file."""

    league: str
    pid: int | None
    """The process that plays or played the league; null where only the journal tells."""
    state: Literal["running", "stopped", "finished"]
    done: int
    """Deals in the journal."""
    total: int
    deals_per_s: float
    left_s: float | None
    """Seconds to go at this speed."""
    faults: dict[str, int]
    """Faults by bot."""
    leader: str | None
    warnings: tuple[str, ...]
    updated: float
    """Seconds since the epoch."""
    stood_down: dict[str, int] = {}
    """Hands that the house played in a bot's place, by bot."""
    missing: int = 0
    """Deals that could not be played, once the league is over."""
    bots: tuple[str, ...] = ()
    """All bots, in the order of the journal's header."""
    from_journal: bool = False
    """Whether this was read from the journal, since there is no status file that can be read."""


class Misconduct(msgspec.Struct, frozen=True):
    """What is to be said of a bot that didn't play well throughout, over all runs."""

    name: str
    faults: dict[str, int]
    """By kind."""
    stood_down: int
    """Hands that the house played in its place."""
    deals: int
    """Hands that were for it to play: its deals, once per seat."""


class Status:
    """Counts what the coordinator hears."""

    def __init__(self, header: Header, pid: int | None, *, total: int, done: int) -> None:
        self.league = header.league
        self.pid = pid
        self.total = total
        self.done = done
        self.state: Literal["running", "stopped", "finished"] = "running"
        self.missing = 0
        self._warnings: dict[str, int] = {}
        """How often each was told, the latest last."""
        self._news: deque[str] = deque(maxlen=_KEPT_WARNINGS)
        self.leader: str | None = None
        self.deals_per_s = 0.0
        self._bots = header.bots
        self._standings = Standings(header)
        self._leader_due = 0.0
        self._marks: deque[tuple[float, int]] = deque(maxlen=_RATE_WINDOW)

    def count(self, line: DealLine) -> None:
        """Count a deal that was just journaled."""
        self.done += 1
        self._standings.add(line)

    def recall(self, line: DealLine) -> None:
        """Take in a deal of an earlier run, which `done` counts already."""
        self._standings.add(line)

    @property
    def faults(self) -> Counter[str]:
        """Faults by bot, over all runs."""
        return Counter(
            {bot.name: sum(bot.faults.values()) for bot in self.misconduct() if bot.faults}
        )

    def misconduct(self) -> Iterator[Misconduct]:
        """Yield the bots that had faults or were stood down."""
        for bot, conduct in zip(self._bots, self._standings.conduct, strict=True):
            if conduct.faults or conduct.stood_down:
                faults = dict(sorted(conduct.faults.items()))
                yield Misconduct(bot.name, faults, conduct.stood_down, conduct.deals)

    def finish(self, missing: int) -> None:
        """Note that the league is over; now the leader is found even if that isn't due."""
        self.state = "finished"
        self.missing = missing
        self._find_leader()

    def warn(self, text: str) -> None:
        """Keep a warning for the operator."""
        if text not in self._warnings:
            self._news.append(text)
        self._warnings[text] = self._warnings.pop(text, 0) + 1
        if len(self._warnings) > _KEPT_WARNINGS:
            del self._warnings[next(iter(self._warnings))]

    def news(self) -> list[str]:
        """Return the warnings that are new since this was asked last."""
        news, self._news = list(self._news), deque(maxlen=_KEPT_WARNINGS)
        return news

    def warnings(self) -> Iterator[str]:
        """Yield the latest warnings, each once."""
        for text, times in self._warnings.items():
            yield text if times == 1 else f"{text} ({times} times)"

    def refresh(self) -> None:
        """Work out speed and leader; call it about once a second."""
        self._marks.append((time.monotonic(), self.done))
        (first_time, first_done), (last_time, last_done) = self._marks[0], self._marks[-1]
        if last_time > first_time:
            self.deals_per_s = (last_done - first_done) / (last_time - first_time)
        if time.monotonic() >= self._leader_due:
            self._find_leader()

    def _find_leader(self) -> None:
        """Find the leader; in a large field that takes long, so it is done the less often."""
        begun = time.monotonic()
        leader = self._standings.leader()
        self.leader = None if leader is None else self._bots[leader.bot].name
        ended = time.monotonic()
        self._leader_due = ended + _LEADER_SHARE * (ended - begun)

    @property
    def left_s(self) -> float | None:
        """Seconds to go at this speed; None while there is no speed."""
        return (self.total - self.done) / self.deals_per_s if self.deals_per_s else None

    def snapshot(self) -> Snapshot:
        """Return the status as it is now."""
        return Snapshot(
            league=self.league,
            pid=self.pid,
            state=self.state,
            done=self.done,
            total=self.total,
            deals_per_s=round(self.deals_per_s, 2),
            left_s=self.left_s,
            faults=dict(self.faults),
            leader=self.leader,
            warnings=tuple(self.warnings()),
            updated=time.time(),
            missing=self.missing,
            stood_down={bot.name: bot.stood_down for bot in self.misconduct() if bot.stood_down},
            bots=tuple(bot.name for bot in self._bots),
        )


def write_status(folder: Path, status: Status) -> None:
    """Replace the status file; a reader sees the old one or the new one.

    A disk that fails here is told by the journal, which matters more.
    """
    temporary = folder / f"{_FILE_NAME}.new"
    try:
        temporary.write_bytes(msgspec.json.encode(status.snapshot()))
        temporary.replace(folder / _FILE_NAME)
    except OSError:
        return


def deals_told(folder: Path) -> int | None:
    """Return how many deals the status file tells of, 0 where there is none or it is empty.

    None means that a league was begun whose status can't be read.
    """
    try:
        content = (folder / _FILE_NAME).read_bytes()
        # It isn't synced: after a power cut it may be empty before there is any deal.
        return msgspec.json.decode(content, type=Snapshot).done if content else 0
    except FileNotFoundError:
        return 0
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def read_status(folder: Path) -> Snapshot:
    """Return the last status of a league; a run that died shows as stopped.

    Where the status file can't be read, the journal tells. Raises OperatorError, and
    EvidenceError for a journal that contradicts itself.
    """
    file = folder / _FILE_NAME
    refuse_pipe(file)
    try:
        snapshot = msgspec.json.decode(file.read_bytes(), type=Snapshot)
    except (OSError, msgspec.DecodeError) as error:
        if _has_journal(folder):
            return _told_by_journal(folder)
        if isinstance(error, OSError):
            raise OperatorError(f"no league has run in {folder}: {error.strerror}") from None
        raise OperatorError(f"{file} is no status file: {error}") from None
    if snapshot.state == "running" and not is_held(folder):
        return msgspec.structs.replace(snapshot, state="stopped", deals_per_s=0, left_s=None)
    return snapshot


def _has_journal(folder: Path) -> bool:
    file = folder / journal_read.FILE_NAME
    return is_file(file) and journal_read.has_begun(folder)


def _told_by_journal(folder: Path) -> Snapshot:
    header = journal_read.header(folder)
    status = Status(header, None, total=schedule.totals(header.schedule).deals, done=0)
    status.state = "running" if is_held(folder) else "stopped"
    for _, line in journal_read.read(folder):
        match line:
            case DealLine():
                status.count(line)
            case IncidentLine(shard=shard, bot=bot) if bot is not None or shard is not None:
                status.warn(f"{bot or shard}: {line.detail}")
            case Footer():
                status.finish(len(line.missing))
    status.refresh()
    updated = journal_read.locate(folder).stat().st_mtime
    return msgspec.structs.replace(status.snapshot(), from_journal=True, updated=updated)

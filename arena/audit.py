"""Shows from a league's journal that no question told its seat what it may not know."""

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from arena import dealing, journal_read, schedule
from arena.audit_deal import Ask, Counts, DealAudit
from arena.errors import OperatorError
from arena.open_deal import OpenDeal, SeatKeys, seat_keys
from arena.records import DealLine, Footer, Header
from arena.schedule import Shard
from engine.ruleset import rule_set

MOST_LISTED: Final = 100
"""Findings that are kept; further ones are only counted."""
SAMPLE: Final = 2
"""Decisions of a deal for which look-alikes are made up, unless more are asked for."""

_PROGRESS_EVERY: Final = 100
_KEPT_SHARDS: Final = 256
"""Shards whose keys are kept at hand; more than a league plays at once."""


_NOT_COVERED: Final = (
    "asks: which questions came in one, and their numbers (`ask_id`)",
    "faults: `strikes`; that a wrong answer was what the bot really said; those about no deal",
    "when messages were sent; think times, from which `bank_ms` follows, are the arena's word",
    "`welcome` and `goodbye`, and what a broken stream's bot was sent again",
)
"""What no audit looks at, with digests or without."""
_NOTHING_PROVEN: Final = (
    "nothing of what was really sent is proven: the journal holds no digests. This shows only"
    " what this arena would send in these deals; a league file with journal.sent = true records"
    " digests"
)
_PROVEN: Final = (
    "what was really sent in these deals is held against digests in the journal: questions with"
    " their time, and the reports of faults and ended deals that the digests hold"
)
_NOT_YET: Final = (
    "nothing of what was really sent is proven yet: the digests in the journal can't be checked"
    " before the footer tells the secret"
)


class AuditFindings(msgspec.Struct, frozen=True):
    """What an audit found."""

    finished: bool
    expected_deals: int
    proven: str
    """Whether what was really sent was looked at."""
    not_covered: tuple[str, ...]
    """What was sent and was not looked at."""
    counts: Counts
    findings: tuple[str, ...]
    """Each begins with file and line; at most MOST_LISTED of them."""
    finding_count: int
    remarks: tuple[str, ...]
    """What could not be checked, and why."""
    seconds: float


class _Audit:
    """The state of one pass over a journal."""

    def __init__(self, file: Path, header: Header, ask: Ask, look_alikes: int | None) -> None:
        if header.rescored_from is not None:
            raise OperatorError(
                f"{file} was settled anew by other prices; audit the journal it came from"
            )
        self.file = file
        self.header = header
        self.footer: Footer | None = journal_read.footer(file)
        self.counts = Counts()
        self.findings: list[str] = []
        self.finding_count = 0
        self._ask = ask
        self._look_alikes = look_alikes
        self._rules = rule_set(header.rules)
        self._secret = self._revealed()
        self._keys = lru_cache(_KEPT_SHARDS)(self._keys_of)
        self._handles: dict[str, list[set[int]]] = {}
        """By shard and seat, while more deals of the shard may come."""
        self._whole: set[str] = set()
        """Shards of which every handle was met."""

    def _revealed(self) -> bytes | None:
        """Return the secret, where the footer tells the one that the header commits to."""
        if self.footer is None:
            return None
        try:
            secret = bytes.fromhex(self.footer.secret)
        except ValueError:
            secret = b""
        if dealing.commitment(secret) != self.header.commitment:
            self.note(1, "the footer's secret isn't the one that the header commits to")
            return None
        return secret

    def _keys_of(self, shard_id: str) -> SeatKeys:
        """Return what handles and seeds follow from; made up while the secret isn't known."""
        return seat_keys(self._secret or bytes(dealing.SECRET_BYTES), shard_id)

    def take(self, number: int, line: DealLine) -> None:
        """Audit one deal."""
        shard = _shard(self.header, line)
        if shard is None:
            self.note(number, "the schedule has no such deal")
            return
        keys = self._keys(shard.id)
        limits = self.header.limits
        audit = DealAudit(line, self._rules, limits, keys, self._ask, self.counts)
        for problem in audit.run(
            derived=self._secret is not None,
            recorded=self.header.recording.sent,
            look_alikes=self._look_alikes,
        ):
            self.note(number, problem)
        if self._secret is not None:
            for problem in self._repeated(shard, line, keys):
                self.note(number, problem)

    def _repeated(self, shard: Shard, line: DealLine, keys: SeatKeys) -> Iterator[str]:
        """Say where a stream met the same handle before."""
        if shard.id in self._whole:
            yield "every deal of its shard was there already, so handles were met twice"
            return
        streams = self._handles.setdefault(shard.id, [set(), set(), set(), set()])
        for seat, met in enumerate(streams):
            handle = dealing.handle(keys.handles[seat], line.key.deal)
            if handle in met:
                yield f"seat {seat} met the handle {handle} twice"
            met.add(handle)
        if len(streams[0]) == shard.deals:
            del self._handles[shard.id]
            self._whole.add(shard.id)

    def note(self, number: int, problem: str) -> None:
        """Keep a finding."""
        self.finding_count += 1
        if len(self.findings) < MOST_LISTED:
            self.findings.append(str(journal_read.evidence(self.file, number, problem)))

    def remarks(self) -> Iterator[str]:
        """Yield what could not be checked."""
        expected = schedule.totals(self.header.schedule).deals
        if self.footer is None:
            yield f"the league isn't finished: {self.counts.deals} of {expected} deals"
            yield (
                "without a footer the secret isn't known: handles, seeds and digests of what"
                " was sent can't be checked yet"
            )

    def proven(self) -> str:
        """Say whether what was really sent was looked at."""
        if not self.header.recording.sent:
            return _NOTHING_PROVEN
        return _PROVEN if self._secret is not None else _NOT_YET

    def not_covered(self) -> Iterator[str]:
        """Yield what was sent and was not looked at."""
        if self.header.recording.sent and self.counts.bankless:
            yield f"`bank_ms` in {self.counts.bankless} digests of an earlier arena"
        yield from _NOT_COVERED


def audit(
    path: Path,
    progress: Callable[[int, int], None],
    *,
    look_alikes: int | None = SAMPLE,
    ask: Ask = OpenDeal.question,
) -> AuditFindings:
    """Audit a journal, given its file or its league's folder.

    `look_alikes` is the number of decisions per deal for which other deals are made up; None
    means all. `progress` is told the deals that are done and the deals of the league. Raises
    OperatorError, and EvidenceError where the journal can't be read or its chain is broken.
    """
    file = journal_read.locate(path)
    begun = time.monotonic()
    header = journal_read.header(file)
    state = _Audit(file, header, ask, look_alikes)
    expected = schedule.totals(header.schedule).deals
    for number, line in journal_read.read(file):
        if isinstance(line, DealLine):
            state.take(number, line)
            if state.counts.deals % _PROGRESS_EVERY == 0:
                progress(state.counts.deals, expected)
    progress(state.counts.deals, expected)
    return AuditFindings(
        finished=state.footer is not None,
        expected_deals=expected,
        proven=state.proven(),
        not_covered=tuple(state.not_covered()),
        counts=state.counts,
        findings=tuple(state.findings),
        finding_count=state.finding_count,
        remarks=tuple(state.remarks()),
        seconds=time.monotonic() - begun,
    )


def _shard(header: Header, line: DealLine) -> Shard | None:
    """Return the shard that a deal belongs to, or None where the schedule has no such key."""
    plan, key = header.schedule, line.key
    if schedule.expected_seats(plan, key) is None:
        return None
    first = key.deal - key.deal % plan.slice_deals
    return Shard(
        lineup=key.lineup,
        arrangement=key.arrangement,
        seating=key.seating,
        first_deal=first,
        deals=min(plan.slice_deals, plan.deals - first),
        session_deals=plan.session_deals,
        seats=line.seats,
    )

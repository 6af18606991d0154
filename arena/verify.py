"""Replays a whole journal and says what it contradicts: the rules, its secret or itself."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec

from arena import dealing, journal_read, schedule
from arena.deal_line import carried_line
from arena.done_keys import DoneKeys
from arena.errors import EvidenceError, OperatorError
from arena.journal_read import RawLine
from arena.records import DealLine, Footer, Header, IncidentLine, Key, Line, encode_body
from arena.verify_deal import check_hands, check_place, check_play
from engine.model import NOTHING_CARRIED, Carried, RuleSet
from engine.ruleset import rule_set

MOST_LISTED: Final = 100
"""Contradictions that are kept; further ones are only counted."""

_PROGRESS_EVERY: Final = 500


class Status(Enum):
    """What a journal is worth."""

    COMPLETE = "complete"
    UNFINISHED = "unfinished"
    CONTRADICTED = "contradicted"


class Findings(msgspec.Struct, frozen=True):
    """What `verify` found."""

    status: Status
    lines: int
    deals: int
    expected_deals: int
    contradictions: tuple[str, ...]
    """Each begins with file and line; at most MOST_LISTED of them."""
    contradiction_count: int
    remarks: tuple[str, ...]
    """What is no contradiction, but must be known: torn lines, what couldn't be checked."""


class _Audit:
    """The state of one pass over a journal."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.header: Header | None = None
        self.footer: Footer | None = None
        self.rules: RuleSet | None = None
        self.secret: bytes | None = None
        self.done = DoneKeys()
        self.given_up: set[Key] = set()
        """First deals of the sessions that remote bots saw and nobody finished."""
        self.lines = 0
        self.strange = 0
        """Lines that don't even begin as those of journals."""
        self.deals = 0
        self.contradictions: list[str] = []
        self.contradiction_count = 0
        self.remarks: list[str] = []
        self._failed: defaultdict[str | None, set[str | None]] = defaultdict(set)
        """By shard, bots that were stood down in it; those that this run gave up under None."""
        self._before: tuple[Key, Carried | None] | None = None
        self._chain: bytes | None = journal_read.CHAIN_START

    def take(self, raw: RawLine) -> None:
        """Check one line; all that it contradicts is noted."""
        self.strange += not journal_read.resembles(raw)
        if self.footer is not None:
            self._note(raw.number, "nothing may follow the footer")
        if not raw.whole:
            self.remarks.append(
                f"line {raw.number} is torn: its end is missing ({len(raw.content)} bytes),"
                " and it counts for nothing"
            )
            return
        self.lines += 1
        if raw.number == 1:
            journal_read.refuse_other_formats(self.file, raw)
        try:
            self._follow_chain(raw)
            line = journal_read.decode(self.file, raw)
        except EvidenceError as error:
            self._keep(str(error))
            return
        for problem in _check_names(raw, line):
            self._note(raw.number, problem)
        if isinstance(line, Header):
            self._take_header(line)
        elif isinstance(line, DealLine):
            self._take_deal(raw.number, line)
        elif isinstance(line, IncidentLine):
            self._take_incident(line)
            self._take_given_up(raw.number, line.seen)
        else:
            self._take_footer(raw.number, line)

    def _follow_chain(self, raw: RawLine) -> None:
        before, self._chain = self._chain, journal_read.claimed_chain(raw)
        if before is not None:  # else the line before has none to go on from
            journal_read.check_chain(self.file, raw, before)

    def _take_header(self, header: Header) -> None:
        self.header = header
        self.rules = rule_set(header.rules)
        self.done.bound(header.schedule.deals)
        last = journal_read.footer(self.file)
        if last is None:
            self.remarks.append(
                "without a footer the secret isn't known: whether the cards were dealt by it"
                " can't be checked yet"
            )
            return
        secret = _secret(last)
        if secret is not None and dealing.commitment(secret) == header.commitment:
            self.secret = secret

    def _take_deal(self, number: int, line: DealLine) -> None:
        self.deals += 1
        if self.header is None:
            return
        problems = [*check_place(self.header, line), *self._check_stood_down(self.header, line)]
        if schedule.first_of_session(self.header.schedule, line.key) in self.given_up:
            problems.append("its session was given up, since remote bots saw it before")
        if self.done.in_bounds(line.key):
            if line.key in self.done:
                problems.append("the journal has this deal already")
            self.done.add(line.key)
        if self.rules is not None:
            replayed = check_play(line, self.rules)
            problems.extend(replayed.problems)
            problems.extend(self._follow_session(self.header, line, replayed.left))
            if self.secret is not None:
                problems.extend(check_hands(line, self.rules, self.secret))
        for problem in problems:
            self._note(number, problem)

    def _take_incident(self, line: IncidentLine) -> None:
        if line.incident == "resumed":
            self._failed[None].clear()
        elif line.incident in {"bot_failed", "bot_suspended"}:
            self._failed[line.shard].add(line.bot)

    def _check_stood_down(self, header: Header, line: DealLine) -> Iterator[str]:
        """Yield which seats nothing that was told before stands down."""
        if not line.stood_down:
            return
        known = self._failed[schedule.shard_id(header.schedule, line.key)] | self._failed[None]
        for seat in line.stood_down:
            name = header.bots[line.seats[seat]].name if line.seats[seat] < len(header.bots) else ""
            if name not in known:
                yield f"seat {seat} is stood_down, but no incident before says that {name!r} failed"

    def _take_given_up(self, number: int, seen: tuple[Key, ...]) -> None:
        """Note sessions that mustn't be dealt again; they must be of this league and not over."""
        if self.header is None:
            return
        for key in seen:
            expected = schedule.expected_seats(self.header.schedule, key)
            if expected is None or schedule.first_of_session(self.header.schedule, key) != key:
                self._note(number, f"seen: no session begins with {_plain(key)}")
            elif not any(self.header.bots[bot].remote for bot in expected):
                self._note(number, f"seen: no remote bot sits in {_plain(key)}")
            elif key in self.done:
                self._note(number, f"seen: the session of {_plain(key)} was finished")
            else:
                self.given_up.add(key)

    def _follow_session(
        self, header: Header, line: DealLine, left: Carried | None
    ) -> Iterator[str]:
        """Yield what a line contradicts in the line before it of the same session."""
        before, self._before = self._before, (line.key, left)
        if self.rules is None or not self.rules.session.carries:
            return
        expected: Carried | None = NOTHING_CARRIED
        if line.key.deal % header.schedule.session_deals:
            earlier = msgspec.structs.replace(line.key, deal=line.key.deal - 1)
            if before is None or before[0] != earlier:
                yield "the line before isn't the deal before in the same session"
                return
            expected = before[1]
        if expected is not None and line.carried != carried_line(expected):
            yield f"carried is {line.carried}, but the session left {carried_line(expected)}"

    def _take_footer(self, number: int, footer: Footer) -> None:
        self.footer = footer
        if self.secret is None or footer.secret != self.secret.hex():
            self._note(number, "the secret isn't the one that the header commits to")
        if footer.deals != self.deals:
            self._note(number, f"deals is {footer.deals}, but there are {self.deals}")
        if self.header is None:
            return
        plan = self.header.schedule
        missing = set(footer.missing)
        for key in footer.missing:
            if schedule.expected_seats(plan, key) is None or key in self.done:
                self._note(number, f"{_plain(key)} can't be missing")
        expected = schedule.totals(plan).deals
        if len(self.done) + len(missing) != expected:
            self._note(number, f"{expected} deals were planned, {len(self.done)} are there")
        if missing:
            self.remarks.append(f"{len(missing)} deals could not be played, says the footer")

    def _note(self, number: int, problem: str) -> None:
        self._keep(str(journal_read.evidence(self.file, number, problem)))

    def _keep(self, contradiction: str) -> None:
        self.contradiction_count += 1
        if len(self.contradictions) < MOST_LISTED:
            self.contradictions.append(contradiction)

    def findings(self) -> Findings:
        """Sum up."""
        if self.lines == 0:
            self._keep(str(journal_read.headless(self.file)))
        expected = 0 if self.header is None else schedule.totals(self.header.schedule).deals
        if self.contradiction_count:
            status = Status.CONTRADICTED
        elif self.footer is None:
            status = Status.UNFINISHED
        else:
            status = Status.COMPLETE
        return Findings(
            status=status,
            lines=self.lines,
            deals=self.deals,
            expected_deals=expected,
            contradictions=tuple(self.contradictions),
            contradiction_count=self.contradiction_count,
            remarks=tuple(self.remarks),
        )


def verify(path: Path, progress: Callable[[int, int], None]) -> Findings:
    """Check every line of a journal, given its file or its league's folder.

    `progress` is told the bytes read and the bytes there are, now and then. Raises
    OperatorError where there is no journal or one of another format; contradictions are
    never raised.
    """
    file = journal_read.locate(path)
    audit = _Audit(file)
    size, last = file.stat().st_size, 0
    for raw in journal_read.raw_lines(file):
        audit.take(raw)
        last = raw.number
        if raw.number % _PROGRESS_EVERY == 0:
            progress(raw.start, size)
    progress(size, size)
    if last and audit.strange == last:
        raise OperatorError(f"{file} is no journal; name a league, its folder or its journal")
    return audit.findings()


def _check_names(raw: RawLine, line: Line) -> Iterator[str]:
    """Yield names within a line's objects that stand there twice, or that nobody knows."""
    body = encode_body(msgspec.structs.replace(line, chain=""))
    if journal_read.with_chain(body, line.chain.encode()) == raw.content + b"\n":
        return  # as this arena itself would write it
    twice: list[str] = []

    def named(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice.extend(sorted({name for name in names if names.count(name) > 1}))
        return found

    try:
        whole = json.loads(raw.content, object_pairs_hook=named)
    except (ValueError, RecursionError) as error:
        yield f"not every reader reads this line: {error}"
        return
    for name in twice:
        yield f"{name!r} is said twice"
    for name in sorted(whole.keys() - {"kind", *line.__struct_fields__}):
        yield f"{name!r} is nothing that this arena knows"


def _plain(key: Key) -> tuple[object, ...]:
    return msgspec.structs.astuple(key)


def _secret(footer: Footer) -> bytes | None:
    try:
        return bytes.fromhex(footer.secret)
    except ValueError:
        return None

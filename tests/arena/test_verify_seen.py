"""What remote bots saw and nobody finished is given up; a journal that deals it again lies."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena import verify as verification
from arena.records import Header, IncidentLine, Key, Line
from arena.verify import Findings, Status
from tests.arena.journals import TIME, all_lines, footer, forge, header, write
from tests.arena.runs import arena

replace = msgspec.structs.replace


def with_remote_bots(first: Header) -> Header:
    return replace(first, bots=tuple(replace(bot, remote=True) for bot in first.bots))


HEADER = header()
REMOTE = with_remote_bots(HEADER)
LINES = all_lines(HEADER)
PAIRED = with_remote_bots(header(session_deals=2))
PAIRS = all_lines(PAIRED)


def verify(path: Path) -> Findings:
    return verification.verify(path, lambda done, size: None)


def given_up(*keys: Key) -> IncidentLine:
    return IncidentLine(TIME, "seen_deals", "", shard="shard", seen=keys)


def test_sessions_that_were_given_up_are_missing_and_no_lie(tmp_path: Path) -> None:
    rest = [*LINES[:3], *LINES[4:]]
    incident = given_up(LINES[3].key)
    write(tmp_path, [REMOTE, *rest[:2], incident, *rest[2:], footer(11, (LINES[3].key,))])
    findings = verify(tmp_path)
    assert (findings.status, findings.contradictions) == (Status.COMPLETE, ())


FORGED: list[tuple[Callable[[], list[Line]], str, str]] = [
    (
        lambda: [REMOTE, given_up(LINES[3].key), *LINES, footer(12)],
        ":6: its session was given up",
        "cards that a remote bot saw before",
    ),
    (
        lambda: [PAIRED, *PAIRS[:2], given_up(PAIRS[2].key), *PAIRS[3:], footer(len(PAIRS))],
        ":5: its session was given up",
        "the second deal of such a session",
    ),
    (
        lambda: [REMOTE, *LINES, given_up(LINES[3].key), footer(12)],
        ":14: seen: the session of (0, 0, 1, 1, 1) was finished",
        "given up after it was over",
    ),
    (
        lambda: [HEADER, given_up(LINES[3].key), *LINES[:3], *LINES[4:], footer(11)],
        ":2: seen: no remote bot sits in",
        "given up without anybody who saw it",
    ),
    (
        lambda: [PAIRED, given_up(PAIRS[1].key), footer(0)],
        ":2: seen: no session begins with",
        "half of a session",
    ),
    (
        lambda: [REMOTE, given_up(Key(9, 9, 9, 9, 9)), footer(0)],
        ":2: seen: no session begins with",
        "a session that was never planned",
    ),
]


@pytest.mark.parametrize(("lines", "said", "because"), FORGED, ids=[row[2] for row in FORGED])
def test_what_contradicts_that_is_found(
    tmp_path: Path, lines: Callable[[], list[Line]], said: str, because: str
) -> None:
    findings = verify(forge(tmp_path / "journal.jsonl", lines()))
    assert findings.status is Status.CONTRADICTED
    assert any(said in contradiction for contradiction in findings.contradictions), because


def test_the_command_ends_with_evidence(tmp_path: Path) -> None:
    lines = [REMOTE, given_up(LINES[0].key), *LINES, footer(12)]
    file = forge(tmp_path / "journal.jsonl", lines)
    told = arena("log", "verify", file)
    assert told.returncode == 3
    assert f"{file}:3: its session was given up" in told.stderr

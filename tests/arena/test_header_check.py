"""A journal with a proper chain whose header or seats are nonsense: every reader says where."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena import audit, journal_read, rulebook, verify
from arena.errors import EvidenceError, OperatorError
from arena.journal import Writer
from arena.rating import rate
from arena.records import DealLine, FaultLine, Header
from arena.rescoring import Rescorer
from arena.verify import Findings, Status
from tests.arena.journals import RULES, all_lines, footer, forge, header
from tests.arena.runs import arena

HEADER = header()
LINES = all_lines(HEADER)
SCHEDULE = HEADER.schedule
replace = msgspec.structs.replace


def planned(**changes: Any) -> Header:
    return replace(HEADER, schedule=replace(SCHEDULE, **changes))


HEADERS: list[tuple[Header, str, str]] = [
    (planned(slice_deals=0), "schedule.slice_deals", "it would divide by nothing"),
    (planned(slice_deals=-2), "schedule.slice_deals", "nor by less"),
    (planned(session_deals=0), "schedule.session_deals", "sessions of nothing"),
    (planned(deals=0), "schedule.deals", "no deals"),
    (planned(deals=1 << 70), "schedule.deals", "more deals than can be counted"),
    (planned(session_deals=3), "cuts a session", "sessions that don't fit"),
    (planned(lineups=()), "schedule.lineups", "nobody meets"),
    (planned(lineups=((7, 8, 9, 10),)), "isn't listed", "bots that aren't there"),
    (planned(lineups=((0, 0, 1, -1),)), "schedule.lineups", "Python would count from the end"),
    (planned(fixed_partners=True), "fixed_partners", "partners that the rules don't fix"),
    (replace(HEADER, bots=()), "bots", "no bots"),
    (replace(HEADER, rules={}), "rules: ", "no rules"),
    (replace(HEADER, rules={**RULES["online"], "deck": 33}), "rules: deck", "a deck of 33"),
    (replace(HEADER, rules=RULES["with Stock"]), "carry something", "a Stock that is dropped"),
]


def audited(file: Path) -> object:
    return audit.audit(file, lambda done, total: None)


def rated(file: Path) -> object:
    lines = (line for _, line in journal_read.read(file) if isinstance(line, DealLine))
    return rate(journal_read.header(file), lines)


def rescored(file: Path) -> object:
    return list(Rescorer(file, rulebook.load("online-pro")).deals())


def verified(file: Path) -> Findings:
    return verify.verify(file, lambda done, size: None)


READERS: list[Callable[[Path], object]] = [
    lambda file: list(journal_read.read(file)),
    lambda file: Writer(file.parent),
    audited,
    rated,
    rescored,
]


@pytest.mark.parametrize(("first", "said", "because"), HEADERS, ids=[row[2] for row in HEADERS])
def test_no_league_begins_like_that(tmp_path: Path, first: Header, said: str, because: str) -> None:
    file = forge(tmp_path / "journal.jsonl", [first, *LINES, footer(len(LINES))])
    for reader in READERS:
        with pytest.raises(EvidenceError, match=r"journal.jsonl:1: ") as caught:
            reader(file)
        assert said in str(caught.value), because
    findings = verified(file)
    assert findings.status is Status.CONTRADICTED
    assert said in findings.contradictions[0], because


@pytest.mark.parametrize(
    "words",
    [["log", "show"], ["log", "verify"], ["log", "audit"], ["ratings"]],
    ids=lambda words: words[-1],
)
def test_commands_say_so_without_a_traceback(tmp_path: Path, words: list[str]) -> None:
    file = forge(tmp_path / "journal.jsonl", [planned(slice_deals=0), *LINES])
    told = arena(*words, file)
    assert told.returncode == EvidenceError.exit_code
    assert f"{file}:1: " in told.stderr
    assert "Traceback" not in told.stderr


def nested_too_deep(file: Path) -> Path:
    depth = 100_000
    file.write_bytes(b'{"kind":"header","rules":' + b"[" * depth + b"]" * depth + b"}\n")
    return file


def test_a_header_that_is_nested_too_deep(tmp_path: Path) -> None:
    file = nested_too_deep(tmp_path / "journal.jsonl")
    for reader in READERS:
        with pytest.raises(EvidenceError, match=r"journal.jsonl:1: not a line"):
            reader(file)
    assert verified(file).status is Status.CONTRADICTED


LINE = LINES[0]
SEATS: list[tuple[dict[str, Any], str]] = [
    ({"seats": (7, 0, 1, 1)}, "a bot that isn't there"),
    ({"seats": (-1, 0, 1, 1)}, "Python would count from the end"),
    ({"stood_down": (4,)}, "a fifth seat that was stood down"),
    ({"faults": (FaultLine(9, 0, "late", ""),)}, "a tenth seat's fault"),
    ({"forehand": 4}, "a fifth seat opens"),
]


@pytest.mark.parametrize(("change", "because"), SEATS, ids=[row[1] for row in SEATS])
def test_seats_that_no_table_has(tmp_path: Path, change: dict[str, Any], because: str) -> None:
    lines = [HEADER, replace(LINE, **change), *LINES[1:], footer(len(LINES))]
    file = forge(tmp_path / "journal.jsonl", lines)
    for reader in (READERS[0], audited, rated, rescored):
        with pytest.raises(EvidenceError, match=r"journal.jsonl:2: "):
            reader(file)
    assert verified(file).status is Status.CONTRADICTED, because


@pytest.mark.parametrize(("number", "remedy"), [(2, "a newer"), (0, "the older")])
def test_another_format_is_told_before_the_chain_is_doubted(
    tmp_path: Path, number: int, remedy: str
) -> None:
    file = forge(tmp_path / "journal.jsonl", [HEADER, *LINES])
    file.write_bytes(file.read_bytes().replace(b'"format":1', b'"format":%d' % number, 1))
    for reader in (*READERS, verified):
        with pytest.raises(OperatorError, match=f"has format {number}.*use {remedy} arena"):
            reader(file)


@pytest.mark.parametrize("content", [b"", b'{"kind":"hea'], ids=["empty", "torn"])
def test_a_header_that_is_missing_is_missing_for_all(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "journal.jsonl"
    file.write_bytes(content)
    for reader in (journal_read.header, audited, rated, rescored):
        with pytest.raises(EvidenceError, match=r"journal.jsonl:1: the header is missing"):
            reader(file)
    findings = verified(file)
    assert findings.status is Status.CONTRADICTED
    assert findings.contradictions == (f"{file}:1: the header is missing",)

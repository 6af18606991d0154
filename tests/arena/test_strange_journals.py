"""What is no journal, or one that steers terminals, is told in plain words."""

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.cli import main
from arena.errors import EvidenceError, OperatorError
from arena.names import shown
from arena.records import FaultLine, Footer, Header, IncidentLine, Line
from tests.arena.journals import TIME, all_lines, footer, forge, header
from tests.arena.runs import arena

HEADER = header()
LINES = all_lines(HEADER)
STEERING = "\x1b[2J"
COMMANDS = [["ratings"], ["log", "verify"], ["log", "show"], ["log", "audit"], ["log", "rescore"]]
replace = msgspec.structs.replace

NONE = [
    (b"root:x:0:0\nbin:x:1:1\n", "a text"),
    (b"one line without an end", "half a line"),
    (random.Random(1).randbytes(3000), "noise"),
    (b"\n\n\n", "nothing but line feeds"),
]


@pytest.mark.parametrize(("content", "because"), NONE, ids=[row[1] for row in NONE])
def test_what_is_no_journal(tmp_path: Path, content: bytes, because: str) -> None:
    file = tmp_path / "passwd"
    file.write_bytes(content)
    told = arena("log", "verify", file)
    assert told.returncode == OperatorError.exit_code
    assert told.stdout == ""
    assert told.stderr == (
        f"arena: {file} is no journal; name a league, its folder or its journal\n"
    ), because


def test_a_journal_without_its_header(tmp_path: Path) -> None:
    file = forge(tmp_path / "journal.jsonl", [*LINES, footer(len(LINES))])
    told = arena("log", "verify", file)
    assert told.returncode == EvidenceError.exit_code
    assert told.stdout.startswith(
        "contradicted: 11 deals; without a header nobody knows of how many\n"
    )
    assert f"{file}:1: a journal has one header" in told.stderr


def named(change: Callable[[Header], Header]) -> list[Line | dict[str, object]]:
    return [change(HEADER), *LINES, footer(len(LINES))]


def with_name(head: Header) -> Header:
    return replace(head, bots=(replace(head.bots[0], name=STEERING), *head.bots[1:]))


FORGED: list[tuple[list[Line | dict[str, object]], str]] = [
    ([HEADER, *LINES, {"kind": STEERING}], "a line's kind"),
    ([HEADER, *LINES, {"kind": "deal", STEERING: 1}], "a field's name"),
    ([{"kind": STEERING}, *LINES], "the first line"),
    (named(lambda head: replace(head, league=STEERING)), "the league"),
    (named(with_name), "a bot"),
    ([HEADER, IncidentLine(TIME, "resumed", STEERING), *LINES], "an incident"),
    ([HEADER, replace(LINES[0], faults=(FaultLine(0, 0, "late", STEERING),))], "a fault"),
    ([HEADER, replace(LINES[0], hands=(STEERING,) * 4, actions=STEERING)], "cards and actions"),
    ([HEADER, *LINES, Footer(STEERING, len(LINES), (), STEERING)], "the end"),
]


@pytest.mark.parametrize(("lines", "because"), FORGED, ids=[row[1] for row in FORGED])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_journal_steers_a_terminal(
    tmp_path: Path,
    words: list[str],
    lines: list[Line | dict[str, object]],
    because: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = forge(tmp_path / "journal.jsonl", lines)
    options = ["--rules", "online-pro"] if "rescore" in words else []
    assert main([*words, str(file), *options]) in range(5), because
    told = capsys.readouterr()
    assert STEERING[0] not in told.out + told.err, because


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gr\u00fcbler \U0001f0a1", "Gr\u00fcbler \U0001f0a1"),
        (STEERING, r"\x1b[2J"),
        ("a\u202eb\x9b\n", r"a\u202eb\x9b\n"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_is_shown(text: str, expected: str) -> None:
    assert shown(text) == expected

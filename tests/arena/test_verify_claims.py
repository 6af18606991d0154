"""A journal with a proper chain that claims what its header, its incidents or nobody bears out."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena import verify as verification
from arena.journal_read import CHAIN_START, chained, with_chain
from arena.records import Header, IncidentLine, Line, Recording, encode_body
from arena.verify import Findings, Status
from tests.arena.journals import TIME, all_lines, footer, forge, header

HEADER = header()
LINES = all_lines(HEADER)
LINE = LINES[0]
replace = msgspec.structs.replace


def verify(path: Path) -> Findings:
    return verification.verify(path, lambda done, size: None)


RECORDING: list[tuple[Header, dict[str, Any], str, str]] = [
    (replace(HEADER, recording=Recording(times=True)), {}, "header says True", "no times"),
    (replace(HEADER, recording=Recording(sent=True)), {}, "asks for 4", "no digests"),
    (
        replace(HEADER, recording=Recording(sent=True)),
        {"sent": ("00" * 15, *["00" * 16] * 3)},
        "which is no digest",
        "half a byte too few",
    ),
    (
        replace(HEADER, recording=Recording(sent=True)),
        {"sent": ("", *["00" * 16] * 3)},
        "which is no digest",
        "an asked seat without one",
    ),
]


@pytest.mark.parametrize(
    ("first", "change", "said", "because"), RECORDING, ids=[row[3] for row in RECORDING]
)
def test_what_the_header_records_must_be_there(
    tmp_path: Path, first: Header, change: dict[str, Any], said: str, because: str
) -> None:
    lines = [replace(line, **change) for line in LINES]
    file = forge(tmp_path / "journal.jsonl", [first, *lines, footer(len(LINES))])
    findings = verify(file)
    assert findings.contradiction_count == len(LINES), because
    assert all(said in contradiction for contradiction in findings.contradictions), because


SHARD = "l0-a0-s0-d0"
REASONS: list[tuple[list[tuple[str, str | None, str]], bool, str]] = [
    # incidents with shard and bot, whether they are a reason, why
    ([("bot_failed", SHARD, "bot 0")], True, "it failed in this shard"),
    ([("bot_failed", SHARD, "bot 1")], False, "another did"),
    ([("bot_failed", "l0-a0-s0-d2", "bot 0")], False, "it did in another shard"),
    ([("bot_suspended", None, "bot 0")], True, "this run has given it up"),
    ([("bot_suspended", None, "bot 0"), ("resumed", None, "")], False, "an earlier run had"),
    ([("bot_changed", SHARD, "bot 0")], False, "that stands nobody down"),
]


@pytest.mark.parametrize(("told", "enough", "because"), REASONS, ids=[row[2] for row in REASONS])
def test_who_is_stood_down_was_told_of_before(
    tmp_path: Path, told: list[tuple[str, str | None, str]], enough: bool, because: str
) -> None:
    assert HEADER.bots[LINE.seats[0]].name == "bot 0"
    before = [
        IncidentLine(time=TIME, incident=incident, detail="", shard=shard, bot=bot)
        for incident, shard, bot in told
    ]
    line = replace(LINE, stood_down=(0,))
    file = forge(
        tmp_path / "journal.jsonl", [HEADER, *before, line, *LINES[1:], footer(len(LINES))]
    )
    assert (verify(file).status is Status.COMPLETE) == enough, because


def odd(line: Line, **change: object) -> dict[str, object]:
    return {**msgspec.json.decode(encode_body(line)), **change}


def test_a_key_of_six_is_none(tmp_path: Path) -> None:
    line = odd(LINE, key=[*msgspec.structs.astuple(LINE.key), 7])
    file = forge(tmp_path / "journal.jsonl", [HEADER, line, *LINES[1:], footer(len(LINES))])
    assert any("at most length 5" in each for each in verify(file).contradictions)


@pytest.mark.parametrize("at", range(4))
def test_no_line_says_what_nobody_knows(tmp_path: Path, at: int) -> None:
    incident = IncidentLine(time=TIME, incident="resumed", detail="")
    lines: list[Line | dict[str, object]] = [HEADER, incident, *LINES, footer(len(LINES))]
    at = at if at < 3 else -1
    assert verify(forge(tmp_path / "journal.jsonl", lines)).status is Status.COMPLETE
    lines[at] = odd(lines[at], hint="EO")
    file = forge(tmp_path / "journal.jsonl", lines)
    (finding,) = verify(file).contradictions
    assert "'hint' is nothing that this arena knows" in finding


@pytest.mark.parametrize(
    ("once", "again", "name"),
    [
        (b'"forehand":0', b'"forehand":1,"forehand":0', "forehand"),
        (b'"won":', b'"won":null,"won":', "won"),
    ],
)
def test_nothing_is_said_twice(tmp_path: Path, once: bytes, again: bytes, name: str) -> None:
    """Readers differ in which of two they believe."""
    bodies = [encode_body(line) for line in (HEADER, *LINES, footer(len(LINES)))]
    bodies[1] = bodies[1].replace(once, again, 1)
    chain, content = CHAIN_START, b""
    for body in bodies:
        chain = chained(chain, body)
        content += with_chain(body, chain)
    file = tmp_path / "journal.jsonl"
    file.write_bytes(content)
    (finding,) = verify(file).contradictions
    assert f"{name!r} is said twice" in finding

"""What `arena status` tells where only the journal is left, and how it says it to people."""

import os
from pathlib import Path

import msgspec
import pytest

from arena.commands.status import status as command
from arena.errors import EvidenceError, OperatorError
from arena.journal import Writer
from arena.records import FaultLine, IncidentLine, Line
from arena.status import Status, read_status, write_status
from tests.arena.journals import TIME, all_lines, append_all, footer, header, write

HEADER = header(bots=4, deals=12)
LATE = FaultLine(seat=1, decision=0, fault="late", detail="")
TAIL = "bot 1: lost for good: exit status 3; its last lines:\nTraceback\n  File\nKeyError"


def played(count: int) -> list[Line]:
    lines = all_lines(HEADER)[:count]
    return [HEADER, msgspec.structs.replace(lines[0], faults=(LATE,)), *lines[1:]]


def failed(detail: str) -> IncidentLine:
    return IncidentLine(TIME, "bot_failed", detail, shard="l0-a0-s0-d0", bot="bot 2")


def shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    command(folder)
    return capsys.readouterr().out


def test_a_journal_tells_how_far_a_league_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, [*played(7), failed("gone")])
    told = read_status(tmp_path)
    assert (told.league, told.state, told.from_journal, told.pid) == ("test", "stopped", True, None)
    assert (told.done, told.total) == (7, 48)
    assert sum(told.faults.values()) == 1
    assert told.warnings == ("bot 2: gone",)
    text = shown(tmp_path, capsys)
    assert "league   'test', stopped (read from the journal)\n" in text
    assert "deals    7 of 48\n" in text


def test_a_journal_tells_that_a_league_is_over(tmp_path: Path) -> None:
    lines = played(48)
    missing = lines.pop().key
    write(tmp_path, [*lines, footer(47, missing=(missing,))])
    told = read_status(tmp_path)
    assert (told.state, told.done, told.missing) == ("finished", 47, 1)
    assert told.leader in told.bots


def test_a_journal_tells_who_leads_so_far(tmp_path: Path) -> None:
    write(tmp_path, played(47))
    assert read_status(tmp_path).leader is not None


@pytest.mark.parametrize("content", [b"", b"{", b"\xff"])
def test_a_journal_tells_where_the_status_file_is_torn(content: bytes, tmp_path: Path) -> None:
    write(tmp_path, played(3))
    (tmp_path / "status.json").write_bytes(content)
    assert read_status(tmp_path).done == 3


def test_a_league_that_runs_is_running_by_its_journal_too(tmp_path: Path) -> None:
    with Writer(tmp_path) as journal:
        journal.append(HEADER)
        append_all(journal, all_lines(HEADER)[:4])
        told = read_status(tmp_path)
    assert (told.state, told.done) == ("running", 4)


def test_a_journal_that_was_changed_is_not_believed(tmp_path: Path) -> None:
    file = write(tmp_path, played(5))
    file.write_bytes(file.read_bytes().replace(b'"late"', b'"gone"'))
    with pytest.raises(EvidenceError, match="the chain is broken"):
        read_status(tmp_path)


def test_a_journal_without_a_whole_line_is_no_league(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_bytes(b'{"kind":"header"')
    with pytest.raises(OperatorError, match="no league has run in"):
        read_status(tmp_path)


def warned(folder: Path, *warnings: str) -> Status:
    counted = Status(HEADER, os.getpid(), total=48, done=4)
    for warning in warnings:
        counted.warn(warning)
    write_status(folder, counted)
    return counted


def test_who_runs_it_and_how_to_stop_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Writer(tmp_path):
        warned(tmp_path)
        text = shown(tmp_path, capsys)
    assert f"process  {os.getpid()}; Ctrl-C in its terminal or `kill -TERM {os.getpid()}`" in text
    assert "process" not in shown(tmp_path, capsys), "it has stopped"


def test_of_one_bot_only_some_lines_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = tmp_path / "logs" / "bots"
    outputs.mkdir(parents=True)
    (outputs / "bot1-worker0-seat2.log").touch()
    warned(tmp_path, TAIL, "bot 2: gone", TAIL + " again", "few open files")
    lines = shown(tmp_path, capsys).splitlines()
    assert lines[lines.index("leader   not known yet") + 1 :] == [
        "warning  few open files",
        "warning  bot 1: lost for good: exit status 3; its last lines:",
        "         Traceback",
        "           File",
        f"         5 more lines; all that it printed is in {outputs}/bot1-*.log",
        "warning  bot 2: gone",
    ]


def test_what_is_cut_and_has_no_log_stands_in_the_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warned(tmp_path, TAIL)
    assert "1 more line; `arena status --json` has them all" in shown(tmp_path, capsys)

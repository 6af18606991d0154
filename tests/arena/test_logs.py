"""The arena's own log: lines for programs in a bounded file, lines for people on a terminal."""

import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
import structlog

from arena import logs
from arena.frames import Noticed
from arena.notices import Notices
from tests.arena.runs import ARENA, ROOT, arena, bot, deals, faults, incidents, write_league


def lines_of(folder: Path) -> list[dict[str, Any]]:
    content = (folder / "logs" / "arena.log").read_bytes()
    return [msgspec.json.decode(line) for line in content.splitlines()]


VICES = {
    # seat: vice, what the log says of it
    0: ("twice --at 2", "garbled"),
    1: ("illegal --at 3", "illegal"),
    2: ("crashes --at 4", "gone"),
    3: ("mute --at 2", "late"),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logged")
    words = [w for seat, (vice, _) in VICES.items() for w in ("--vice-of-seat", f"{seat}={vice}")]
    league = write_league(
        folder / "league.toml",
        bots=[bot("bad", "--max-batch", 1, *words)],
        limits={"decision_ms": 8000, "strikes": 5},
        deals=12,
    )
    ran = arena("run", league, "--quiet")
    assert ran.returncode == 0, ran.stderr
    return folder / "league"


def test_how_a_bot_died_that_lives_again_is_told(played: Path) -> None:
    """In the journal with its exit status, in the log with its last words besides."""
    details = {
        fault.detail for line in deals(played) for fault in line.faults if fault.fault == "gone"
    }
    assert details == {"the stream ended, exit status 3"}
    log = lines_of(played)
    assert "relaunched" in {line["event"] for line in log if line.get("seat") == 2}
    gone = [line["detail"] for line in log if line["event"] == "gone"]
    assert gone
    for detail in gone:
        assert detail.startswith("the stream ended, exit status 3; its last lines:\n")
        assert detail.endswith("an error that nobody foresaw")


def test_every_line_says_where_it_belongs(played: Path) -> None:
    found = lines_of(played)
    assert all(line["league"] == "test" for line in found)
    assert all({"event", "level", "timestamp"} <= line.keys() for line in found)
    of_tables = [line for line in found if line["event"] != "played"]
    assert of_tables
    assert all(line["table"] == "l0-a0-s0-d0" for line in of_tables)


@pytest.mark.parametrize("seat", VICES)
def test_what_befalls_a_bot_is_logged(played: Path, seat: int) -> None:
    kind = VICES[seat][1]
    found = [line for line in lines_of(played) if (line["event"], line.get("seat")) == (kind, seat)]
    assert found
    assert all(line["bot"] == "bad" and line["strikes"] > 0 and line["detail"] for line in found)
    spoilt = sum(line.get("decisions", 0) for line in found)
    assert spoilt == faults(deals(played))[seat, kind], "as many decisions as the journal has"
    if kind == "garbled":  # a second answer spoils nothing, and is a strike all the same
        assert spoilt == 0
        assert "which isn't open" in found[0]["detail"]
    else:
        assert found[0]["deal"] in {line.key.deal for line in deals(played)}


def test_a_relaunch_is_logged(played: Path) -> None:
    found = [line for line in lines_of(played) if line["event"] == "relaunched"]
    assert [line["seat"] for line in found][:1] == [2]


def test_a_lost_shard_is_logged(tmp_path: Path) -> None:
    words = ("--vice", "kills_the_shard", "--at", 5)
    league = write_league(tmp_path / "league.toml", bots=[bot("killer", *words)])
    arena("run", league, "--quiet", "--sandbox", "limits")
    lost = [line for line in lines_of(tmp_path / "league") if line["event"] == "shard lost"]
    assert len(lost) == len(incidents(tmp_path / "league")) > 0
    assert all(line["table"] and "SIGKILL" in line["how"] for line in lost)


def test_a_flood_of_faults_is_counted_and_not_written() -> None:
    heard: list[Noticed] = []
    notices = Notices(("a", "b", "c", "d"), heard.append)
    for number in range(100_000):
        notices(1, "garbled", "x" * 10_000, number + 1, ())
    notices(2, "garbled", "another's", 1, (7, 8))
    assert len(heard) < 40
    assert heard[-2].count == 1 << 16
    assert heard[-2].strikes == 1 << 16
    assert (heard[-1].bot, heard[-1].count, heard[-1].deal, heard[-1].decisions) == ("c", 1, 7, 2)
    assert sum(len(each.detail) for each in heard) < 20_000


def test_a_log_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_MOST_BYTES", 10_000)
    logs.to_file(tmp_path / "logs" / "arena.log", terminal=False)
    try:
        for number in range(1000):
            structlog.get_logger().info("again", number=number, text="x" * 100)
    finally:
        structlog.get_config()["logger_factory"]()._log.close()
        structlog.reset_defaults()
    sizes = {file.name: file.stat().st_size for file in (tmp_path / "logs").iterdir()}
    assert sizes.keys() == {"arena.log", "arena.log.1"}
    assert max(sizes.values()) < 11_000
    (last,) = (tmp_path / "logs" / "arena.log").read_bytes().splitlines()[-1:]
    assert msgspec.json.decode(last)["number"] == 999


def test_a_file_of_another_process_is_set_aside(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(logs, "_MOST_BYTES", 10)
    file = tmp_path / "shards.log"
    logs.bound(file)
    for content in ("123456789", "1234567890"):
        file.write_text(content)
        logs.bound(file)
    assert [each.name for each in tmp_path.iterdir()] == ["shards.log.1"]


def test_a_shard_that_repeats_itself_is_cut_short(capfd: pytest.CaptureFixture[str]) -> None:
    logs.to_stderr()
    try:
        for number in range(5000):
            structlog.get_logger().warning("token refused", number=number)
    finally:
        structlog.reset_defaults()
    said = [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]
    assert len(said) < 40
    assert said[-1]["count"] == 4096


def test_people_see_what_matters_on_a_terminal(tmp_path: Path) -> None:
    league = write_league(
        tmp_path / "league.toml", bots=[bot("bad", "--vice-of-seat", "1=crashes --at 2")]
    )
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [*ARENA, "run", str(league)], cwd=ROOT, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        told = b""
        while chunk := _read(ours):
            told += chunk
        assert process.wait() == 0
    finally:
        os.close(ours)
    text = told.decode()
    assert "gone" in text
    assert "bot=bad" in text
    assert "table=l0-a0-s0-d0" in text
    assert '{"' not in text, "no JSON for people"


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # its other end was closed
        return b""

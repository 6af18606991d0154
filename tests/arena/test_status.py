"""The status file: what the coordinator counts and what others read, whoever dies meanwhile."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest

from arena.errors import OperatorError
from arena.journal import Writer, is_held
from arena.records import FaultLine
from arena.status import Snapshot, Status, read_status, write_status
from tests.arena import leagues
from tests.arena.runs import ROOT


def status(done: int = 0, total: int = 24) -> Status:
    return Status(leagues.header(4, 6), os.getpid(), total=total, done=done)


def fed(lines: int) -> Status:
    head = leagues.header(4, 6)
    counted = status()
    played = leagues.league(head, leagues.simulated([3.0, 1.0, -1.0, -3.0], 1))
    for line in played[:lines]:
        faulty = msgspec.structs.replace(line, faults=(FaultLine(1, 0, "late", ""),) * 2)
        counted.count(faulty)
    return counted


def test_what_is_counted() -> None:
    counted = fed(8)
    counted.refresh()
    seen = counted.snapshot()
    assert (seen.league, seen.state, seen.done, seen.total) == ("test", "running", 8, 24)
    assert sum(seen.faults.values()) == 16
    assert all(name.startswith("bot ") for name in seen.faults)
    assert seen.leader is None or seen.leader.startswith("bot ")


def test_nothing_is_known_at_first() -> None:
    seen = status().snapshot()
    assert (seen.deals_per_s, seen.left_s, seen.leader, seen.faults) == (0.0, None, None, {})


def test_speed_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = status(done=4)
    for done, now in ((4, 100.0), (8, 102.0), (12, 104.0)):
        monkeypatch.setattr("time.monotonic", lambda now=now: now)
        counted.done = done
        counted.refresh()
    assert counted.deals_per_s == 2.0
    assert counted.left_s == 6.0


def test_the_last_warnings_are_kept() -> None:
    counted = status()
    for number in range(50):
        counted.warn(f"warning {number}")
    assert counted.snapshot().warnings == tuple(f"warning {number}" for number in range(30, 50))


def test_a_warning_that_comes_again_is_counted() -> None:
    counted = status()
    for text in ("often", "once", "often", "often"):
        counted.warn(text)
    assert counted.snapshot().warnings == ("once", "often (3 times)")


def test_the_file_says_what_was_counted(tmp_path: Path) -> None:
    counted = fed(3)
    counted.warn("Ödön: failed")
    write_status(tmp_path, counted)
    with Writer(tmp_path):
        seen = read_status(tmp_path)
    assert msgspec.structs.replace(seen, updated=0) == msgspec.structs.replace(
        counted.snapshot(), updated=0
    )
    assert {path.name for path in tmp_path.iterdir()} == {"status.json", "journal.jsonl", "lock"}


def test_a_run_that_died_shows_as_stopped(tmp_path: Path) -> None:
    """Its process number, which another process has by now, doesn't matter: the lock does."""
    counted = status()
    with Writer(tmp_path):
        write_status(tmp_path, counted)
        assert read_status(tmp_path).state == "running"
    assert read_status(tmp_path).state == "stopped"
    counted.finish(missing=0)
    write_status(tmp_path, counted)
    assert read_status(tmp_path).state == "finished"


def test_looking_never_keeps_a_writer_out(tmp_path: Path) -> None:
    program = """
        import sys, time
        from pathlib import Path
        from arena.journal import is_held
        print("looking", flush=True)
        while True:
            is_held(Path(sys.argv[1]))
            time.sleep(0.001)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    ) as looker:
        assert looker.stdout is not None
        looker.stdout.readline()
        for _ in range(50):
            with Writer(tmp_path):
                assert is_held(tmp_path)
        looker.kill()
    assert not is_held(tmp_path)


def test_the_leader_of_a_short_league_is_found_at_the_end() -> None:
    counted = fed(0)
    counted.refresh()
    assert counted.leader is None
    head = leagues.header(4, 6)
    for line in leagues.league(head, leagues.simulated([3.0, 1.0, -1.0, -3.0], 1)):
        counted.count(line)
    counted.refresh()
    assert counted.leader is None, "looking for it isn't due again so soon"
    counted.finish(missing=0)
    assert counted.leader is not None


@pytest.mark.parametrize("content", [b"", b"{", b'{"league": 1}', b"\xff"])
def test_what_is_no_status(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "status.json").write_bytes(content)
    with pytest.raises(OperatorError, match=r"status\.json is no status file"):
        read_status(tmp_path)


def test_a_league_that_never_ran(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="no league has run in"):
        read_status(tmp_path / "nowhere")


def test_a_disk_that_fails_is_silent() -> None:
    write_status(Path("/proc/nowhere"), status())


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    """A writer replaces the file again and again while this process reads."""
    program = """
        import sys
        from pathlib import Path
        from tests.arena.test_status import status
        from arena.status import write_status
        counted = status()
        for number in range(2000):
            counted.done = number
            counted.warn("x" * number)
            write_status(Path(sys.argv[1]), counted)
    """
    write_status(tmp_path, status())
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)], cwd=ROOT
    ) as writer:
        seen: list[Snapshot] = []
        while writer.poll() is None:
            seen.append(read_status(tmp_path))
    assert writer.returncode == 0
    assert len({snapshot.done for snapshot in seen}) > 10

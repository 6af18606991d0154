"""Leagues on disks that are full or may not be written, and beside clocks that go wrong."""

import ast
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena import league as coordinator
from arena.opening import opened
from arena.plan import make_plan
from arena.verify import Status, verify
from tests.arena.journals import forge, header
from tests.arena.runs import ROOT, arena, bot, deals, footer, left_over, write_league

MANY = 200


def league(folder: Path, **keys: object) -> Path:
    return write_league(folder / "league.toml", bots=[bot("scripted")], **{"deals": MANY, **keys})


def remounted(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, too small for a league."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only who may mount can have a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def assert_clear(run: "subprocess.CompletedProcess[str]", said: str) -> None:
    assert run.returncode == 2
    assert run.stderr.startswith("arena: ")
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_a_league_on_a_disk_that_is_really_full_goes_on_with_more_room(
    disk: Path, tmp_path: Path
) -> None:
    file, folder = league(tmp_path), disk / "league"
    run = arena("run", file, "--folder", folder)
    assert_clear(run, "No space left on device")
    assert "resume the league" in run.stderr
    assert not left_over(folder)
    assert 0 < len(deals(folder)) < MANY
    remounted(disk, "size=20m")
    assert arena("run", file, "--folder", folder).returncode == 0
    assert len(deals(folder)) == MANY
    assert verify(folder, lambda done, total: None).status is Status.COMPLETE


def test_a_league_on_a_disk_that_may_not_be_written_any_more(disk: Path, tmp_path: Path) -> None:
    remounted(disk, "size=20m")
    file, folder = league(tmp_path, deals=4), disk / "league"
    assert arena("run", file, "--folder", folder).returncode == 0
    remounted(disk, "ro")
    assert_clear(arena("run", file, "--folder", folder), "Read-only file system")
    assert_clear(arena("run", file, "--folder", disk / "new"), "Read-only file system")
    assert arena("log", "verify", folder).returncode == 0, "reading is enough for reports"
    assert arena("ratings", folder).returncode == 0
    assert "finished" in arena("status", folder).stdout


def test_a_temporary_folder_that_may_not_be_written(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = disk / "tmp"
    place.mkdir()
    remounted(disk, "ro")
    monkeypatch.setenv("TMPDIR", str(place))
    file = league(tmp_path, deals=4)
    run = arena("run", file)
    if run.returncode:  # Python looks for another place first
        assert_clear(run, "the machine refuses")
    else:
        assert len(deals(tmp_path / "league")) == 4


def test_a_clock_that_is_set_back_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run was in a far future, by its clock; the second is in its past."""
    file, folder = league(tmp_path, deals=20), tmp_path / "league"
    with monkeypatch.context() as patched:
        patched.setattr(coordinator, "now", lambda: "2099-01-01T00:00:00+00:00")
        plan = make_plan(file, None, 1)
        future = msgspec.structs.replace(plan.header, created="2099-01-01T00:00:00+00:00")
        with opened(msgspec.structs.replace(plan, header=future)) as begun:
            assert begun is not None
    assert b"2099" in (folder / "journal.jsonl").read_bytes()
    old = 86400 * 365
    os.utime(folder / "journal.jsonl", (old, old))
    assert arena("run", file).returncode == 0
    assert len(deals(folder)) == 20
    assert footer(folder).time < "2099"
    assert verify(folder, lambda done, total: None).status is Status.COMPLETE
    assert arena("status", file).returncode == arena("ratings", file).returncode == 0


WALL_CLOCKS = {("time", "time"), ("time", "time_ns"), ("datetime", "now"), ("datetime", "utcnow")}
JUDGES = (
    "clock", "cpu_time", "executor", "gate", "launcher", "lobby", "open_deal", "playing", "process",
    "remote", "seat", "server", "shard", "table",
)  # fmt: skip


@pytest.mark.parametrize("module", JUDGES)
def test_whoever_judges_time_reads_no_clock_that_can_be_set(module: str) -> None:
    tree = ast.parse((ROOT / "arena" / f"{module}.py").read_bytes())
    read = {
        (node.value.id, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    assert not read & WALL_CLOCKS
    imported = {
        (node.module, name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert not imported & WALL_CLOCKS
    assert not any(module == "datetime" for module, _ in imported)


@pytest.mark.parametrize("number", [0, -1])
def test_a_journal_of_an_older_format_is_left_alone_and_said_so(
    number: int, tmp_path: Path
) -> None:
    """No older format was ever published, so there is nothing to read it by."""
    file, folder = league(tmp_path, deals=4), tmp_path / "league"
    plan = make_plan(file, None, 1)
    (folder).mkdir()
    (folder / "secret").write_text(plan.secret.hex() + "\n")
    (folder / "secret").chmod(0o600)
    journal = forge(folder / "journal.jsonl", [msgspec.structs.replace(plan.header, format=number)])
    content = journal.read_bytes()
    for words in (("run", file), ("log", "verify", folder), ("ratings", folder)):
        assert_clear(arena(*words), f"has format {number}, but this arena reads format 1 alone")
    assert journal.read_bytes() == content


def test_a_journal_of_an_older_arena_tells_what_to_do(tmp_path: Path) -> None:
    file, folder = league(tmp_path, deals=4), tmp_path / "league"
    with opened(make_plan(file, None, 1)) as begun:
        assert begun is not None
    whole = forge(
        folder / "journal.jsonl", [msgspec.structs.replace(begun.plan.header, arena="0.0.1")]
    )
    run = arena("run", file)
    assert_clear(run, "the arena's version was '0.0.1'")
    assert "start a new league in another folder" in run.stderr
    assert whole.read_bytes().count(b"\n") == 1


def test_a_journal_whose_lines_lack_what_newer_ones_have_is_read(tmp_path: Path) -> None:
    """Fields are only added to a format, with defaults, so older lines stay readable."""
    plain = msgspec.to_builtins(header())
    for name in ("rescored_from", "chain"):
        plain.pop(name)
    journal = forge(tmp_path / "journal.jsonl", [{"kind": "header", **plain}])
    assert verify(journal, lambda done, total: None).status is Status.UNFINISHED

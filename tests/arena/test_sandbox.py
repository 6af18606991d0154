"""Which level is used, what is refused, and what the operator is told to do."""

import json
import shutil
from pathlib import Path

import pytest

from arena import confine, sandbox
from arena.errors import OperatorError
from arena.records import Level
from arena.sandbox import choose, probe
from tests.arena.offered import lacking
from tests.arena.runs import (
    PATIENCE_S,
    arena,
    bot,
    incidents,
    journal_lines,
    running,
    scripted,
    until,
    write_league,
)

SLEEP = shutil.which("sleep")
UID_MAP = "bwrap: setting up uid map: Permission denied"


@pytest.fixture
def no_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with little on it; a test may add to it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cat", "setpriv"):
        (folder / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_where_all_works_nothing_is_to_be_done(level: Level) -> None:
    if level == "bubblewrap":
        assert probe().hints == ()
    assert probe(level).level == level


def test_bubblewrap_is_to_be_installed(no_bubblewrap: Path) -> None:
    found = probe()
    assert found.level != "bubblewrap"
    assert found.hints[0] == "install bubblewrap: apt-get install bubblewrap"


def test_bubblewrap_that_fails_says_why(no_bubblewrap: Path) -> None:
    program = no_bubblewrap / "bwrap"
    program.write_text(f"#!/bin/sh\necho '{UID_MAP}' >&2\nexit 1\n")
    program.chmod(0o755)
    found = probe()
    assert found.level != "bubblewrap"
    assert found.hints[0] == f"bubblewrap doesn't work: {UID_MAP}"


def test_bubblewrap_that_takes_too_long_is_no_matter_of_settings(
    no_bubblewrap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_TRIAL_S", 3.0)
    program = no_bubblewrap / "bwrap"
    program.write_text(f"#!/bin/sh\nexec {SLEEP} 600\n")
    program.chmod(0o755)
    first, *others = probe().hints
    assert first.startswith("bubblewrap doesn't work: it took longer than")
    assert not any("container" in hint or "sysctl" in hint for hint in others)


def test_bubblewrap_that_hides_nothing_is_not_believed(no_bubblewrap: Path) -> None:
    program = no_bubblewrap / "bwrap"
    program.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    program.chmod(0o755)
    assert "it shows what it should hide" in probe().hints[0]


def test_a_machine_whose_calls_cannot_be_filtered_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The level is landlock all the same, but not for what its row in README promises."""
    level = probe().level
    if level == "limits":
        pytest.skip("nothing is filtered without a sandbox")
    assert not any("locks" in hint for hint in probe().hints)
    monkeypatch.setattr(confine, "_ARCHITECTURES", {})
    assert probe().level == level
    assert any("may talk by locks" in hint for hint in probe().hints)


@pytest.mark.parametrize(
    ("wanted", "least", "said"),
    [
        ("limits", "bubblewrap", "'limits' was chosen, but 'bubblewrap' is required"),
        ("bubblewrap", "limits", "apt-get install bubblewrap"),
        (None, "bubblewrap", "apt-get install bubblewrap"),
    ],
)
def test_less_than_what_is_wanted_is_refused(
    wanted: Level | None, least: Level, said: str, no_bubblewrap: Path
) -> None:
    with pytest.raises(OperatorError, match=said):
        choose(wanted, least=least)


def test_a_league_that_requires_a_sandbox(no_bubblewrap: Path, tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("b")])
    run = arena("run", file, "--require-sandbox")
    assert run.returncode == 2
    assert "apt-get install bubblewrap" in run.stderr
    assert not (tmp_path / "league").exists(), "nothing has begun"


def test_no_sandbox_is_told_loudly(tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("b")], deals=1)
    run = arena("run", file, "--sandbox", "limits")
    assert "WARNING: NO SANDBOX, bots can read and do all that you can." in run.stdout
    assert '"isolation":"limits"' in (tmp_path / "league" / "journal.jsonl").read_text()


def stopped(file: Path, level: Level) -> None:
    before = journal_lines(file.with_suffix(""))
    with running("run", file, "--sandbox", level) as run:
        until(lambda: journal_lines(file.with_suffix("")) > before + 3)
        run.terminate()
        assert run.wait(PATIENCE_S) == 130


def test_a_league_goes_on_with_a_better_sandbox_only(tmp_path: Path) -> None:
    if reason := lacking("landlock"):
        pytest.skip(reason)
    file = write_league(tmp_path / "league.toml", bots=[bot("b")], deals=30_000, slice_deals=500)
    stopped(file, "limits")
    stopped(file, "landlock")
    resumed = [each for each in incidents(tmp_path / "league") if each.incident == "resumed"]
    assert [incident.isolation for incident in resumed] == ["landlock"]
    worse = write_league(tmp_path / "worse.toml", bots=[bot("b")], deals=30_000, slice_deals=500)
    stopped(worse, "landlock")
    refused = arena("run", worse, "--sandbox", "limits")
    assert refused.returncode == 2
    assert "Bots were kept apart by landlock and would now be by limits alone" in refused.stderr


@pytest.mark.parametrize(
    ("folder", "readable", "said"),
    [
        ("~", [], "which holds too much; give it a folder of its own"),
        ("bot", ["~"], "wants to read"),
        ("league", [], "which no bot may see; move one of them"),
        ("bot", ["../league"], "which no bot may see; move one of them"),
        ("bot", ["nowhere"], "readable: there is no"),
        ("bot", ["~nobodyy/x"], "readable: '~nobodyy/x' can't be used"),
        ("bot", ["a\0b"], "readable: 'a\\x00b' can't be used"),
        ("bot", ["a" * 300], "can't be used"),
        ("~nobodyy/x", [], "can't be used"),
        ("a\0b", [], "league.toml"),
    ],
)
def test_a_bot_that_lives_where_it_may_not_look(
    folder: str,
    readable: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if reason := lacking("landlock"):
        pytest.skip(reason)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("bot", "home", "league"):
        (tmp_path / name).mkdir()
    entry = {**bot("b"), "folder": folder, "readable": readable}
    run = arena("run", write_league(tmp_path / "league.toml", bots=[entry]))
    assert run.returncode == 2
    assert said in run.stderr


def test_the_trial_is_held_in_the_sandbox(arena_home: Path, tmp_path: Path) -> None:
    if reason := lacking("landlock"):
        pytest.skip(reason)
    arena_home.mkdir()
    (arena_home / "registry.sqlite").touch()
    reads = [scripted()[0], "-c", f"print(open({str(arena_home / 'registry.sqlite')!r}))"]
    run = arena("register", "curious", "--folder", tmp_path, "--", *reads)
    assert run.returncode == 2
    assert "FileNotFoundError" in run.stderr or "PermissionError" in run.stderr


@pytest.mark.parametrize(("readable", "seen"), [(["../model"], True), ([], False)])
def test_an_owner_shows_a_bot_more(readable: list[str], seen: bool, tmp_path: Path) -> None:
    if reason := lacking("landlock"):
        pytest.skip(reason)
    for name in ("bot", "model"):
        (tmp_path / name).mkdir()
    (tmp_path / "model" / "weights").write_text("the weights")
    command = [scripted()[0], "-c", "print(open('../model/weights').read())"]
    (tmp_path / "bot" / "bot.toml").write_text(
        f"name = 'b'\ncommand = {json.dumps(command)}\nreadable = {json.dumps(readable)}\n"
    )
    run = arena("register", tmp_path / "bot")
    assert run.returncode == 2, "it doesn't connect"
    assert ("the weights" in run.stderr) == seen
    assert ("doesn't see ../model/weights" in run.stderr) == (not seen)

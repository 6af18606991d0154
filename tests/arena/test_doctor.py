"""The doctor finds what would keep leagues from running, and says what to do."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena import checkup, descriptors
from arena.checkup import Check, Level
from tests.arena.nobody import without_privileges
from tests.arena.runs import arena, bot, write_league
from tests.arena.test_descriptors import limited


def checks(text: str) -> dict[str, Check]:
    return {each.name: each for each in msgspec.json.decode(text, type=list[Check])}


def test_a_machine_that_runs_these_tests_has_no_problem(tmp_path: Path) -> None:
    league = write_league(tmp_path / "league.toml", bots=[bot("a"), bot("b")], workers=2)
    told = arena("doctor", league, "--json")
    assert (told.returncode, told.stderr) == (0, "")
    found = checks(told.stdout)
    names = "python packages sandbox sockets ports clock disk registry cores memory league"
    assert found.keys() == {*names.split(), "open files"}
    assert all(each.level != "problem" and each.found for each in found.values())
    assert all(bool(each.remedy) == (each.level != "ok") for each in found.values())
    assert found["league"].level == "ok"
    assert not (tmp_path / "league").exists(), "nothing is begun"


def test_people_are_told_the_same() -> None:
    told = arena("doctor")
    assert told.returncode == 0
    assert "ok       packages" in told.stdout


def test_what_is_lacking_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    told = arena("doctor")
    assert "-> " in told.stdout
    assert "install bubblewrap: apt-get install bubblewrap" in told.stdout


def test_a_league_that_cannot_be_played_is_a_problem(tmp_path: Path) -> None:
    league = write_league(tmp_path / "league.toml", bots=[bot("a", command=["no-such-program"])])
    told = arena("doctor", league, "--json")
    assert told.returncode == 2
    found = checks(told.stdout)["league"]
    assert "no-such-program" in found.found
    assert str(league) in found.found
    assert found.remedy == "", "the sentence says what to mend"


def test_too_few_files_are_a_problem() -> None:
    few = descriptors.NEEDED - 1
    told = limited(few, few, "doctor", "--json")
    assert told.returncode == 2
    files = checks(told.stdout)["open files"]
    assert files.level == "problem"
    assert files.found == f"{few} files suffice for 0 tables"
    assert "ulimit -n" in files.remedy


def test_a_league_is_not_blamed_for_the_machine(tmp_path: Path) -> None:
    league = write_league(tmp_path / "league.toml", bots=[bot("a")])
    few = descriptors.NEEDED - 1
    found = checks(limited(few, few, "doctor", league, "--json").stdout)["league"]
    assert found.level == "problem"
    assert "ulimit -n" in found.found
    assert "league" not in found.found + found.remedy


def stepping() -> Callable[[], float]:
    """A clock that runs twice as fast."""
    begun = time.time()
    return lambda: begun + 2 * (time.time() - begun)


def of_tomorrow(folder: Path) -> Path:
    folder.mkdir()
    file = folder / "journal.jsonl"
    file.touch()
    os.utime(file, (time.time() + 86_400,) * 2)
    return folder


def file_in(folder: Path) -> Path:
    file = folder / "file"
    file.touch()
    return file


LONG = "x" * 1000
"""No file system has a file of such a name, and asking for one fails."""


def as_a_stranger(check: Callable[[Path], Check]) -> Callable[[Path], Check]:
    """With a folder of ours within one that we may not search; root gives up its rights."""

    def checked(place: Path) -> Check:
        outer = place / "closed"
        (outer / "league").mkdir(parents=True)
        outer.chmod(0)
        try:
            with without_privileges():
                return check(outer / "league")
        finally:
            outer.chmod(0o700)

    return checked


ROWS: list[tuple[str, Callable[[Path], Check], Level, str]] = [
    ("old Python", lambda _: checkup.python((3, 10)), "problem", "3.11"),
    ("no arena", lambda _: checkup.packages("no-such-package"), "problem", "isn't installed"),
    ("coarse clock", lambda p: checkup.clock(p, resolution=0.015), "problem", "15.0 ms"),
    ("unset clock", lambda p: checkup.clock(p, now=time.monotonic), "warning", "it says 19"),
    ("stepping clock", lambda p: checkup.clock(p, now=stepping()), "warning", "stepped by +"),
    ("set back", lambda p: checkup.clock(of_tomorrow(p / "l")), "warning", "in the future"),
    ("no room", lambda p: checkup.disk("disk", p, 1 << 60), "problem", "are needed"),
    ("no folder", lambda p: checkup.disk("disk", file_in(p) / "x"), "problem", "can't be written"),
    ("closed", as_a_stranger(lambda p: checkup.disk("disk", p)), "problem", "Permission denied"),
    ("closed above", as_a_stranger(lambda p: checkup.disk("d", p / "x")), "problem", "be written"),
    ("long name", lambda p: checkup.disk("disk", p / LONG), "problem", "too long"),
    ("long folder", lambda p: checkup.disk("disk", p / LONG / "x"), "problem", "too long"),
    ("to be made", lambda p: checkup.disk("disk", p / "a" / "b"), "ok", "MB free"),
    ("many tables", lambda _: checkup.files(1 << 40), "warning", "are wanted"),
    ("much memory", lambda _: checkup.memory(1 << 20), "warning", "take"),
    ("more than cores", lambda _: checkup.cores(1 << 20), "warning", "1048576 tables"),
]


UNSEEN = [as_a_stranger(checkup.clock), lambda p: checkup.clock(p / LONG)]


@pytest.mark.parametrize("check", UNSEEN, ids=["closed", "long name"])
def test_a_folder_that_cannot_be_looked_at_tells_nothing_of_the_clock(
    tmp_path: Path, check: Callable[[Path], Check]
) -> None:
    assert "in the future" not in check(tmp_path).found


def test_the_doctor_goes_on_where_the_registry_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_HOME", f"/{LONG}")
    told = arena("doctor", "--json")
    assert (told.returncode, told.stderr) == (2, "")
    assert "too long" in checks(told.stdout)["registry"].found


@pytest.mark.parametrize(
    ("check", "level", "words"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS]
)
def test_what_is_wrong_is_found(
    tmp_path: Path, check: Callable[[Path], Check], level: Level, words: str
) -> None:
    found = check(tmp_path)
    assert found.level == level
    assert words in found.found + found.remedy
    assert bool(found.remedy) == (level != "ok")
    assert [each.name for each in tmp_path.rglob(".arena-*")] == []


def test_a_package_that_is_too_old_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup.metadata, "requires", lambda _: ["trio>=99", "nowhere-to-be-found"])
    found = checkup.packages()
    assert found.level == "problem"
    assert "trio is 0" in found.found
    assert "nowhere-to-be-found is missing" in found.found

"""Too few open files lower the number of tables, with a message, and refuse none at all."""

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from arena import descriptors
from arena.records import Level
from tests.arena.runs import ROOT, bot, deals, footer, write_league

_, HARD = resource.getrlimit(resource.RLIMIT_NOFILE)
if HARD == resource.RLIM_INFINITY:
    HARD = sys.maxsize
LIMITED = """
import resource, sys
from arena.cli import main
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
sys.exit(main(sys.argv[3:]))
"""


def limited(soft: int, hard: int, *words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(soft), str(hard), *map(str, words)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture
def league(tmp_path: Path) -> Path:
    # Chatty and failing bots, so that all files a shard may need are open.
    vices = ("--vice-of-seat", "0=floods", "--vice-of-seat", "1=crashes --at 2")
    others = ("--vice-of-seat", "2=floods", "--vice-of-seat", "3=floods")
    return write_league(
        tmp_path / "league.toml", bots=[bot("a", *vices, *others)], workers=100, deals=4
    )


def test_a_league_is_played_at_fewer_tables(league: Path) -> None:
    run = limited(64, 64, "run", league)
    assert (run.returncode, run.stderr) == (0, "")
    assert f"suffices for {descriptors.tables_for(64)} tables at once instead of 100" in run.stdout
    assert f"ulimit -n {descriptors.files_for(100)}" in run.stdout
    folder = league.with_suffix("")
    assert len(deals(folder)) == footer(folder).deals == 4
    assert not footer(folder).missing


@pytest.mark.skipif(HARD < 4096, reason=f"no more than {HARD} files may be opened here")
def test_the_limit_is_raised_as_far_as_may_be(league: Path) -> None:
    told = limited(64, 4096, "run", league, "--dry-run")
    assert told.returncode == 0
    assert "with 100 workers" in told.stdout
    assert "warning" not in told.stdout


def test_less_than_one_table_is_refused_before_any_game(league: Path) -> None:
    run = limited(descriptors.NEEDED - 1, descriptors.NEEDED - 1, "run", league)
    assert run.returncode == 2
    assert run.stderr.startswith(f"arena: a process may open {descriptors.NEEDED - 1} files here")
    assert "ulimit -n" in run.stderr
    assert not league.with_suffix("").exists()


def test_just_enough_for_one_table_is_enough(level: Level, league: Path) -> None:
    words = ("run", league, "--quiet", "--sandbox", level)
    run = limited(descriptors.NEEDED, descriptors.NEEDED, *words)
    assert run.returncode == 0
    # How many deals were asked about when it crashed depends on who was quickest.
    told = re.fullmatch(r"arena: a: (\d+) faults \(gone (\d+)\), the house played .*\n", run.stderr)
    assert told, f"whatever the level, no more than this: {run.stderr}"
    assert int(told[1]) == int(told[2]) >= 4
    assert len(deals(league.with_suffix(""))) == 4


def test_tables_and_files_agree() -> None:
    for tables in range(1, 200):
        files = descriptors.files_for(tables)
        assert descriptors.tables_for(files) >= tables
        assert files == descriptors.NEEDED or descriptors.tables_for(files - 1) < tables
    assert descriptors.tables_for(descriptors.NEEDED - 1) == 0


def test_a_limit_that_suffices_is_left_alone() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert descriptors.fit(1) == 1
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before

"""What a league that is played without a terminal says while it is played."""

from pathlib import Path

from tests.arena.runs import arena, bot, write_league

PATIENT = {"startup_ms": 30_000, "decision_ms": 30_000, "strikes": 1000}


def test_a_bot_that_cannot_start_is_told_by_name_with_its_last_lines(tmp_path: Path) -> None:
    """Before its shard's first deal, and not only to who asks for the status."""
    bots = [bot("good"), bot("broken", "--vice", "fails")]
    file = write_league(tmp_path / "league.toml", bots=bots, deals=4, limits=PATIENT, workers=1)
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    warning = run.stdout.index("warning: broken: failed to start: exit status")
    assert warning < run.stdout.index("no model file") < run.stdout.index("deals played")


def test_each_warning_is_told_once(tmp_path: Path) -> None:
    bots = [bot("good"), bot("broken", "--vice", "fails")]
    file = write_league(
        tmp_path / "league.toml", bots=bots, deals=8, slice_deals=2, limits=PATIENT, workers=1
    )
    told = arena("run", file).stdout
    assert told.count("warning: broken: failed to start") == 1
    assert told.count("warning: broken: stood down in one shard after another") == 1

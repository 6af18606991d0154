"""What an operator is told when a league ends: who failed, how often, and whether bots changed."""

import json
import shutil
import signal
from pathlib import Path

import psutil

from arena.verify import Status, verify
from tests.arena.runs import (
    PATIENCE_S,
    SCRIPTED_BOT,
    arena,
    bot,
    deals,
    faults,
    incidents,
    journal_lines,
    let_in,
    running,
    scripted,
    until,
    write_league,
)


def test_the_last_lines_name_who_failed(tmp_path: Path) -> None:
    bots = [bot("good"), bot("rude", "--vice", "illegal"), bot("dead", "--vice", "fails")]
    file = write_league(tmp_path / "league.toml", bots=bots, deals=1)
    run = arena("run", file)
    assert run.returncode == 0, "bad bots are no failure of the league"
    last = run.stdout.splitlines()
    first = next(number for number, line in enumerate(last) if "deals played" in line)
    rude, dead, hint = last[first + 1 :]
    assert rude.startswith("  rude: ")
    assert "faults (illegal " in rude
    assert dead == "  dead: the house played 16 of its 16 hands"
    assert "good" not in "".join(last[first:])
    assert str(tmp_path / "league" / "logs" / "bots") in hint
    (tmp_path / "other").mkdir()
    for_cron = arena("run", file, "--quiet", "--folder", tmp_path / "other")
    assert for_cron.returncode == 0
    assert "arena: dead: the house played 16 of its 16 hands\n" in for_cron.stderr
    assert "rude" not in for_cron.stderr, "whose faults are no business of cron's"
    status = arena("status", file).stdout
    assert "house    played 16 hands in place of dead" in status
    assert "warning  dead: failed to start" in status


def test_a_league_of_good_bots_ends_in_one_line(tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("a"), bot("b")], deals=2)
    run = arena("run", file)
    assert run.stdout.splitlines()[-1] == "8 deals played, 0 faults"
    assert "leader   a" in (said := arena("status", file).stdout) or "leader   b" in said


def test_a_resumed_league_counts_what_was_before(tmp_path: Path) -> None:
    # Each table's bots fail once, early; the first table is over before the stop.
    bots = [bot("rude", "--vice", "illegal", "--at", 2, "--max-batch", 1)]
    file = write_league(tmp_path / "league.toml", bots=bots, deals=3000, slice_deals=4)
    folder = tmp_path / "league"
    with running("run", file) as run:
        until(lambda: journal_lines(folder) > 6)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE_S)
    before = len(deals(folder))
    assert faults(deals(folder))
    file.write_text(file.read_text().replace("workers = 1", "workers = 2"))
    with running("run", file) as run:
        until(lambda: journal_lines(folder) > before + 10)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE_S)
    lines = deals(folder)
    assert f"faults   rude {sum(faults(lines).values())}\n" in arena("status", file).stdout


def test_the_last_line_of_a_resumed_league_tells_both_counts(tmp_path: Path) -> None:
    """The bots of the second table wait to be let in, so that the stop comes before it plays."""
    doors, folder = tmp_path / "doors", tmp_path / "league"
    doors.mkdir()
    file = write_league(
        tmp_path / "league.toml",
        bots=[bot("a", "--let-in", doors)],
        limits={"startup_ms": 600_000},
        deals=6,
        slice_deals=4,
    )
    # Bots in a sandbox could write no mark.
    words = ("run", file, "--sandbox", "limits")
    let_in(doors, range(1, 5))
    with running(*words) as run:
        until((doors / "launch8").exists)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE_S)
    assert len(deals(folder)) == 4
    let_in(doors, range(5, 13))
    assert "2 deals played now, 4 earlier, 0 faults" in arena(*words).stdout


def test_a_bot_that_edits_its_own_files_is_told(tmp_path: Path) -> None:
    """It is noticed when the next table starts, once; a resume would refuse it.

    Only without a sandbox, in which a bot's own folder may not be written.
    """
    program = tmp_path / "bot" / "scripted_bot.py"
    program.parent.mkdir()
    shutil.copy(SCRIPTED_BOT, program)
    shutil.copy(Path(SCRIPTED_BOT).with_name("excesses.py"), program.parent)
    python, *_ = scripted()
    command = [python, str(program), "--vice", "edits_itself", "--at", "3"]
    file = write_league(
        tmp_path / "league.toml",
        bots=[{**bot("sly", command=command), "folder": str(program.parent)}, bot("plain")],
        deals=1,
    )
    folder = tmp_path / "league"
    run = arena("run", file, "--sandbox", "limits")
    assert run.returncode == 0
    told = incidents(folder)
    assert {(line.incident, line.bot) for line in told} == {("bot_changed", "sly")}
    assert "its files had the digest" in told[0].detail
    assert told[0].shard is not None, "when the second table starts"
    assert told[-1].shard is None, "and what the last table did, at the end"
    assert verify(folder, lambda done, total: None).status is Status.COMPLETE
    assert "sly was changed while the league was played" in arena("status", file).stdout


def test_an_unchanged_bot_is_not_read_again(tmp_path: Path) -> None:
    from arena import registry
    from arena.bot_files import BotFiles
    from arena.records import BotEntry

    program = tmp_path / "bot.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    made = registry.make("b", ["./bot.sh"], tmp_path)
    entry = BotEntry("b", "0", made.command, made.folder, registry.digest(made)[0])
    files = BotFiles([entry])
    assert not list(files.changed([0]))
    program.touch()
    assert not list(files.changed([0])), "touched, not changed"
    program.write_text("#!/bin/bash\n")
    assert list(files.changed([0])) == [entry]
    assert not list(files.changed([0])), "told once"
    program.unlink()
    assert list(files.changed([0], thorough=True)) == [entry]
    assert files.digest(entry) == ""


def test_faults_are_the_same_wherever_they_are_told(tmp_path: Path) -> None:
    bots = [bot("rude", "--vice", "illegal", "--max-batch", 3), bot("good")]
    file = write_league(tmp_path / "league.toml", bots=bots, deals=3)
    run = arena("run", file)
    in_journal = faults(deals(tmp_path / "league")).total()
    assert in_journal > 0
    assert f"{in_journal} faults (illegal {in_journal})" in run.stdout
    assert f"faults   rude {in_journal}\n" in arena("status", file).stdout
    rated = json.loads(arena("ratings", file, "--json").stdout)["bots"]
    assert {each["name"]: each["faults"]["illegal"] for each in rated} == {
        "rude": in_journal,
        "good": 0,
    }


def test_a_league_of_ten_million_deals_begins_small(tmp_path: Path) -> None:
    """Up to its first deals, and when it goes on after a stop."""
    file = write_league(
        tmp_path / "league.toml", bots=[bot(f"bot {n}") for n in range(4)], deals=10_000_000
    )
    folder = tmp_path / "league"
    for lines in (5, 10):
        with running("run", file, "--quiet") as run:
            until(lambda lines=lines: journal_lines(folder) > lines)
            assert psutil.Process(run.pid).memory_info().rss < 200 << 20
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=PATIENCE_S)

"""Leagues that are interrupted, by signals, crashes and full disks: nothing is lost or doubled."""

import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from arena.verify import Status, verify
from tests.arena.runs import (
    ARENA,
    PATIENCE_S,
    ROOT,
    arena,
    bot,
    deals,
    footer,
    incidents,
    journal_lines,
    left_over,
    let_in,
    running,
    until,
    write_league,
)

MANY = 300


def league(tmp_path: Path, *words: object, **keys: Any) -> Path:
    return write_league(
        tmp_path / "league.toml",
        bots=[bot("scripted", *words)],
        **{"deals": MANY, "slice_deals": 100, **keys},
    )


def assert_complete(folder: Path, count: int = MANY) -> None:
    lines = deals(folder)
    assert len(lines) == len({line.key for line in lines}) == count
    assert footer(folder).missing == ()
    findings = verify(folder, lambda done, total: None)
    assert (findings.status, findings.contradictions) == (Status.COMPLETE, ())
    assert not left_over(folder)


def shards(folder: Path) -> list[psutil.Process]:
    found = map(psutil.Process, left_over(folder))
    return [process for process in found if "arena.shard" in process.cmdline()]


def test_a_killed_league_goes_on(tmp_path: Path) -> None:
    file = league(tmp_path, slice_deals=50)
    folder = tmp_path / "league"
    for number in range(2):
        with running("run", file) as run:
            before = journal_lines(folder)
            until(lambda before=before: journal_lines(folder) > before + 30)
            run.kill()
            run.wait()
        until(lambda: not left_over(folder))
        assert arena("status", file).stdout.startswith("league   'test', stopped"), number
    again = arena("run", file)
    assert (again.returncode, again.stderr) == (0, "")
    assert_complete(folder)
    assert [incident.incident for incident in incidents(folder)] == ["resumed"] * 2


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGINT, ()),
        (signal.SIGTERM, ("--vice", "mute", "--at", 300, "--max-batch", 1)),
        (signal.SIGHUP, ("--vice", "deaf")),
    ],
)
def test_a_signal_stops_at_once_and_loses_nothing(
    number: signal.Signals, words: tuple[object, ...], tmp_path: Path
) -> None:
    many = 30_000  # not to be played in the time that a stop takes on a busy machine
    file = league(tmp_path, *words, limits={"decision_ms": 30_000}, deals=many)
    folder = tmp_path / "league"
    with running("run", file) as run:
        until(lambda: journal_lines(folder) > 3)
        run.send_signal(number)
        out, err = run.communicate(
            timeout=PATIENCE_S
        )  # how fast it stops is for `make kills` to say
    assert (run.returncode, err) == (130, "")
    kept = len(deals(folder))
    assert f"stopped; {kept} of {many} deals are in the journal" in out
    assert not left_over(folder)
    assert not incidents(folder), "a stop is nobody's fault"
    assert all(line.faults == () for line in deals(folder))
    assert arena("log", "verify", folder).returncode == 4, "right as far as it goes"


def test_stopped_and_resumed_many_times(tmp_path: Path) -> None:
    file = league(tmp_path, deals=60, slice_deals=20)
    folder = tmp_path / "league"
    for _ in range(3):
        before = journal_lines(folder)
        with running("run", file, "--quiet") as run:
            until(lambda before=before: journal_lines(folder) > before + 3)
            run.send_signal(signal.SIGINT)
            assert run.wait(PATIENCE_S) in {0, 130}
    assert arena("run", file).returncode == 0
    assert_complete(folder, 60)


def test_a_finished_league_is_finished(tmp_path: Path) -> None:
    file = league(tmp_path, deals=4)
    assert arena("run", file).returncode == 0
    content = (tmp_path / "league" / "journal.jsonl").read_bytes()
    again = arena("run", file)
    assert again.returncode == 0
    assert "is finished; for a new league, name a new --folder" in again.stdout
    assert (tmp_path / "league" / "journal.jsonl").read_bytes() == content


def test_a_lost_shard_is_played_again(tmp_path: Path) -> None:
    """The bots of its second table wait to be let in, so that it is there to be killed."""
    doors, folder = tmp_path / "doors", tmp_path / "league"
    doors.mkdir()
    let_in(doors, range(1, 5))
    file = league(tmp_path, "--let-in", doors, deals=MANY, slice_deals=MANY // 2)
    with running("run", file, "--sandbox", "limits") as run:
        until((doors / "launch8").exists)
        shards(folder)[0].kill()
        let_in(doors, range(5, 13))
        assert run.wait(PATIENCE_S) == 0
    assert_complete(folder)
    lost = [incident for incident in incidents(folder) if incident.incident == "shard_lost"]
    assert [incident.detail for incident in lost] == ["killed by SIGKILL"]
    assert lost[0].shard is not None


def test_what_is_lost_three_times_is_missing(tmp_path: Path) -> None:
    """A bot kills its shard when it has been asked often, so only the short shard is whole."""
    words = ("--vice", "kills_the_shard", "--at", 20, "--max-batch", 1)
    file = league(tmp_path, *words, deals=41, slice_deals=40)
    run = arena("run", file, "--sandbox", "limits")
    folder = tmp_path / "league"
    assert run.returncode == 1
    assert "some deals could not be played" in run.stderr
    last = footer(folder)
    lines = deals(folder)
    assert last.deals == len(lines) == 41 - len(last.missing)
    assert 40 in {line.key.deal for line in lines}
    assert last.missing
    assert {key.deal for key in last.missing} == set(range(41)) - {each.key.deal for each in lines}
    assert [incident.detail for incident in incidents(folder)] == ["killed by SIGKILL"] * 3
    assert verify(folder, lambda done, total: None).contradictions == ()
    assert not left_over(folder)
    assert "finished" in arena("status", file).stdout


def test_two_arenas_do_not_share_a_league(tmp_path: Path) -> None:
    file = league(tmp_path, "--vice", "mute", limits={"decision_ms": 30_000})
    with running("run", file) as first:
        until(lambda: journal_lines(tmp_path / "league"))
        second = arena("run", file)
        assert second.returncode == 2
        assert f"process {first.pid}" in second.stderr
        assert "Traceback" not in second.stderr
        assert first.poll() is None


def test_a_full_disk_is_told_and_can_be_resumed(tmp_path: Path) -> None:
    file = league(tmp_path)
    limited = ["bash", "-c", 'ulimit -f 100; exec "$@"', "bash", *ARENA, "run", str(file)]
    run = subprocess.run(
        limited, check=False, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S
    )
    folder = tmp_path / "league"
    assert run.returncode == 2
    assert run.stderr.startswith("arena: ")
    assert "journal.jsonl" in run.stderr
    assert "Traceback" not in run.stderr
    assert not left_over(folder)
    assert 0 < len(deals(folder)) < MANY
    assert arena("run", file).returncode == 0
    assert_complete(folder)


def test_the_same_seed_plays_the_same_whatever_the_workers(tmp_path: Path) -> None:
    seen = []
    for workers in (1, 2):
        file = write_league(
            tmp_path / f"league{workers}.toml",
            bots=[bot("a"), bot("b", "--max-batch", 1 + workers)],
            deals=5,
            workers=workers,
        )
        run = arena("run", file)
        assert run.returncode == 0
        lines = deals(tmp_path / f"league{workers}")
        seen.append({line.key: (line.hands, line.actions, line.payoff) for line in lines})
    first, second = seen
    assert len(first) == 20
    assert len({hands for hands, *_ in first.values()}) == 5, "all seatings play the same cards"
    # Bots play by their seeds alone, whose key is in the shard and not in the batch.
    assert first == second


def test_leagues_without_a_seed_play_other_cards(tmp_path: Path) -> None:
    hands = []
    for number in range(2):
        file = league(tmp_path, deals=3, name=f"league {number}")
        content = [line for line in file.read_text().splitlines() if not line.startswith("seed")]
        file.write_text("\n".join(content))
        folder = tmp_path / f"folder{number}"
        assert arena("run", file, "--folder", folder).returncode == 0
        assert (folder / "secret").stat().st_mode & 0o777 == 0o600
        hands += [line.hands for line in deals(folder)]
    assert len(set(hands)) == 6

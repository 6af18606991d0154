"""Losses: what is the machine's fault, what a bot's, and what is remembered of them."""

import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from arena.errors import OperatorError
from arena.journal import Writer
from arena.status import Status as Progress
from arena.status import write_status
from arena.verify import Status, verify
from tests.arena.journals import all_lines, header
from tests.arena.offered import lacking
from tests.arena.runs import (
    ARENA,
    PATIENCE_S,
    arena,
    bot,
    deals,
    faults,
    incidents,
    journal_lines,
    left_over,
    running,
    until,
    write_league,
)


def league(tmp_path: Path, *words: object, **keys: object) -> Path:
    return write_league(tmp_path / "league.toml", bots=[bot("scripted", *words)], **keys)


def test_one_loss_after_another_stops_the_league_and_closes_nothing(tmp_path: Path) -> None:
    file = league(tmp_path, "--vice", "kills_the_shard", "--at", 1, deals=40, slice_deals=10)
    folder = tmp_path / "league"
    run = arena("run", file, "--sandbox", "limits")
    assert run.returncode == 2
    assert "one shard after another is lost, the last one so: killed by SIGKILL" in run.stderr
    lost = [incident.shard for incident in incidents(folder)]
    assert len(lost) > len(set(lost)) > 1
    assert verify(folder, lambda done, total: None).status is Status.UNFINISHED
    assert not left_over(folder)
    with Writer(folder) as journal:
        assert sum(journal.lost.values()) == len(lost), "a resume remembers them"


def test_a_signal_without_a_name_is_a_bots_end(tmp_path: Path) -> None:
    file = league(tmp_path, "--vice", "dies_namelessly", "--at", 2, deals=8)
    folder = tmp_path / "league"
    assert arena("run", file).returncode == 0
    assert {kind for _, kind in faults(deals(folder))} == {"gone"}
    assert len(deals(folder)) == 8
    (failed, *_) = incidents(folder)
    assert failed.incident == "bot_failed"
    assert "killed by signal 40" in failed.detail


def test_a_bot_can_not_stand_in_the_way_of_its_own_relaunch(tmp_path: Path) -> None:
    file = league(tmp_path, "--vice", "squats", "--at", 2, deals=8)
    folder = tmp_path / "league"
    assert arena("run", file, "--sandbox", "limits").returncode == 0
    assert {incident.incident for incident in incidents(folder)} == {"bot_failed"}
    assert len(deals(folder)) == 8


def test_more_signals_do_not_cut_the_ending_short(tmp_path: Path) -> None:
    file = league(tmp_path, "--vice", "deaf", deals=30_000)
    folder = tmp_path / "league"
    with running("run", file) as run:
        until(lambda: journal_lines(folder) > 3)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            run.send_signal(number)
        out, _ = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130
    assert "the same command goes on" in out
    assert not left_over(folder)


def test_shards_heed_the_arena_whatever_it_was_started_with(tmp_path: Path) -> None:
    file = league(tmp_path, deals=30_000)
    folder = tmp_path / "league"
    with running("run", file, by=("sh", "-c", "trap '' TERM; exec \"$@\"", "sh")) as run:
        until(lambda: journal_lines(folder) > 3)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130
    assert len(deals(folder)) < 30_000
    assert not left_over(folder)


def test_who_is_started_by_nohup_outlives_its_terminal(tmp_path: Path) -> None:
    file = league(tmp_path, deals=30_000)
    folder = tmp_path / "league"
    shell = ("sh", "-c", "trap '' HUP; exec \"$@\"", "sh")
    with running("run", file, by=shell) as run:
        until(lambda: journal_lines(folder) > 3)
        run.send_signal(signal.SIGHUP)
        seen = journal_lines(folder)
        until(lambda: journal_lines(folder) > seen)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130


def test_a_closed_output_stops_no_league(tmp_path: Path) -> None:
    file = league(tmp_path, deals=4)
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [*ARENA, "run", str(file)],
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=PATIENCE_S,
        check=False,
    )
    os.close(writer)
    assert (run.returncode, run.stderr) == (0, b"")
    assert len(deals(tmp_path / "league")) == 4


def test_ratings_refuse_a_journal_that_was_edited(tmp_path: Path) -> None:
    file = league(tmp_path, deals=4)
    folder = tmp_path / "league"
    assert arena("run", file).returncode == 0
    journal = folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"forehand":0', b'"forehand":2', 1))
    rated = arena("ratings", file)
    assert rated.returncode == 3
    assert "the chain is broken" in rated.stderr


def test_cards_that_a_footer_told_are_never_dealt_again(tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("scripted")], deals=4)
    file.write_text("\n".join(x for x in file.read_text().splitlines() if "seed" not in x))
    folder = tmp_path / "league"
    assert arena("run", file).returncode == 0
    before = [line.hands for line in deals(folder)]
    (folder / "journal.jsonl").unlink()
    (folder / "status.json").unlink()  # else the league would be missed
    assert arena("run", file).returncode == 0
    assert [line.hands for line in deals(folder)] != before


LOST: list[tuple[bytes | None, bytes | None, str, str]] = [
    (None, None, "had 4 deals", "removed"),
    (b"", None, "had 4 deals", "emptied"),
    (b'{"kind":"header","form', None, "had 4 deals", "torn within its header"),
    (b"", b'{"league":"te', "that began", "emptied, and a status that is torn"),
]


@pytest.mark.parametrize(("left", "status", "said", "because"), LOST, ids=[r[3] for r in LOST])
def test_a_league_whose_journal_is_gone_is_not_begun_anew(
    tmp_path: Path, left: bytes | None, status: bytes | None, said: str, because: str
) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("scripted")], deals=4, seed=None)
    folder = tmp_path / "league"
    assert arena("run", file).returncode == 0
    (folder / "journal.jsonl").unlink()
    if left is not None:
        (folder / "journal.jsonl").write_bytes(left)
    if status is not None:
        (folder / "status.json").write_bytes(status)
    before = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
    for words in (["run", "--dry-run"], ["run"]):
        run = arena(*words, file)
        assert run.returncode == OperatorError.exit_code, because
        assert said in run.stderr
        assert "restore it" in run.stderr
    assert before == {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


@pytest.mark.parametrize("told", ["nothing", "emptied by a power cut", "no deals"])
def test_a_journal_that_never_began_goes_on(tmp_path: Path, told: str) -> None:
    """A crash between the secret and the first line on the disk."""
    file = write_league(tmp_path / "league.toml", bots=[bot("scripted")], deals=4, seed=None)
    folder = tmp_path / "league"
    folder.mkdir()
    (folder / "secret").write_bytes(bytes(32))
    (folder / "journal.jsonl").write_bytes(b'{"kind":"header","form')
    if told == "no deals":
        write_status(folder, Progress(header(bots=1, deals=4), 1, total=4, done=0))
    elif told != "nothing":
        (folder / "status.json").touch()
    assert arena("run", file).returncode == 0
    assert len(deals(folder)) == 4
    assert (folder / "secret.old-1").read_bytes() == bytes(32)


def test_deals_of_earlier_runs_count_for_the_leader() -> None:
    head = header(bots=2, deals=4)
    progress = Progress(head, 1, total=40, done=5)
    progress.refresh()
    assert progress.leader is None
    for line in all_lines(head):
        progress.recall(line)
    assert progress.done == 5, "they are in it already"
    again = Progress(head, 1, total=40, done=5)
    for line in all_lines(head):
        again.recall(line)
    again.refresh()
    assert again.leader in {bot.name for bot in head.bots}


def test_nothing_outlives_coordinator_and_shard_that_die_at_once(tmp_path: Path) -> None:
    """Only numbers of its own hold a bot whose children have left their session."""
    if reason := lacking("bubblewrap"):
        pytest.skip(reason)
    file = league(tmp_path, "--vice", "children", deals=2000)
    folder = tmp_path / "league"
    with running("run", file, "--sandbox", "bubblewrap") as run:
        until(lambda: journal_lines(folder) > 3)
        (shard,) = psutil.Process(run.pid).children()
        os.kill(run.pid, signal.SIGKILL)
        os.kill(shard.pid, signal.SIGKILL)
        run.wait()
        until(lambda: not left_over(folder))

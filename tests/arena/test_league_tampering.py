"""Somebody else has a hand in a league's folder: the arena notices, and waits for nothing."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.verify import Status, verify
from tests.arena.runs import (
    PATIENCE_S,
    arena,
    bot,
    deals,
    journal_lines,
    left_over,
    running,
    until,
    write_league,
)

JOURNAL = "journal.jsonl"
MANY = 20_000


def league(folder: Path, deals: int = MANY) -> Path:
    return write_league(
        folder / "league.toml", bots=[bot("scripted")], deals=deals, slice_deals=600
    )


def remove_lock(folder: Path) -> None:
    (folder / "lock").unlink()


def remove_journal(folder: Path) -> None:
    (folder / JOURNAL).unlink()


def cut_journal(folder: Path) -> None:
    os.truncate(folder / JOURNAL, (folder / JOURNAL).stat().st_size - 3000)


def append_to_journal(folder: Path) -> None:
    with (folder / JOURNAL).open("ab") as file:
        file.write(b'{"kind":"dea')


def copy_over_journal(folder: Path) -> None:
    (folder / "copy").write_bytes((folder / JOURNAL).read_bytes())
    (folder / "copy").rename(folder / JOURNAL)


def move_folder(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


TAMPERINGS = [
    (remove_lock, "lock was removed, moved or replaced"),
    (remove_journal, "was removed"),
    (cut_journal, "was changed by somebody else while the league was played: it has "),
    (append_to_journal, "was changed by somebody else while the league was played: it has "),
    (copy_over_journal, "journal.jsonl was removed, moved or replaced"),
    (move_folder, "was removed"),
]


@pytest.mark.parametrize(("tamper", "said"), TAMPERINGS)
def test_tampering_stops_the_league(
    tamper: Callable[[Path], None], said: str, tmp_path: Path
) -> None:
    folder = tmp_path / "league"
    with running("run", league(tmp_path)) as run:
        until(lambda: journal_lines(folder) > 50)
        tamper(folder)
        _, told = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 2
    assert said in told
    assert "Traceback" not in told
    assert not left_over(folder)


def test_without_its_lock_a_league_is_not_played_twice(tmp_path: Path) -> None:
    file, folder = league(tmp_path), tmp_path / "league"
    with running("run", file) as first:
        until(lambda: journal_lines(folder) > 50)
        remove_lock(folder)
        with running("run", file) as second:
            assert first.wait(PATIENCE_S) == 2
            before = journal_lines(folder)
            until(lambda: second.poll() is not None or journal_lines(folder) > before + 50)
            second.send_signal(signal.SIGINT)
            second.wait(PATIENCE_S)
    found = verify(folder, lambda _done, _of: None)
    assert found.status is Status.UNFINISHED
    assert found.contradictions == ()
    assert len({line.key for line in deals(folder)}) == found.deals


PLACES = [JOURNAL, "scratch", "status.json", "status.json.new", "secret", "logs/arena.log"]


@pytest.mark.parametrize("place", [*PLACES, "logs/shards.log", "logs/bots/bot0-worker0-seat0.log"])
@pytest.mark.parametrize("device", [False, True])
def test_nothing_waits_for_a_pipe_or_a_device(place: str, tmp_path: Path, *, device: bool) -> None:
    file, path = league(tmp_path, deals=1), tmp_path / "league" / place
    path.parent.mkdir(parents=True)
    if device:
        path.symlink_to("/dev/full")
    else:
        os.mkfifo(path)
    for words in (["run", "--dry-run"], ["run"]):
        run = arena(words[0], file, *words[1:])
        assert (run.returncode, run.stdout) == (2, "")
        assert f"{path} is no regular file; remove it" in run.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["status"], "is no regular file; remove it"),
        (["log", "verify"], "there is no journal"),
        (["log", "show"], "there is no journal"),
        (["ratings"], "there is no journal"),
    ],
)
def test_readers_wait_for_no_pipe(words: list[str], said: str, tmp_path: Path) -> None:
    for name in ("status.json", JOURNAL):
        os.mkfifo(tmp_path / name)
    told = arena(*words, tmp_path)
    assert told.returncode == 2
    assert said in told.stderr

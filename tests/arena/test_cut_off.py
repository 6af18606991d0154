"""What becomes of deals that remote bots saw and nobody finished."""

from pathlib import Path

import pytest

from arena import seen
from arena.opening import opened
from arena.plan import make_plan
from arena.records import Key
from tests.arena.runs import bot, incidents, write_league

KEYS = [Key(0, 0, 0, 0, 0), Key(0, 0, 0, 1, 1)]


class Opening:
    def __init__(self, key: Key) -> None:
        self.key = key


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A league that has begun."""
    write_league(tmp_path / "league.toml", bots=[bot("a")])
    reopen(tmp_path / "league")
    return tmp_path / "league"


def reopen(folder: Path) -> None:
    with opened(make_plan(folder.with_suffix(".toml"), None, 1)) as begun:
        assert begun is not None


def note(folder: Path, keys: list[Key]) -> None:
    path = seen.path_of(folder, "a-shard")
    path.parent.mkdir(exist_ok=True)
    assert len(list(seen.noting(str(path), map(Opening, keys), lambda: True))) == len(keys)


def test_what_nobody_is_shown_is_not_noted(tmp_path: Path) -> None:
    looks = iter([True, False])
    path = tmp_path / "a-shard"
    assert len(list(seen.noting(str(path), map(Opening, KEYS), lambda: next(looks)))) == 2
    assert list(seen.noted(path)) == KEYS[:1]


def test_each_is_given_up_once(folder: Path) -> None:
    note(folder, [*KEYS, *KEYS])
    reopen(folder)
    assert [line.seen for line in incidents(folder) if line.seen] == [tuple(KEYS)]
    note(folder, KEYS)
    reopen(folder)
    assert [line.seen for line in incidents(folder) if line.seen] == [tuple(KEYS)]


def test_a_new_league_gives_up_nothing_of_one_that_is_gone(folder: Path) -> None:
    for number in (1, 2):
        note(folder, KEYS)
        (folder / "journal.jsonl").unlink()
        reopen(folder)
        assert not incidents(folder)
        assert list(seen.noted(folder / f"seen.old-{number}" / "a-shard")) == KEYS
        assert (folder / f"secret.old-{number}").exists()
        reopen(folder)
        assert not [line for line in incidents(folder) if line.seen]

"""A bot that comes to nothing costs a league a few shards' waiting, and not each one's."""

from pathlib import Path

from arena.patience import Patience
from arena.verify import Status, verify
from tests.arena.runs import arena, bot, deals, incidents, left_over, write_league

BOTS = ["good", "bad", "good", "good"]


def test_three_in_a_row_are_enough() -> None:
    patience = Patience(3)
    for shard in ("a", "b"):
        patience.failed(shard, "bad")
        assert patience.ended(shard, BOTS) == []
    assert not patience.is_over("bad")
    patience.failed("c", "bad")
    assert patience.ended("c", BOTS) == ["bad"]
    assert patience.is_over("bad")
    assert not patience.is_over("good")
    assert patience.ended("d", BOTS) == [], "it is told once"


def test_a_shard_that_goes_well_begins_the_count_anew() -> None:
    patience = Patience(3)
    for shard in ("a", "b", "c", "d", "e", "f"):
        if shard != "c":
            patience.failed(shard, "bad")
        told = patience.ended(shard, BOTS)
        assert told == (["bad"] if shard == "f" else []), shard


def test_what_failed_in_a_shard_that_was_lost_does_not_count() -> None:
    patience = Patience(1)
    patience.failed("a", "bad")
    patience.lost("a")
    assert patience.ended("a", BOTS) == [], "played anew, it went well"


def test_who_sits_elsewhere_is_not_counted() -> None:
    patience = Patience(3)
    for shard in ("a", "b", "c", "d"):
        patience.failed(shard, "bad")
        assert patience.ended(shard, ["good"]) == [], "it wasn't among the bots that ended"


def test_a_league_ends_without_starting_a_dead_bot_again(tmp_path: Path) -> None:
    bots = [
        bot("Good"),
        bot("Fine"),
        bot("Bad", "--vice", "fails"),
        bot("Well"),
    ]
    file = write_league(tmp_path / "league.toml", bots=bots, deals=6, slice_deals=1)
    run = arena("run", file)
    assert run.returncode == 0
    folder = tmp_path / "league"
    lines = deals(folder)
    assert len(lines) == 24, "four seatings of six deals"
    assert all(line.seats.index(2) in line.stood_down for line in lines), "nothing of it counts"
    told = [line.incident for line in incidents(folder) if line.bot == "Bad"]
    assert told == ["bot_failed"] * 3 + ["bot_suspended"]
    assert "doesn't start it any more" in run.stdout + arena("status", file).stdout
    assert not left_over(folder)
    assert verify(folder, lambda done, total: None).status is Status.COMPLETE

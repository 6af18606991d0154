"""Deals are drawn from the system's randomness, committed to, and hang on nothing bots do."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from arena import dealing, journal_read, schedule
from arena.open_deal import seat_keys
from arena.records import DealLine, Schedule
from tests.arena.runs import arena, bot, deals, faults, footer, write_league

TO_ITSELF = ("--vice-of-seat", "0=crashes --at 3", "--vice-of-seat", "2=illegal --at 4")
FIELDS: dict[str, tuple[object, ...]] = {
    "by eight": (),
    "one by one": ("--max-batch", 1),
    "by many": ("--max-batch", 64),
    "crashing": TO_ITSELF,
    "hopeless": ("--vice-of-seat", "1=fails", "--vice-of-seat", "3=half"),
}


def played(folder: Path, *words: object) -> list[DealLine]:
    folder.mkdir()
    league = write_league(
        folder / "league.toml",
        bots=[bot("a", *words)],
        rules="sauspiel",
        journal={"sent": True},
        limits={"decision_ms": 5000, "strikes": 8},
        deals=8,
    )
    ran = arena("run", league, "--quiet")
    assert ran.returncode == 0, ran.stderr
    return sorted(deals(folder / "league"), key=lambda line: line.key)


def test_deals_hang_on_nothing_that_bots_do(tmp_path: Path) -> None:
    leagues = {name: played(tmp_path / name, *words) for name, words in FIELDS.items()}
    cards = {
        name: [(line.key, line.seats, line.forehand, line.hands, line.first) for line in lines]
        for name, lines in leagues.items()
    }
    assert all(each == cards["by eight"] for each in cards.values())
    kinds = {kind for _, kind in faults(leagues["crashing"])}
    assert kinds == {"gone", "illegal"}
    assert any(line.stood_down for line in leagues["hopeless"])
    # What a seat is sent holds its seeds, and these bots play by them.
    told = {
        name: [(line.key, line.actions, line.sent) for line in lines]
        for name, lines in leagues.items()
    }
    assert told["by eight"] == told["one by one"] == told["by many"]
    assert all(len(set(line.sent)) == 4 for line in leagues["by eight"])


def test_the_secret_comes_from_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bytes] = []
    system = os.urandom

    def urandom(size: int) -> bytes:
        drawn.append(system(size))
        return drawn[-1]

    monkeypatch.setattr(os, "urandom", urandom)
    secrets = [dealing.new_secret() for _ in range(100)]
    assert secrets == drawn, "nothing is done to what the system gives"
    assert len(set(secrets)) == 100
    assert {len(secret) for secret in secrets} == {dealing.SECRET_BYTES}


def test_the_secret_is_committed_first_and_told_last(tmp_path: Path) -> None:
    told = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        league = write_league(tmp_path / name / "league.toml", bots=[bot("a")], seed=None)
        assert arena("run", league, "--quiet").returncode == 0
        folder = tmp_path / name / "league"
        secret = (folder / dealing.FILE_NAME).read_bytes()
        assert (folder / dealing.FILE_NAME).stat().st_mode & 0o777 == 0o600
        head = journal_read.header(folder)
        assert (head.commitment, head.open) == (dealing.commitment(secret), False)
        assert footer(folder).secret == secret.hex()
        *before, last = (folder / "journal.jsonl").read_bytes().splitlines()
        told.append(secret)
        assert secret.hex().encode() in last
        for place in (*before, *(f.read_bytes() for f in folder.rglob("*.log"))):
            assert secret not in place
            assert secret.hex().encode() not in place, "nobody can know it before the end"
    assert told[0] != told[1], "no two leagues share a secret"


def secrets(count: int) -> Iterator[bytes]:
    return (number.to_bytes(dealing.SECRET_BYTES, "big") for number in range(count))


PLAN = Schedule(deals=1200, slice_deals=60, session_deals=1, lineups=schedule.lineups(4))


def test_no_cards_are_dealt_twice() -> None:
    """Of that many deals none repeat; there are 10**17 of them."""
    dealt = {dealing.hands(secret, deal, 32) for secret in secrets(20) for deal in range(1000)}
    assert len(dealt) == 20 * 1000


def test_no_stream_has_the_key_of_another() -> None:
    keys = [
        key
        for secret in secrets(20)
        for shard in schedule.shards(PLAN)
        for key in seat_keys(secret, shard.id).seats
    ]
    assert len(keys) > 5000
    assert len(set(keys)) == len(keys)


def test_seeds_meet_no_oftener_than_chance_has_it() -> None:
    """A seed has 32 bits, so of many some must meet; of a deal's own none ever do."""
    seeds = [
        dealing.decision_seed(dealing.deal_seed(key, deal), number)
        for secret in secrets(2)
        for shard in islice(schedule.shards(PLAN), 40)
        for key in seat_keys(secret, shard.id).seats
        for deal in range(shard.first_deal, shard.first_deal + 60)
        for number in range(10)
    ]
    pairs = len(seeds) * (len(seeds) - 1) / 2
    expected = pairs / (1 << 32)
    met = len(seeds) - len(set(seeds))
    assert abs(met - expected) < 6 * expected**0.5 + 1
    of_a_deal = [seeds[start : start + 10] for start in range(0, len(seeds), 10)]
    assert all(len(set(each)) == 10 for each in of_a_deal)

"""Who plays whom where: balanced, complete, lazily."""

import tracemalloc
from collections import Counter
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import schedule
from arena.records import Key, Schedule
from arena.schedule import Four

LINEUPS = [
    (1, None, ((0, 0, 0, 0),), "self-play"),
    (2, None, ((0, 0, 1, 1),), "two against two"),
    (3, None, ((0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)), "each is once doubled"),
    (4, None, ((0, 1, 2, 3),), "the normal table"),
    (
        5,
        None,
        ((0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 3, 4), (0, 2, 3, 4), (1, 2, 3, 4)),
        "all subsets, in lexicographic order",
    ),
    (5, 99, schedule.lineups(5), "a limit above their number limits nothing"),
    (3, 1, ((0, 0, 1, 2),), "a limit holds for small fields, too"),
]


@pytest.mark.parametrize(("bots", "limit", "expected", "because"), LINEUPS)
def test_lineups(bots: int, limit: int | None, expected: tuple[Four, ...], because: str) -> None:
    assert schedule.lineups(bots, limit) == expected, because


@settings(deadline=None, max_examples=60)
@given(bots=st.integers(5, 16), data=st.data())
def test_a_choice_of_lineups_is_balanced(bots: int, data: st.DataObject) -> None:
    limit = data.draw(st.integers(1, min(comb(bots, 4) - 1, 200)))
    chosen = schedule.lineups(bots, limit)
    assert len(set(chosen)) == limit
    assert all(list(lineup) == sorted(set(lineup)) for lineup in chosen)
    appearances = Counter(bot for lineup in chosen for bot in lineup)
    together = Counter(pair for lineup in chosen for pair in combinations(lineup, 2))
    bots_seen = [appearances[bot] for bot in range(bots)]
    pairs_seen = [together[pair] for pair in combinations(range(bots), 2)]
    assert max(bots_seen) - min(bots_seen) <= 2
    # A random choice spreads about six standard deviations over that many pairs.
    mean = sum(pairs_seen) / len(pairs_seen)
    assert max(pairs_seen) - min(pairs_seen) <= 2 + 2 * mean**0.5


def test_a_choice_of_lineups_is_always_the_same() -> None:
    assert schedule.lineups(9, 20) == schedule.lineups(9, 20)


ARRANGEMENTS = [
    ((0, 1, 2, 3), [4] * 6, "six cyclic orders of four different bots"),
    ((0, 0, 1, 2), [4, 4, 4], "one bot twice"),
    ((0, 1, 1, 2), [4, 4, 4], "whichever it is"),
    ((0, 0, 1, 1), [4, 2], "side by side, or crosswise where two rotations look alike"),
    ((0, 0, 0, 0), [1], "nothing to turn"),
]


@pytest.mark.parametrize(("lineup", "rotations", "because"), ARRANGEMENTS)
def test_arrangements_and_seatings(lineup: Four, rotations: list[int], because: str) -> None:
    orders = schedule.arrangements(lineup)
    rows = [schedule.seatings(order) for order in orders]
    assert [len(row) for row in rows] == rotations, because
    seen = [seats for row in rows for seats in row]
    assert len(set(seen)) == len(seen), "no seating comes twice, not even in two arrangements"
    assert {tuple(sorted(seats)) for seats in seen} == {lineup}


@given(lineup=st.tuples(*[st.integers(0, 5)] * 4))
def test_a_seating_turns_its_arrangement(lineup: Four) -> None:
    a, b, c, d = sorted(lineup)
    for order in schedule.arrangements((a, b, c, d)):
        for turn, seats in enumerate(schedule.seatings(order)):
            assert seats == tuple(order[(seat - turn) % 4] for seat in range(4))


schedules = st.builds(
    lambda bots, limit, session, per_slice, deals: Schedule(
        deals=deals * session,
        slice_deals=per_slice * session,
        session_deals=session,
        lineups=schedule.lineups(bots, limit),
    ),
    bots=st.integers(1, 7),
    limit=st.none() | st.integers(1, 8),
    session=st.integers(1, 3),
    per_slice=st.integers(1, 7),
    deals=st.integers(1, 40),
)


@settings(deadline=None)
@given(plan=schedules)
def test_shards_are_complete_and_counted(plan: Schedule) -> None:
    shards = list(schedule.shards(plan))
    keys = [key for shard in shards for key in schedule.keys(shard)]
    totals = schedule.totals(plan)
    assert len({shard.id for shard in shards}) == len(shards) == totals.shards
    assert len(set(keys)) == len(keys) == totals.deals
    assert totals.launches == 4 * len(shards)
    assert totals.lineups == len(plan.lineups)
    for lineup in range(len(plan.lineups)):
        played = {key.deal for key in keys if key.lineup == lineup}
        assert played == set(range(plan.deals)), "all lineups play the same deals"


@settings(deadline=None)
@given(plan=schedules)
def test_every_deal_is_a_complete_block(plan: Schedule) -> None:
    seatings: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for shard in schedule.shards(plan):
        for key in schedule.keys(shard):
            place = (key.arrangement, key.seating)
            seatings.setdefault((key.lineup, key.deal), set()).add(place)
            assert schedule.expected_seats(plan, key) == shard.seats
    for (lineup, _), places in seatings.items():
        arrangements = {arrangement for arrangement, _ in places}
        assert len(arrangements) == 1, "a block keeps to one arrangement"
        order = schedule.arrangements(plan.lineups[lineup])[arrangements.pop()]
        assert len(places) == len(schedule.seatings(order))


@settings(deadline=None)
@given(plan=schedules)
def test_blocks_come_early(plan: Schedule) -> None:
    order = [(shard.first_deal, shard.lineup, shard.seating) for shard in schedule.shards(plan)]
    assert order == sorted(order)


@settings(deadline=None)
@given(plan=schedules)
def test_sessions_are_never_cut(plan: Schedule) -> None:
    for shard in schedule.shards(plan):
        sessions = Counter(key.session for key in schedule.keys(shard))
        assert set(sessions.values()) == {plan.session_deals}


@pytest.mark.parametrize("bots", [2, 3, 4, 6])
def test_over_a_round_all_pairs_meet_alike(bots: int) -> None:
    plan = Schedule(deals=6 * 4, slice_deals=4, session_deals=1, lineups=schedule.lineups(bots))
    neighbours: Counter[tuple[int, int]] = Counter()
    opposite: Counter[tuple[int, int]] = Counter()
    before: Counter[tuple[int, int]] = Counter()
    for shard in schedule.shards(plan):
        for seat, bot in enumerate(shard.seats):
            after, across = shard.seats[(seat + 1) % 4], shard.seats[(seat + 2) % 4]
            before[bot, after] += shard.deals
            neighbours[min(bot, after), max(bot, after)] += shard.deals
            if seat < 2:
                opposite[min(bot, across), max(bot, across)] += shard.deals
    different = list(combinations(range(bots), 2))
    assert len({neighbours[pair] for pair in different}) == 1
    assert len({opposite[pair] for pair in different}) == 1
    assert neighbours[different[0]] == 2 * opposite[different[0]]
    assert all(before[a, b] == before[b, a] for a, b in different)


def test_lineups_start_with_different_arrangements() -> None:
    plan = Schedule(deals=10, slice_deals=10, session_deals=1, lineups=schedule.lineups(6))
    assert {shard.arrangement for shard in schedule.shards(plan)} == set(range(6))


def test_ten_million_deals_take_no_memory() -> None:
    plan = Schedule(deals=10_000_000, slice_deals=120, session_deals=1, lineups=schedule.lineups(8))
    tracemalloc.start()
    totals = schedule.totals(plan)
    first = list(islice(schedule.shards(plan), 1000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert totals.deals == 10_000_000 * 70 * 4
    assert first[0].id == "l0-a0-s0-d0"
    assert peak < 2_000_000, "bytes"


FOREIGN = [
    (Key(0, 0, 0, 0, 12), "a deal beyond the last"),
    (Key(0, 0, 0, -1, -1), "no such deal"),
    (Key(9, 0, 0, 0, 0), "no such lineup"),
    (Key(-1, 0, 0, 0, 0), "nor from the end"),
    (Key(0, 1, 0, 0, 0), "another arrangement's turn"),
    (Key(0, 0, 4, 0, 0), "no such seating"),
    (Key(0, 0, -1, 0, 0), "nor from the end"),
    (Key(0, 0, 0, 1, 0), "a deal of another session"),
]


@pytest.mark.parametrize(("key", "because"), FOREIGN)
def test_keys_that_no_schedule_has(key: Key, because: str) -> None:
    plan = Schedule(deals=12, slice_deals=2, session_deals=2, lineups=schedule.lineups(5))
    assert schedule.expected_seats(plan, Key(0, 0, 0, 0, 0)) == (0, 1, 2, 3)
    assert schedule.expected_seats(plan, key) is None, because

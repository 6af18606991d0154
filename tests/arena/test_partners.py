"""Leagues with fixed partners: every pairing gets its turn, and teams are told."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import rulebook, schedule
from arena.rating import Standings, rate
from arena.records import Schedule
from arena.report import text
from arena.schedule import Four
from tests.arena.leagues import Payoffs, header, league, nothing, simulated

PAIRINGS = [
    ((0, 1, 2, 3), 3, "each bot with each other one"),
    ((0, 0, 1, 2), 2, "the doubled bot with itself, or with both others"),
    ((0, 1, 2, 2), 2, "whichever bot is doubled"),
    ((0, 0, 1, 1), 1, "each with itself: two mixed teams would tell nothing"),
    ((0, 0, 0, 0), 1, "self-play has nothing better"),
]


@pytest.mark.parametrize(("lineup", "count", "because"), PAIRINGS)
def test_pairings(lineup: Four, count: int, because: str) -> None:
    found = schedule.pairings(lineup)
    assert len(found) == count, because
    assert all(first != second for first, second in found) or len(set(lineup)) == 1


@pytest.mark.parametrize(("lineup", "count", "because"), PAIRINGS)
def test_as_many_slices_as_there_are_pairings_hold_all_of_them(
    lineup: Four, count: int, because: str
) -> None:
    orders = schedule.arrangements(lineup)
    turns = schedule.turns(lineup, fixed_partners=True)
    assert len(set(turns)) == len(turns)
    around = [schedule.pairing(orders[number]) for number in (*turns, *turns)]
    if len(turns) % count == 0:  # else the seam holds two alike
        for start in range(len(turns)):
            assert set(around[start : start + count]) == schedule.pairings(lineup), because
    assert set(around) == schedule.pairings(lineup)


@pytest.mark.parametrize(("lineup", "count", "because"), PAIRINGS)
def test_without_fixed_partners_all_arrangements_take_turns(
    lineup: Four, count: int, because: str
) -> None:
    orders = schedule.arrangements(lineup)
    assert schedule.turns(lineup, fixed_partners=False) == tuple(range(len(orders)))


@settings(max_examples=60)
@given(
    bots=st.integers(1, 6),
    per_slice=st.integers(1, 5),
    slices=st.integers(1, 8),
    cut=st.integers(0, 4),
)
def test_the_schedule_is_complete_and_counted(
    bots: int, per_slice: int, slices: int, cut: int
) -> None:
    deals = max(1, slices * per_slice - min(cut, per_slice - 1))
    plan = Schedule(deals, per_slice, 1, schedule.lineups(bots), fixed_partners=True)
    shards = list(schedule.shards(plan))
    totals = schedule.totals(plan)
    assert schedule.slices(plan) == slices
    assert (len(shards), sum(shard.deals for shard in shards)) == (totals.shards, totals.deals)
    for shard in shards:
        for key in schedule.keys(shard):
            assert schedule.expected_seats(plan, key) == shard.seats


def test_neighbouring_slices_differ_in_their_partners() -> None:
    plan = Schedule(60, 5, 1, schedule.lineups(6), fixed_partners=True)
    partners: dict[int, list[schedule.Pairing]] = {}
    for shard in schedule.shards(plan):
        if shard.seating == 0:
            partners.setdefault(shard.lineup, []).append(schedule.pairing(shard.seats))
    for found in partners.values():
        assert all(one != other for one, other in pairwise(found))
        assert all(len(set(found[at : at + 3])) == 3 for at in range(len(found) - 2))


@pytest.mark.parametrize("name", rulebook.names())
def test_which_rules_have_fixed_partners(name: str) -> None:
    assert rulebook.fixed_partners(rulebook.load(name)) == (name == "deutscher")


def by_teams(strengths: list[float], seed: int) -> Payoffs:
    """Money as fixed partners have it: both get the same, the others as much less."""
    luck = simulated([0.0] * len(strengths), seed)

    def payoffs(deal: int, seats: Four) -> list[float]:
        a, b, c, d = (strengths[bot] for bot in seats)
        shared = (luck(deal, (0, 0, 0, 0))[0] + a + c - b - d) / 2
        return [shared, -shared, shared, -shared]

    return payoffs


def test_teams_are_told_beside_the_bots() -> None:
    head = header(4, 60, slice_deals=20, fixed_partners=True)
    ratings = rate(head, league(head, by_teams([30, 10, -10, -30], 5)), resamples=200)
    assert not any("only teams" in warning for warning in ratings.warnings)
    assert [bot.rank for bot in ratings.bots] == [1, 2, 3, 4]
    assert ratings.teams[0].bots == (0, 1)
    assert {team.bots for team in ratings.teams} == {
        (first, second) for first in range(4) for second in range(first + 1, 4)
    }
    opposite = {(0, 1): (2, 3), (0, 2): (1, 3), (0, 3): (1, 2)}
    by_bots = {team.bots: team for team in ratings.teams}
    for one, other in opposite.items():
        assert by_bots[one].payoff == -by_bots[other].payoff
        assert by_bots[one].won_share == 1 - by_bots[other].won_share
        assert by_bots[one].blocks == by_bots[other].blocks == 20
        assert by_bots[one].deals == 4 * 20
        interval = by_bots[one].payoff_interval
        assert interval is not None
        assert interval.low <= by_bots[one].payoff <= interval.high


def test_a_teams_mean_is_that_of_its_seats() -> None:
    head = header(5, 12, slice_deals=2, fixed_partners=True)
    lines = league(head, simulated([4, 2, 0, -2, -4], seed=6))
    ratings = rate(head, lines, resamples=20)
    for team in ratings.teams:
        gains = [
            line.payoff[seat] + line.payoff[seat + 2]
            for line in lines
            for seat in (0, 1)
            if tuple(sorted((line.seats[seat], line.seats[seat + 2]))) == team.bots
        ]
        assert team.deals == len(gains)
        assert team.payoff == pytest.approx(sum(gains) / len(gains) / 2)


def test_where_pairings_lack_only_teams_are_told() -> None:
    head = header(4, 40, slice_deals=40, fixed_partners=True)
    ratings = rate(head, league(head, by_teams([30, 10, -10, -30], 7)), resamples=200)
    assert [bot.strength for bot in ratings.bots] == [None] * 4
    assert any("only teams can be compared" in warning for warning in ratings.warnings)
    assert [team.bots for team in ratings.teams] == [(0, 2), (1, 3)]
    shown = text(ratings)
    assert "Teams" in shown
    assert "bot 0 + bot 2" in shown
    assert msgspec.json.decode(msgspec.json.encode(ratings))["teams"][0]["bots"] == [0, 2]


def test_one_session_has_no_interval() -> None:
    head = header(4, 1, fixed_partners=True)
    (best, other) = rate(head, league(head, nothing), resamples=20).teams
    assert best.payoff_interval is other.payoff_interval is None
    assert (best.payoff, best.won_share) == (0, 0.5)


def test_nobody_has_a_team_without_fixed_partners() -> None:
    head = header(4, 6)
    ratings = rate(head, league(head, nothing))
    assert ratings.teams == ()
    assert "Teams" not in text(ratings)


@pytest.mark.parametrize("session_deals", [1, 4])
def test_standings_of_partners_agree_with_their_ratings(session_deals: int) -> None:
    head = header(
        4,
        48,
        slice_deals=16,
        session_deals=session_deals,
        fixed_partners=True,
    )
    lines = league(head, by_teams([-30, 40, -10, 0], 8))
    standings = Standings(head)
    for line in lines:
        standings.add(line)
    leader = standings.leader()
    ratings = rate(head, lines, resamples=20)
    assert leader is not None
    assert leader.bot == 1
    assert leader.strength == pytest.approx(ratings.bots[1].strength)
    assert leader.blocks == ratings.league.complete_blocks == 48 // session_deals

import math
import random

import msgspec
import pytest

from arena.rating import Standings, rate
from tests.arena.leagues import (
    Four,
    assert_finite,
    header,
    league,
    nothing,
    simulated,
    strengths,
)


def test_the_commitment_chooses_the_resamples():
    head, other = header(4, 30), header(4, 30, commitment="01")
    lines = league(head, simulated([2, 1, 0, 0], seed=10))
    assert rate(head, lines).pairs != rate(other, lines).pairs
    assert strengths(rate(head, lines)) == strengths(rate(other, lines))


def one_sided(deal: int, seats: Four) -> list[float]:
    return [30 if bot == 0 else -10 for bot in seats]


def two_sided(deal: int, seats: Four) -> list[float]:
    return [10 if bot == 0 else -10 for bot in seats]


@pytest.mark.parametrize(
    ("bots", "deals", "payoffs"),
    [
        (4, 1, one_sided),
        (4, 2, one_sided),
        (5, 60, one_sided),
        (2, 1, two_sided),
        (2, 50, two_sided),
        (2, 3, nothing),
        (4, 60, nothing),
        (1, 5, nothing),
    ],
)
def test_extreme_leagues_give_finite_numbers(bots, deals, payoffs):
    head = header(bots, deals)
    lines = league(head, payoffs)
    if bots == 5:  # bot 0 isn't in the last lineup
        lines = [line for line in lines if 0 in line.seats]
    assert_finite(rate(head, lines, resamples=200))


def test_no_lines_rate_nothing():
    ratings = rate(header(4, 10), [])
    assert all(bot.strength is None and bot.rank is None for bot in ratings.bots)
    assert ratings.league.passed_out_share is None
    assert "nothing can be rated" in ratings.warnings[0]


def test_one_block_has_strengths_without_intervals():
    head = header(4, 1)
    ratings = rate(head, league(head, one_sided))
    # th - mean of the others = 30 and all sum to zero, so th = 22.5.
    assert strengths(ratings) == pytest.approx([22.5, -7.5, -7.5, -7.5])
    assert {bot.strength_interval for bot in ratings.bots} == {None}
    assert [bot.rank for bot in ratings.bots] == [1, 2, 2, 2]
    assert {bot.rank_interval for bot in ratings.bots} == {(1, 4)}
    assert any("Too few to rate: 1 different deals" in warning for warning in ratings.warnings)


def test_a_bot_that_always_wins_has_a_bounded_elo():
    head = header(4, 60)
    ratings = rate(head, league(head, one_sided))
    elo = [bot.elo for bot in ratings.bots]
    assert elo[0] is not None
    assert elo[1] is not None
    assert elo[0] - elo[1] == pytest.approx(400 * math.log10(60.5 / 0.5))
    assert all(bot.elo_bounded for bot in ratings.bots)
    assert any("Elo is bounded" in warning for warning in ratings.warnings)


def test_all_ties_are_ties():
    head = header(4, 60)
    ratings = rate(head, league(head, nothing))
    assert [bot.rank for bot in ratings.bots] == [1, 1, 1, 1]
    assert [bot.elo for bot in ratings.bots] == pytest.approx([0, 0, 0, 0])
    superiorities = {pair.superiority for row in ratings.pairs for pair in row if pair}
    assert superiorities == {0.5}
    assert not any(bot.elo_bounded for bot in ratings.bots)


def test_self_play_gives_no_rating_and_says_so():
    head = header(1, 40)
    ratings = rate(head, league(head, nothing))
    assert ratings.bots[0].strength is None
    assert ratings.bots[0].elo is None
    assert any("self-play" in warning for warning in ratings.warnings)


def test_an_unconnected_schedule_is_said_so():
    head = header(8, 40, ((0, 1, 2, 3), (4, 5, 6, 7)))
    ratings = rate(head, league(head, simulated([5, 0, 0, -5, 50, 0, 0, -50], seed=16)))
    assert any("unconnected" in warning for warning in ratings.warnings)
    assert [bot.group for bot in ratings.bots] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert ratings.pairs[0][4] is None
    assert ratings.pairs[4][5] is not None
    assert [ratings.bots[0].rank, ratings.bots[4].rank] == [1, 1]
    assert sum(strengths(ratings)[:4]) == pytest.approx(0, abs=1e-9)


def test_a_connected_schedule_may_not_be_connected_yet():
    head = header(5, 40, ((0, 1, 2, 3), (1, 2, 3, 4)))
    lines = league(head, simulated([1, 0, 0, 0, 0], seed=17))
    ratings = rate(head, [line for line in lines if line.key.lineup == 0])
    assert any("Not connected yet" in warning for warning in ratings.warnings)
    assert ratings.bots[4].strength is None


def test_a_link_that_resamples_may_lose_leaves_numbers_finite():
    head = header(6, 40, ((0, 1, 2, 3), (3, 3, 4, 5)))
    lines = league(head, simulated([1, 0, 0, 0, 0, 0], seed=18))
    ratings = rate(head, [line for line in lines if not line.key.lineup or line.key.session < 2])
    assert_finite(ratings)
    assert any("under 30 blocks: bot 4, bot 5" in warning for warning in ratings.warnings)


def test_standings_name_the_leader_that_rate_names():
    head = header(5, 12)
    lines = league(head, simulated([0, 1, 4, 0, 0], seed=19))
    random.Random(1).shuffle(lines)
    standings = Standings(head)
    assert standings.leader() is None
    for count, line in enumerate(lines, 1):
        standings.add(line)
        if count % 20 == 0 and (leader := standings.leader()) is not None:
            ratings = rate(head, lines[:count], resamples=1)
            groups = [bot.group for bot in ratings.bots]
            if len(set(groups)) == 1:
                assert leader.strength == pytest.approx(max(strengths(ratings)))
                assert ratings.bots[leader.bot].rank == 1
                assert leader.blocks == ratings.league.complete_blocks
    assert standings.leader() is not None
    kept = [len(order.rows) for order in standings._blocks.orders.values()]
    assert kept, "blocks were met"
    assert not any(kept), "what is over takes no memory"


def test_no_bot_leads_that_would_not_be_ranked():
    head = header(4, 60)
    lines = league(head, simulated([9, 3, -4, -8], seed=3))
    away = [
        msgspec.structs.replace(line, stood_down=(line.seats.index(0),))
        if line.key.deal % 10 == 0
        else line
        for line in lines
    ]
    standings = Standings(head)
    for line in away:
        standings.add(line)
    ratings = rate(head, away, resamples=100)
    assert ratings.bots[0].rank is None
    leader = standings.leader()
    assert leader is not None
    assert leader.bot == 1
    assert ratings.bots[leader.bot].rank == 1


def test_where_nobody_may_have_a_place_nobody_leads():
    head = header(4, 60)
    standings = Standings(head)
    for line in league(head, simulated([9, 3, -4, -8], seed=3)):
        away = (0, 1, 2, 3) if line.key.deal % 10 == 0 else ()
        standings.add(msgspec.structs.replace(line, stood_down=away))
    assert standings.leader() is None

import math
from itertools import product

import numpy as np
import pytest

from arena.rating import rate
from arena.records import DealLine
from tests.arena.leagues import (
    Four,
    assert_finite,
    header,
    league,
    simulated,
    strengths,
    within,
)


def single_deals_oracle(
    bots: int, lines: list[DealLine], *, fixed_partners: bool = False
) -> np.ndarray:
    """Least squares over single deals, with the luck of each deal and seat as an unknown."""
    deals = sorted({line.key.deal for line in lines})
    rows, values = [], []
    for line in lines:
        for seat in range(4):
            row = np.zeros(4 * len(deals) + bots)
            row[4 * deals.index(line.key.deal) + seat] = 1
            for other, bot in enumerate(line.seats):
                if fixed_partners:
                    row[4 * len(deals) + bot] += 0.5 if (other - seat) % 2 == 0 else -0.5
                else:
                    row[4 * len(deals) + bot] += 1 if other == seat else -1 / 3
            rows.append(row)
            values.append(line.payoff[seat])
    solution = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)[0]
    strengths = solution[4 * len(deals) :]
    return np.asarray(strengths - strengths.mean())


@pytest.mark.parametrize(
    ("bots", "chosen", "deals", "session_deals", "because"),
    [
        (4, None, 12, 1, "four different bots"),
        (2, None, 9, 1, "AABB: arrangements with four seatings and with two"),
        (3, None, 12, 1, "AABC: the same bot twice"),
        (5, None, 7, 1, "several lineups share their deals"),
        (3, ((0, 0, 0, 1), (0, 1, 2, 2)), 8, 1, "three of a kind"),
        (6, ((0, 1, 2, 3), (2, 3, 4, 5), (0, 0, 0, 0)), 8, 1, "linked by two bots, and self-play"),
        (3, None, 12, 2, "sessions of two deals"),
    ],
)
def test_strengths_are_least_squares_over_single_deals(bots, chosen, deals, session_deals, because):
    head = header(bots, deals, chosen, slice_deals=session_deals, session_deals=session_deals)
    lines = league(head, simulated([3.0 * bot for bot in range(bots)], seed=1))
    expected = single_deals_oracle(bots, lines)
    assert strengths(rate(head, lines, resamples=1)) == pytest.approx(expected, abs=1e-9), because


def test_strengths_are_least_squares_when_lineups_have_different_numbers_of_blocks():
    head = header(6, 8, ((0, 1, 2, 3), (2, 3, 4, 5), (0, 1, 4, 5)))
    lines = [
        line
        for line in league(head, simulated([5, 4, 3, 2, 1, 0], seed=2))
        if (line.key.session + line.key.lineup) % 3
    ]
    expected = single_deals_oracle(6, lines)
    assert strengths(rate(head, lines, resamples=1)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("bots", [2, 3, 4, 5])
def test_with_fixed_partners_strengths_are_least_squares_too(bots):
    head = header(bots, 12, fixed_partners=True)
    lines = league(head, simulated([3.0 * bot for bot in range(bots)], seed=3))
    expected = single_deals_oracle(bots, lines, fixed_partners=True)
    ratings = rate(head, lines, resamples=50)
    assert strengths(ratings) == pytest.approx(expected, abs=1e-9)
    assert not any("teams" in warning for warning in ratings.warnings)
    assert_finite(ratings)


def test_with_fixed_partners_and_one_pairing_only_teams_can_be_compared():
    head = header(4, 40, slice_deals=40, fixed_partners=True)
    ratings = rate(head, league(head, simulated([9, 0, 0, 0], seed=4)))
    assert any("only teams can be compared" in warning for warning in ratings.warnings)
    # Bots 0 and 2 were always partners, 1 and 3 as well: no difference of two bots is known.
    assert [bot.strength for bot in ratings.bots] == [None] * 4


def test_true_strengths_lie_within_their_intervals():
    truth = [4.0, 1.0, 0.0, -2.0, -3.0]
    head = header(5, 150, slice_deals=10)
    ratings = rate(head, league(head, simulated(truth, seed=6)))
    for bot, true in zip(ratings.bots, truth, strict=True):
        assert within(true, bot.strength_interval)
    for first, second in product(range(5), repeat=2):
        pair = ratings.pairs[first][second]
        if first == second:
            assert pair is None
        else:
            assert pair is not None
            assert within(truth[first] - truth[second], pair.interval)
    assert [bot.rank for bot in ratings.bots] == [1, 2, 3, 4, 5]
    assert ratings.warnings == ()
    best, worst = ratings.bots[0], ratings.bots[4]
    assert best.rank_interval == (1, 1)
    assert best.elo is not None
    assert worst.elo is not None
    assert best.elo > worst.elo
    assert sum(bot.elo or 0 for bot in ratings.bots) == pytest.approx(0, abs=1e-9)
    assert ratings.pairs[0][4] is not None
    assert ratings.pairs[0][4].superiority == 1.0


def test_elo_is_the_logistic_of_block_wins():
    # Bot 0 wins 30 blocks of 40 against bot 1, and the prior adds half a win to either side.
    head = header(2, 40)
    won = [1] * 30 + [-1] * 10

    def payoffs(deal: int, seats: Four) -> list[float]:
        return [won[deal] * (1 if bot == 0 else -1) for bot in seats]

    first, second = rate(head, league(head, payoffs)).bots
    assert first.elo is not None
    assert second.elo is not None
    assert first.elo - second.elo == pytest.approx(400 * math.log10(30.5 / 10.5))
    assert not first.elo_bounded


@pytest.mark.parametrize(
    ("deals", "lowest", "because"),
    [(10, 0.90, "few sessions: nearly"), (40, 0.92, "three standard errors below 0.95")],
)
def test_intervals_hold_the_truth_as_often_as_they_say(deals, lowest, because):
    leagues = 240
    held = 0
    for number in range(leagues):
        head = header(4, deals, slice_deals=5, commitment=f"{number}")
        lines = league(head, simulated([4, 1, 0, -5], seed=1000 + number))
        pair = rate(head, lines, resamples=200).pairs[0][3]
        assert pair is not None
        held += within(9, pair.interval)
    assert lowest <= held / leagues <= 0.985, because


def test_equal_bots_are_not_told_apart():
    head = header(4, 200, slice_deals=20)
    ratings = rate(head, league(head, simulated([0, 0, 0, 0], seed=8)))
    for row in ratings.pairs:
        assert all(within(0, pair.interval) for pair in row if pair is not None)
    assert {bot.rank_interval for bot in ratings.bots} == {(1, 4)}

"""The tables miss no case of the collection of tricky cases, and no game."""

from itertools import chain

import pytest

from engine.variants import GAMES
from tests.engine import (
    test_auction,
    test_bidding,
    test_count,
    test_pass_outs,
    test_prices,
    test_ramsch,
    test_rufspiel,
    test_scoring,
    test_session,
    test_stoss,
    test_tricks,
)

TABLES = (
    test_tricks.WINS,
    test_tricks.MAY,
    test_rufspiel.MAY,
    test_rufspiel.LATER,
    test_auction.CALLABLE,
    test_auction.ASKED,
    test_auction.FOUND,
    test_bidding.ASKED,
    test_bidding.FOUND,
    test_bidding.PASSED,
    test_count.ASKED,
    test_count.FOUND,
    test_pass_outs.ASKED,
    test_prices.PAYS,
    test_prices.FORCED,
    test_ramsch.PAYS,
    test_scoring.RUF,
    test_scoring.SINGLE,
    test_session.STOCKS,
    test_session.COUNTS,
    test_stoss.ASKED,
    test_stoss.REFUSED,
)

SENTENCES = {
    "C26": test_rufspiel.test_a_whole_deal_in_which_the_partner_runs_away,
    "D01": test_auction.test_all_pass,
    "D15": test_ramsch.test_it_follows_when_nobody_plays,
    "F10": test_stoss.test_takeover,
    "H01": test_tricks.test_trumps,
    "K02": test_scoring.test_nothing_is_lost_or_made,
}
"""Cases that no row of a table can say, and the tests that say them."""

ELSEWHERE = {
    "K01": "a cup's own list of points, which a rule set's tariff replaces",
    "K03": "ratings compare bots deal by deal, so no tie of points needs breaking",
    "K04": "how often each seat is forehand is the schedule's business, not the engine's",
}
"""Cases that aren't the engine's, and why."""

COUNTS = {"A": 18, "B": 5, "C": 26, "D": 16, "E": 29, "F": 10, "G": 10, "H": 8, "J": 15, "K": 4}
"""How many cases each chapter of the collection has."""

CASES = [f"{chapter}{n:02}" for chapter, count in COUNTS.items() for n in range(1, count + 1)]
ROWS = {row[0] for table in TABLES for row in table}


def test_the_collection_is_complete():
    assert len(CASES) == 141


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_tested_or_not_ours(case):
    assert [case in ROWS, case in SENTENCES, case in ELSEWHERE].count(True) == 1


def test_nothing_is_excused_that_is_no_case():
    assert {*SENTENCES, *ELSEWHERE} <= set(CASES)


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_no_row_stands_twice(table):
    cases = [row[0] for row in table]
    assert len(cases) == len(set(cases))


PRICED = tuple(chain(test_scoring.SINGLE, ((r[0], *r[2:]) for r in test_prices.PAYS)))
BY_HAND = {
    "rufspiel": test_scoring.RUF,
    "ramsch": test_ramsch.PAYS,
}
"""Families whose tables of prices name no game."""


def test_every_game_has_a_row():
    """A new game needs a row whose result was found by hand, not by the engine."""
    rows = (*test_tricks.WINS, *test_tricks.MAY, *PRICED)
    assert set(GAMES) - {row[1] for row in rows} == set()


def test_every_family_has_its_price_found_by_hand():
    priced = {GAMES[row[1]].family for row in PRICED} | {f for f, rows in BY_HAND.items() if rows}
    assert {game.family for game in GAMES.values()} == priced

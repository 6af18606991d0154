"""The tables miss no case of the German online program's rules, and no game."""

from engine.variants import GAMES
from tests.engine import test_auction, test_rufspiel, test_scoring, test_stoss, test_tricks

TABLES = (
    test_tricks.WINS,
    test_tricks.MAY,
    test_rufspiel.MAY,
    test_rufspiel.LATER,
    test_auction.CALLABLE,
    test_auction.ASKED,
    test_auction.FOUND,
    test_scoring.RUF,
    test_scoring.SINGLE,
    test_stoss.ASKED,
    test_stoss.REFUSED,
)

WHOLE_DEALS = {
    "C26": test_rufspiel.test_a_whole_deal_in_which_the_partner_runs_away,
    "D01": test_auction.test_all_pass,
}

PROGRAM = [
    "A01", "A02", "A03", "A04", "A05", "A06", "A07", "A10", "A11", "A12", "A13", "A16",
    "A17", "A18",
    "B01", "B02", "B03", "B04", "B05",
    "C01", "C02", "C03", "C04", "C05", "C06", "C07", "C08", "C10", "C11", "C12", "C13",
    "C15", "C16", "C17", "C18", "C19", "C20", "C21", "C24", "C26",
    "D01", "D02", "D03", "D04", "D05", "D06", "D07", "D08", "D09",
    "E01", "E02", "E03", "E21", "E23", "E24", "E25", "E28", "E29",
    "F01", "F02", "F05", "F06", "F07", "F08", "F09",
]  # fmt: skip
"""The cases that concern it, from the collection of tricky cases."""

HOUSE_RULES = ["C09", "C14", "C22", "C23", "E09", "E27", "F03"]
"""Cases of other houses that the switches of a rule set already reach."""


def test_every_case_has_a_row():
    rows = {row[0] for table in TABLES for row in table} | set(WHOLE_DEALS)
    assert len(PROGRAM) == 65
    assert [case for case in (*PROGRAM, *HOUSE_RULES) if case not in rows] == []


def test_no_row_stands_twice():
    for table in TABLES:
        cases = [row[0] for row in table]
        assert len(cases) == len(set(cases))


def test_every_game_has_a_row():
    """A new game needs a row whose result was found by hand, not by the engine."""
    rows = (*test_tricks.WINS, *test_tricks.MAY, *test_scoring.SINGLE)
    assert set(GAMES) - {row[1] for row in rows} == set()


def test_every_game_of_one_against_three_has_its_price_found_by_hand():
    priced = {GAMES[row[1]].family for row in test_scoring.SINGLE}
    assert {game.family for game in GAMES.values() if not game.hidden_partner} == priced

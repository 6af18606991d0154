"""What a finished deal pays."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import new_deal, play
from engine.scoring import counted_laufende, laufende_row, settle
from engine.variants import GAMES
from tests.engine.chance import fresh, random_action
from tests.engine.support import (
    ONLINE,
    PRO,
    RUF_20,
    SHIPPED,
    called_ace,
    changed,
    dealt,
    ended,
    hand,
    result,
    shipped,
)

TRUMP_RANKS = changed(RUF_20, {"laufende.scope": "trump_ranks"})
BY_POINTS = changed(RUF_20, {"thresholds.schwarz_by": "points"})
EIGHT = "EO GO HO SO EU GU HU SU"

# The hands hold the cards that matter; seat 0 plays, and in a Rufspiel seat 2 with it.
RUF = [
    # case, rules, hands, Augen and tricks of the side, Stöße, value per pair
    ("E01", RUF_20, ("GO", "EO", "GA"), 81, 6, (), 20, "one is no row"),
    ("E02", RUF_20, ("EO", "GO", "GA"), 61, 5, (), 20, "61 wins"),
    ("E03", RUF_20, ("GO", "EO", "GA"), 60, 4, (1, 2), -80, "60 loses; Stoß, Re: twice doubled"),
    ("E05", RUF_20, ("EO", "GO", "GA"), 91, 6, (), 30, "Schneider from 91"),
    ("E08", RUF_20, ("EO GO HO", "HU", "GA SO EU GU"), 120, 8, (), 100, "all tricks, six in a row"),
    ("E09", RUF_20, ("EO", "GO", "GA"), 120, 7, (), 30, "a worthless trick saves from Schwarz"),
    ("E09, points", BY_POINTS, ("EO", "GO", "GA"), 120, 7, (), 40, "unless Augen decide"),
    ("E10", RUF_20, ("EU", "EO HO", "GA", "GO SO"), 54, 3, (), -60, "without four"),
    ("E11", RUF_20, ("EO", "HO", "GA GO"), 77, 5, (), 20, "two in a row are too few"),
    ("E25", PRO, ("EO", "GO", "GA"), 95, 7, (1, 2), 80, "(10 + 10) x 4"),
    ("E27", RUF_20, (EIGHT, "HX", "GA HA"), 61, 5, (), 110, "the row goes on through Herz: nine"),
    ("E27, S3", TRUMP_RANKS, (EIGHT, "HX", "GA HA"), 61, 5, (), 100, "or ends with the Unter"),
    ("E29", RUF_20, ("EO HO", "GO", "GA"), 61, 5, (), 20, "the opponents' Ober breaks the row"),
    ("with three", RUF_20, ("EO HO", "SO", "GA GO"), 61, 5, (), 50, "both hands make the row"),
    ("lost Schneider", RUF_20, ("EO", "GO", "GA"), 30, 2, (), -30, "opponents at 90"),
    ("no Schneider", RUF_20, ("EO", "GO", "GA"), 31, 2, (), -20, "opponents at 89"),
    ("lost Schwarz", RUF_20, ("EO", "GO", "GA"), 0, 0, (), -40, "no trick at all"),
    ("no Schwarz", RUF_20, ("EO", "GO", "GA"), 0, 1, (), -30, "one worthless trick"),
    ("fourteen", RUF_20, (EIGHT, "EA", "GA HA HX HK H9 H8 H7"), 120, 8, (), 180, "every trump"),
]  # fmt: skip

# Seat 0 plays alone.
SINGLE = [
    # case, game, hands, Augen, tricks, Stöße, value per pair
    ("E04", "solo-herz", ("EO GO", "HO"), 90, 6, (), 50, "90 is no Schneider"),
    ("E06", "solo-eichel", ("EO GO", "HO"), 30, 3, (), -60, "opponents at 90"),
    ("E07", "solo-gras", ("EO", "GO"), 31, 3, (), -50, "opponents at 89"),
    ("E12", "solo-gras", ("EO GO HO", "SO"), 40, 4, (), -80, "the loser pays his own row"),
    ("E13", "wenz", ("EU GU", "HU"), 65, 5, (), 70, "two in a row pay in a Wenz"),
    ("E14", "wenz", ("HU", "EU", "GU"), 73, 5, (), 70, "without two"),
    ("E15", "wenz", ("EO", "EU GU", "HU", "SU"), 68, 4, (), 90, "without any Unter"),
    ("E19", "solo-herz", ("SU", "EO GO", "HO SO EU", "GU HU"), 29, 2, (1,), -260,
     "(50 + 10 + 70) x 2"),
    ("E20", "solo-eichel", ("SO", "EO", "GO", "HO"), 60, 4, (), -80, "without three"),
    ("E21", "wenz-tout", ("EU", "GU"), 120, 8, (), 100, "no Schneider or Schwarz on top"),
    ("E22", "solo-tout-herz", ("EO GO HO SO EU", "GU"), 120, 8, (), 200, "(50 + 50) x 2"),
    ("E23", "solo-tout-gras", ("EO GO HO", "SO"), 120, 7, (), -160, "one trick lost is all lost"),
    ("E24", "sie", (EIGHT,), 120, 8, (), 520, "(50 + 80) x 4"),
    ("E28", "solo-schellen", ("EO", "GO"), 61, 5, (), 50, "each opponent pays"),
    ("E28, lost", "solo-schellen", ("EO", "GO"), 60, 5, (), -50, "each opponent is paid"),
    ("tout lost", "wenz-tout", ("EU GU", "HU"), 0, 0, (), -140, "(50 + 20) x 2, never Schwarz"),
    ("tout, Stoß", "solo-tout-eichel", ("EO", "GO"), 120, 8, (1,), 200, "doubled last"),
    ("tout", "solo-tout-schellen", ("EO", "GO"), 100, 8, (), 100, "tricks, not Augen"),
    ("schwarz", "wenz", ("EU", "GU"), 120, 8, (), 70, "Schneider and Schwarz"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "hands", "points", "tricks", "stoss", "value", "because"),
    [row[1:] for row in RUF],
    ids=[row[0] for row in RUF],
)
def test_ruf(rules, hands, points, tricks, stoss, value, because):
    deal = ended(rules, "rufspiel-gras", dealt(*hands), points, tricks, stoss)
    assert settle(deal).payoff == (value, -value, value, -value), because


@pytest.mark.parametrize(
    ("game", "hands", "points", "tricks", "stoss", "value", "because"),
    [row[1:] for row in SINGLE],
    ids=[row[0] for row in SINGLE],
)
def test_single(game, hands, points, tricks, stoss, value, because):
    deal = ended(PRO, game, dealt(*hands), points, tricks, stoss)
    assert settle(deal).payoff == (3 * value, -value, -value, -value), because


@pytest.mark.parametrize("game", ["rufspiel-schellen", "rufspiel-gras", "rufspiel-eichel"])
def test_the_holder_of_the_called_ace_shares(game):
    assert result(ONLINE, game, "EO", "GO", "", called_ace(game), points=61).side == (0, 3)


AT = [
    # Augen, won, Schneider
    (0, False, True),
    (30, False, True),
    (31, False, False),
    (60, False, False),
    (61, True, False),
    (90, True, False),
    (91, True, True),
    (120, True, True),
]


@pytest.mark.parametrize(("points", "won", "schneider"), AT)
@pytest.mark.parametrize("game", ["rufspiel-gras", "solo-herz", "wenz"])
def test_thresholds(game, points, won, schneider):
    end = result(ONLINE, game, "EO EU", "GO GU", "GA", points=points)
    assert (end.won, end.schneider, end.schwarz) == (won, schneider, False)


@pytest.mark.parametrize("game", ["rufspiel-gras", "solo-herz", "wenz"])
def test_one_auge_changes_one_thing(game):
    """P3: at 60/61 only the sign, at 30/31 and 90/91 only Schneider, elsewhere nothing."""
    pays = [
        result(ONLINE, game, "EO EU", "GO GU", "GA", points=points).payoff[0]
        for points in range(121)
    ]
    changes = {p for p in range(120) if pays[p] != pays[p + 1]}
    assert changes == {30, 60, 90}
    assert pays[60] == -pays[61]
    assert abs(pays[30]) - abs(pays[31]) == pays[91] - pays[90]


ROWS = [
    ("wenz", "EU GU HU SU", "all_trumps", 4, "no more than the trumps there are"),
    ("wenz", "EO", "all_trumps", 4, "without all four"),
    ("solo-eichel", "EO GO HO SO EU GU HU SU", "all_trumps", 8, "a whole hand"),
    ("solo-eichel", "", "all_trumps", 14, "without: as long as the others hold them"),
    ("solo-eichel", "", "trump_ranks", 8, "without, Ober and Unter alone"),
    ("solo-gras", "EO HO", "all_trumps", 1, "one gap ends it"),
    ("solo-gras", "EO GO HO SO EU GU HU SU GA GX GK", "all_trumps", 11, "through the suit"),
    ("sie", "EO GO HO SO EU GU HU SU", "all_trumps", 8, "all its trumps"),
]


@pytest.mark.parametrize(("game", "cards", "scope", "row", "because"), ROWS)
def test_laufende_row(game, cards, scope, row, because):
    rules = changed(ONLINE, {"laufende.scope": scope})
    assert laufende_row(GAMES[game], rules, hand(cards)) == row, because


def played(seed, rules):
    """Play a whole deal at random; return it and what was answered."""
    rng = random.Random(seed)
    deal = fresh(rules, rng)
    actions = []
    while not deal.finished:
        actions.append(random_action(deal, rng))
        play(deal, actions[-1])
    return deal, actions


SEEDS = st.integers(0, 2**32 - 1)


@given(seed=SEEDS, name=st.sampled_from(SHIPPED))
def test_nothing_is_lost_or_made(seed, name):
    """P1 and K02: the payoffs sum to 0, the Augen to 120, the tricks to the cards of a hand."""
    deal, _ = played(seed, shipped(name))
    assert sum(settle(deal).payoff) == 0
    if deal.game is not None:
        assert (sum(deal.points), sum(deal.tricks)) == (120, deal.rules.deck // 4)


@given(seed=SEEDS, steps=st.integers(0, 4))
def test_each_step_doubles_the_whole(seed, steps):
    """P4."""
    deal, _ = played(seed, ONLINE)
    plain = settle(deal).payoff
    deal.stoss = bytearray(steps)
    assert settle(deal).payoff == tuple(paid << steps for paid in plain)


@given(seed=SEEDS)
def test_laufende_are_known_before_the_first_card(seed):
    """P5 and P7: they hang on the cards dealt, and are no more than there are trumps."""
    deal, actions = played(seed, ONLINE)
    if deal.game is None:
        return
    row = counted_laufende(deal)
    again = new_deal(ONLINE, deal.dealt, deal.forehand)
    for action in actions:
        play(again, action)
        if again.order is not None:
            assert counted_laufende(again) == row
    assert row <= len(deal.order.ranked_trumps)


@given(seed=SEEDS, turn=st.integers(1, 3))
def test_turning_the_table_turns_the_payoffs(seed, turn):
    """P6."""
    deal, actions = played(seed, PRO)
    a, b, c, d = (deal.dealt[(seat - turn) & 3] for seat in range(4))
    again = new_deal(PRO, (a, b, c, d), (deal.forehand + turn) & 3)
    for action in actions:
        play(again, action)
    payoff = settle(deal).payoff
    assert settle(again).payoff == tuple(payoff[(seat - turn) & 3] for seat in range(4))

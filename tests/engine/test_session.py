"""What goes on from deal to deal: Stock, Bock rounds, strokes and matches."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Carried
from engine.rules import new_deal, play
from engine.scoring import settle
from engine.session import carry
from tests.engine.chance import random_action, shuffled
from tests.engine.support import DEUTSCHER, HOUSE, MODEL, ONLINE, changed, dealt, ended, say

STOCK = changed(ONLINE, {"session.stock": 5})
BOCK = changed(HOUSE, {"session.bock_deals": 4, "session.bock_after": ["stoss"]})
STROKES = changed(DEUTSCHER, {"session.schafkopf_strokes": 9, "session.match_schafkoepfe": 2})
SOLO, RUF, PAIR = "solo-herz", "rufspiel-gras", "deutscher-herz"
HANDS = ("EO", "GO", "GA")


def after(event):
    return changed(HOUSE, {"session.bock_deals": 4, "session.bock_after": [event]})


def finish(rules, game, made, carried=None, stoss=()):
    """Return a finished deal that began with what earlier ones left; nothing played: no game."""
    if game is None:
        deal = say(new_deal(rules, dealt(*MODEL), 0), "pass pass pass pass")
    else:
        deal = ended(rules, game, dealt(*HANDS), *made, stoss)
    deal.carried = carried or Carried()
    return deal


STOCKS = [
    # case, game, Augen and tricks, Stock before, payoff, Stock after
    ("paid in", None, (), 20, (0, 0, 0, 0), 40, "each pays 5, and owns as much more of the Stock"),
    ("empty", RUF, (61, 5), 0, (10, -10, 10, -10), 0, "nothing in it, nothing changes"),
    ("won by two", RUF, (61, 5), 40, (20, -20, 20, -20), 0, "each gets 20, of which 10 were his"),
    ("lost by two", RUF, (60, 5), 40, (-20, 20, -20, 20), 80, "each pays 20 into it, and owns 10"),
    ("won alone", SOLO, (61, 5), 40, (180, -60, -60, -60), 0, "he gets 40, of which 10 were his"),
    ("lost alone", SOLO, (60, 5), 40, (-180, 60, 60, 60), 80, "he pays 40, and owns 10 more"),
    ("full", SOLO, (60, 5), 1 << 24, (-150, 50, 50, 50), 1 << 24, "a full Stock takes no more"),
    ("nearly full", SOLO, (60, 5), (1 << 24) - 4, (-153, 51, 51, 51), 1 << 24, "or what fits"),
]


@pytest.mark.parametrize(
    ("game", "made", "before", "payoff", "left", "because"),
    [row[1:] for row in STOCKS],
    ids=[row[0] for row in STOCKS],
)
def test_stock(game, made, before, payoff, left, because):
    deal = finish(STOCK, game, made, Carried(stock=before))
    end = settle(deal)
    assert end.payoff == payoff, because
    assert carry(deal, end).stock == left


EVENTS = [
    # event, game, Augen and tricks, Stöße, whether it starts a Bock round
    ("pass_out", None, (), (), True),
    ("pass_out", RUF, (61, 5), (), False),
    ("schneider", RUF, (91, 5), (), True),
    ("schneider", RUF, (90, 5), (), False),
    ("schneider", RUF, (30, 5), (), True),
    ("schwarz", RUF, (120, 8), (), True),
    ("schwarz", RUF, (120, 7), (), False),
    ("single_game_lost", SOLO, (60, 5), (), True),
    ("single_game_lost", SOLO, (61, 5), (), False),
    ("single_game_lost", RUF, (60, 5), (), False),
    ("single_game_lost", "bettel", (0, 1), (), True),
    ("tie", RUF, (60, 5), (), True),
    ("tie", RUF, (61, 5), (), False),
    ("tie", "ramsch", (60, 5), (), False),
    ("stoss", RUF, (61, 5), (1,), True),
    ("stoss", RUF, (61, 5), (), False),
]


@pytest.mark.parametrize(("event", "game", "made", "stoss", "starts"), EVENTS)
def test_events(event, game, made, stoss, starts):
    rules = changed(after(event), {"auction.pass_out": "next_deal", "auction.hochzeit": False})
    if game == "ramsch":
        rules = after(event)
    deal = finish(rules, game, made, stoss=stoss)
    assert carry(deal, settle(deal)).bock == (4 if starts else 0)


def test_a_bettel_that_ended_with_its_first_trick_is_no_tie():
    deal = finish(after("tie"), "bettel", (0, 1))
    deal.points = [0, 0, 0, 0]
    assert carry(deal, settle(deal)).bock == 0


BOCKS = [
    (0, (), 1, 0, "no round"),
    (3, (), 2, 2, "doubled, and one fewer left"),
    (1, (), 2, 0, "the last one"),
    (1, (1,), 4, 4, "doubled by Bock and Stoß, which starts the next round"),
    (3, (1,), 4, 6, "a round on top of what is left"),
]


@pytest.mark.parametrize(("before", "stoss", "factor", "left", "because"), BOCKS)
def test_bock(before, stoss, factor, left, because):
    deal = finish(BOCK, SOLO, (61, 5), Carried(bock=before), stoss)
    end = settle(deal)
    assert end.payoff == tuple(factor * paid for paid in (150, -50, -50, -50)), because
    assert carry(deal, end).bock == left


def test_several_events_start_one_round():
    rules = changed(BOCK, {"session.bock_after": ["stoss", "schneider", "schwarz"]})
    deal = finish(rules, RUF, (120, 8), stoss=(1,))
    assert carry(deal, settle(deal)).bock == 4


COUNTS = [
    # case, Augen and tricks of seats 0 and 2, before, after
    ("one", (61, 5), ((0, 0), (0, 0)), ((1, 0), (0, 0)), "a win is a stroke"),
    ("others", (60, 5), ((4, 3), (1, 0)), ((4, 5), (1, 0)), "a loss is two for the others"),
    ("nearly", (91, 5), ((6, 8), (0, 0)), ((8, 8), (0, 0)), "eight are no Schafkopf"),
    ("head", (91, 5), ((7, 8), (0, 1)), ((0, 0), (1, 1)), "nine are one, and both start anew"),
    ("others' head", (60, 5), ((7, 7), (0, 0)), ((0, 0), (0, 1)), "the others' too"),
    ("too many", (120, 8), ((8, 8), (0, 0)), ((0, 0), (1, 0)), "more strokes aren't kept"),
    ("match", (61, 5), ((8, 8), (1, 1)), ((0, 0), (0, 0)), "two Schafköpfe win the match"),
]


@pytest.mark.parametrize(
    ("made", "before", "left", "because"), [r[1:] for r in COUNTS], ids=[r[0] for r in COUNTS]
)
def test_strokes(made, before, left, because):
    carried = Carried(strokes=before[0], schafkoepfe=before[1])
    deal = finish(STROKES, PAIR, made, carried)
    found = carry(deal, settle(deal))
    assert (found.strokes, found.schafkoepfe) == left, because


@given(seed=st.integers(0, 2**32 - 1))
def test_no_money_is_lost_in_a_session(seed):
    """What each seat has in hand and its quarter of the Stock are all it won or lost."""
    rng = random.Random(seed)
    carried, won, cash = Carried(), [0] * 4, [0] * 4
    for forehand in (0, 1, 2, 3) * 3:
        deal = new_deal(STOCK, shuffled(rng), forehand, carried=carried)
        weary = rng.random() < 0.5
        while not deal.finished:
            play(deal, deal.legal[0] if weary else random_action(deal, rng))
        end, stock = settle(deal), carried.stock
        plain = deal.game.settle(deal).payoff if deal.game else (-5, -5, -5, -5)
        for seat in range(4):
            share = stock // len(end.side) if seat in end.side else 0
            cash[seat] += plain[seat] + (share if end.won else -share)
            won[seat] += end.payoff[seat]
        carried = carry(deal, end)
        assert sum(end.payoff) == 0
        assert sum(cash) + carried.stock == 0, "the Stock holds what the seats lack"
        assert won == [cash[seat] + carried.stock // 4 for seat in range(4)]

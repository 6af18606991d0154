"""Ramsch: who loses, who pays whom, and what a seat without a trick is worth."""

import pytest

from engine.rules import new_deal
from engine.scoring import settle
from tests.engine.support import MODEL, SAUSPIEL, TUTORIAL, changed, dealt, in_play, names, say


def house(**switches):
    prices = {"tariff.base.ramsch": 10}
    return changed(TUTORIAL, {**prices, **{f"ramsch.{k}": v for k, v in switches.items()}})


PLAIN = house()
FEWEST = house(decides="fewest_wins")
ALL = house(tie="all")

PAYS = [
    # case, rules, Augen, tricks, payoff; seat 0 was dealt the highest trump
    ("G01", PLAIN, (50, 40, 20, 10), (3, 2, 2, 1), (-30, 10, 10, 10), "most Augen lose"),
    ("G02", PLAIN, (50, 50, 20, 0), (3, 3, 2, 0), (-30, 10, 10, 10),
     "of two it is who was dealt the highest trump"),
    ("G02: other seats", PLAIN, (20, 50, 50, 0), (2, 3, 3, 0), (10, -30, 10, 10),
     "seat 1 was dealt the next one"),
    ("G02: both", ALL, (50, 50, 20, 0), (3, 3, 2, 0), (-20, -20, 20, 20), "or both lose"),
    ("G02: four", ALL, (30, 30, 30, 30), (2, 2, 2, 2), (0, 0, 0, 0), "all lose, nobody pays"),
    ("G03", house(jungfrau="individual"), (60, 45, 15, 0), (4, 3, 1, 0), (-40, 10, 10, 20),
     "a seat without a trick gets twice"),
    ("G04", house(jungfrau="double_all"), (60, 45, 15, 0), (4, 3, 1, 0), (-60, 20, 20, 20),
     "or it doubles everybody's price"),
    ("G05", house(jungfrau="double_all"), (80, 40, 0, 0), (5, 3, 0, 0), (-120, 40, 40, 40),
     "each of two doubles"),
    ("G05: individual", house(jungfrau="individual"), (80, 40, 0, 0), (5, 3, 0, 0),
     (-50, 10, 20, 20), "each of two gets twice"),
    ("Jungfrau by tricks", house(jungfrau="double_all"), (80, 40, 0, 0), (4, 2, 1, 1),
     (-30, 10, 10, 10), "a worthless trick is a trick"),
    ("G06", house(durchmarsch="all_tricks"), (120, 0, 0, 0), (8, 0, 0, 0), (30, -10, -10, -10),
     "who takes all tricks wins"),
    ("G06: no Jungfrau", house(durchmarsch="all_tricks", jungfrau="double_all"), (120, 0, 0, 0),
     (8, 0, 0, 0), (30, -10, -10, -10), "for those who lose there is no Jungfrau"),
    ("G06: off", PLAIN, (120, 0, 0, 0), (8, 0, 0, 0), (-30, 10, 10, 10), "unless it is off"),
    ("G07", house(durchmarsch="all_tricks"), (120, 0, 0, 0), (7, 1, 0, 0), (-30, 10, 10, 10),
     "all Augen aren't all tricks"),
    ("G07: 120", house(durchmarsch="120"), (120, 0, 0, 0), (7, 1, 0, 0), (30, -10, -10, -10), ""),
    ("G07: 119", house(durchmarsch="120"), (118, 2, 0, 0), (7, 1, 0, 0), (-30, 10, 10, 10), ""),
    ("G07: 91", house(durchmarsch="91"), (91, 29, 0, 0), (7, 1, 0, 0), (30, -10, -10, -10), ""),
    ("G07: not 90", house(durchmarsch="91"), (90, 30, 0, 0), (7, 1, 0, 0), (-30, 10, 10, 10), ""),
    ("G07: 90", house(durchmarsch="90"), (90, 30, 0, 0), (7, 1, 0, 0), (30, -10, -10, -10), ""),
    ("G07: not 89", house(durchmarsch="90"), (89, 31, 0, 0), (7, 1, 0, 0), (-30, 10, 10, 10), ""),
    ("G08", FEWEST, (50, 40, 20, 10), (3, 2, 2, 1), (-10, -10, -10, 30), "fewest Augen win"),
    ("G08: tie", FEWEST, (10, 10, 50, 50), (1, 1, 3, 3), (30, -10, -10, -10),
     "of two it is who was dealt the highest trump"),
    ("G08: both", house(decides="fewest_wins", tie="all"), (10, 10, 50, 50), (1, 1, 3, 3),
     (20, 20, -20, -20), "or both win"),
]  # fmt: skip


def finished(rules, points, tricks, klopfen=()):
    deal = in_play(rules, "ramsch", dealt("EO", "GO", "HO", "SO"))
    deal.points, deal.tricks, deal.klopfen = list(points), list(tricks), bytearray(klopfen)
    deal.hands = [0, 0, 0, 0]
    deal.finished = True
    return deal


@pytest.mark.parametrize(
    ("rules", "points", "tricks", "payoff", "because"),
    [row[1:] for row in PAYS],
    ids=[row[0] for row in PAYS],
)
def test_pays(rules, points, tricks, payoff, because):
    end = settle(finished(rules, points, tricks))
    assert end.payoff == payoff, because
    assert (end.side, end.won, end.laufende) == ((), None, 0), "there are no sides"


def test_klopfen_doubles_it_too():
    deal = finished(SAUSPIEL, (50, 40, 20, 10), (3, 2, 2, 1), klopfen=(0, 2))
    assert settle(deal).payoff == (-240, 80, 80, 80)


def test_it_follows_when_nobody_plays():
    """D15: forehand leads, nobody is declarer, and nobody is asked to double."""
    rules = changed(TUTORIAL, {"stoss.steps": 4})
    deal = say(new_deal(rules, dealt(*MODEL), 2), "pass pass pass pass")
    assert (deal.game.key, deal.declarer, deal.side, deal.turn) == ("ramsch", None, 0, 2)
    while not deal.finished:
        assert names(deal.legal).isdisjoint({"stoss", "no_stoss"})
        deal.step(deal, deal.legal[0])
    assert sum(deal.tricks) == 8


def test_another_house_deals_anew():
    """D15, the other agreement of the same document."""
    rules = changed(TUTORIAL, {"auction.pass_out": "next_deal"})
    deal = say(new_deal(rules, dealt(*MODEL), 2), "pass pass pass pass")
    assert deal.finished
    assert settle(deal).payoff == (0, 0, 0, 0)

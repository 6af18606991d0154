"""Situations of a deal, each a function of the rules that says what comes out of it."""

from engine.cards import EMPTY
from engine.model import Carried
from engine.rules import new_deal
from engine.scoring import laufende_row, settle
from engine.session import carry
from engine.variants import GAMES
from tests.engine.support import MODEL, asked, dealt, ended, hand, in_play, names, say

TOPS = "EO GO HO SO EU GU HU SU"
CALL = "bid pass pass pass rufspiel-gras"
PASSED = "pass pass pass pass"


def may(role, cards, opened="", game="rufspiel-gras"):
    """What may be played."""

    def situation(rules):
        return " ".join(sorted(names(asked(rules, game, role, cards, opened).legal)))

    return situation


def discarded(rules):
    """What the partner may lead with three of its four Gras left."""
    hands = ("GA GX GK G9 EO", "SA H7 G7 S7 S9", "SX H8 E7 E8 G8", "SK H9 EA EX HU")
    a, b, c, d = map(hand, hands)
    deal = in_play(rules, "rufspiel-gras", (a, b, c, d), declarer=1, forehand=1)
    for word in ["SA", "SX", "SK", "G9", "H7", "H8", "H9", "EO"]:
        while "no_stoss" in names(deal.legal):
            say(deal, "no_stoss")
        say(deal, word)
    return " ".join(sorted(names(deal.legal)))


def pays(game, *cards, made=(61, 5), stoss=(), forced=False):
    """What declarer 0 gets, or seat 0 where nobody plays."""

    def situation(rules):
        return settle(ended(rules, game, dealt(*cards), *made, stoss, forced=forced)).payoff[0]

    return situation


def ramsch(points, tricks):
    """What everybody gets; seat 0 was dealt the highest trump, seat 1 the next one."""

    def situation(rules):
        deal = in_play(rules, "ramsch", dealt("EO", "GO", "HO", "SO"))
        deal.points, deal.tricks = list(points), list(tricks)
        return settle(deal).payoff

    return situation


def left(game, made, carried, what, stoss=()):
    """What a deal leaves to the next one; without a game everybody passed."""

    def situation(rules):
        if game is None:
            deal = say(new_deal(rules, dealt(*MODEL), 0), PASSED)
        else:
            deal = ended(rules, game, dealt("EO", "GO", "GA"), *made, stoss)
        deal.carried = carried
        return getattr(carry(deal, settle(deal)), what)

    return situation


def strokes(before, won=(0, 0)):
    """How far the pairs are after one of them won a stroke."""

    def situation(rules):
        carried = Carried(strokes=before, schafkoepfe=won)
        deal = ended(rules, "deutscher-herz", dealt(), 61, 4)
        deal.carried = carried
        after = carry(deal, settle(deal))
        return after.strokes, after.schafkoepfe

    return situation


def row_without_any(rules):
    return laufende_row(GAMES["rufspiel-gras"], rules, EMPTY)


def row_with_herz(rules):
    return laufende_row(GAMES["rufspiel-gras"], rules, hand(f"{TOPS} HA"))


def row_of_opponents(rules):
    return laufende_row(GAMES["rufspiel-gras"], rules, hand("HO"))


def offered(said, *options, hands=MODEL):
    """Which of these answers the asked seat has."""

    def situation(rules):
        deal = say(new_deal(rules, dealt(*hands), 0), said)
        return " ".join(sorted(names(deal.legal) & set(options)))

    return situation


def turn(said):
    """Who is asked next."""

    def situation(rules):
        return say(new_deal(rules, dealt(*MODEL), 0), said).turn

    return situation


def leader(rules):
    return in_play(rules, "wenz", dealt(*MODEL), declarer=2, forehand=1).turn

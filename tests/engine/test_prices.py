"""What games of all houses pay: short deck, Geier, Farbwenz, Bettel, Hochzeit, fixed pairs."""

import pytest

from engine.cards import LONG_DECK, SHORT_DECK
from engine.scoring import settle
from tests.engine.support import (
    DEUTSCHER,
    HOUSE,
    HOUSE_SHORT,
    SAUSPIEL,
    STARGAMES,
    TUTORIAL,
    changed,
    dealt,
    ended,
    hand,
    in_play,
    say,
    shipped,
)

SCHOOL = shipped("schafkopfschule")
PARLETT = changed(HOUSE, {"laufende.minimum": {"solo": 3}})
DOUBLE_LOSS = changed(HOUSE, {"tariff.lost_factor": 2})
OLD_ONE = changed(HOUSE, {"auction.pass_out": "must_play", "thresholds.forced_with_few_trumps": 3})
OLD_ONE_NO_MERCY = changed(OLD_ONE, {"thresholds.forced_with_few_trumps": 0})
EIGHT = "EO GO HO SO EU GU HU SU"
SIX = "EO GO HO SO EU GU"

ONCE = ((), ())
"""Nobody doubled."""

# Seat 0 plays, in games of two against two together with seat 2.
PAYS = [
    # case, rules, game, hands, Augen and tricks, Klopfen and Stöße, value per pair
    ("E16", HOUSE, "geier", ("EO", "GO"), (120, 8), ONCE, 70, "Schneider and Schwarz"),
    ("E17", SAUSPIEL, "farbwenz-gras", ("GX", "EU GU", "HU SU", "GA"), (80, 5), ((3, 1), (1,)), 800,
     "without five: (50 + 50) x 8"),
    ("E18", SAUSPIEL, "geier", ("HO", "EO", "GO"), (68, 5), ((0, 1, 3), ()), 560, "(50 + 20) x 8"),
    ("E26", HOUSE_SHORT, "rufspiel-gras", ("EO GO", "SO", "GA HO"), (53, 3), ((2, 3), (1,)), -400,
     "the losers pay their own row: (20 + 30) x 8"),
    ("H02", HOUSE_SHORT, "wenz-tout", ("EU GU SU", "HU"), (120, 6), ((3, 0, 1), ()), 1120,
     "(50 + 20) x 2 x 8"),
    ("H03", HOUSE_SHORT, "farbwenz-gras", ("EU GU", "HU"), (120, 6), ((0,), ()), 140,
     "two in a row are too few with 24 cards as well: (50 + 10 + 10) x 2"),
    ("H04", HOUSE_SHORT, "wenz", ("GU SU", "EU HU"), (0, 0), ((1, 3), (1,)), -560,
     "no trick: (50 + 20) x 8"),
    ("H05", HOUSE_SHORT, "wenz", ("EU", "GU"), (96, 5), ((2,), (1, 0)), 480, "(50 + 10) x 8"),
    ("H06", HOUSE_SHORT, "farbwenz-tout-gras", ("EU GU HU SU", "GA"), (120, 6), ((0,), ()), 360,
     "(50 + 40) x 2 x 2"),
    ("H08", HOUSE_SHORT, "sie", (SIX,), (120, 6), ONCE, 440, "(50 + 60) x 4"),
    ("E21, Geier", STARGAMES, "geier-tout", ("EO", "GO"), (120, 8), ONCE, 100, "50 x 2"),
    ("E22, Farbwenz", HOUSE, "farbwenz-tout-herz", ("EU GU HU SU HA", "HX"), (120, 8), ONCE, 200,
     "(50 + 50) x 2: the row goes on through Herz"),
    ("E23, Geier", STARGAMES, "geier-tout", ("EO GO HO", "SO"), (120, 7), ONCE, -160,
     "a worthless trick is lost: (50 + 30) x 2"),
    ("E24, Parlett", PARLETT, "sie", (EIGHT,), (120, 8), ONCE, 200, "without Laufende: 50 x 4"),
    ("E24, School", SCHOOL, "sie", (EIGHT,), (120, 8), ONCE, 52, "(5 + 8) x 4"),
    ("E27, StarGames", STARGAMES, "rufspiel-gras", (EIGHT, "HX", "GA HA"), (61, 5), ONCE, 100,
     "Herz doesn't go on with the row: 20 + 80"),
    ("E27, Sauspiel", SAUSPIEL, "rufspiel-gras", (EIGHT, "HX", "GA HA"), (61, 5), ONCE, 110,
     "Herz does: 20 + 90"),
    ("E04, tutorial", TUTORIAL, "solo-herz", ("EO GO HO SO", "EU"), (90, 6), ONCE, 50,
     "no Laufende, and 90 is no Schneider"),
    ("tutorial: defenders", TUTORIAL, "solo-herz", ("EO", "GO"), (30, 2), ONCE, -50,
     "whoever wins needs 91 for Schneider"),
    ("tutorial: 29", TUTORIAL, "solo-herz", ("EO", "GO"), (29, 2), ONCE, -60, "and now has it"),
    ("StarGames: 90", STARGAMES, "geier", ("EO", "GO"), (30, 2), ONCE, -60, "90 do there"),
    ("farbgeier", HOUSE, "farbgeier-gras", ("EO GO HO", "SO"), (61, 5), ONCE, 80, "three in a row"),
    ("farbgeier: two", HOUSE, "farbgeier-herz", ("EO GO", "HO"), (61, 5), ONCE, 50, "too few"),
    ("farbgeier-tout", HOUSE, "farbgeier-tout-schellen", ("EO GO HO SO SA", "SX"), (120, 8), ONCE,
     200, "(50 + 50) x 2"),
    ("geier: four", HOUSE, "geier", ("EA", "EO GO", "HO SO"), (61, 5), ONCE, 90,
     "without four, and no more"),
    ("hochzeit", HOUSE, "hochzeit", ("GO", "HO", "SO", "EO"), (61, 5), ONCE, 20, "as a Rufspiel"),
    ("hochzeit: Schneider", HOUSE, "hochzeit", ("GO", "HO", "SO", "EO"), (91, 5), ONCE, 30, ""),
    ("hochzeit: row", HOUSE, "hochzeit", ("EO GO", "SO", "HO"), (60, 5), ONCE, -50,
     "both hands make the row"),
    ("bettel", HOUSE, "bettel", (), (0, 0), ONCE, 30, "no trick"),
    ("G10", HOUSE, "bettel", (), (0, 1), ONCE, -30, "a worthless trick is lost all the same"),
    ("bettel: Stoß", HOUSE, "bettel", (), (11, 1), ((1,), (2,)), -120, "doubled like all games"),
    ("deutscher", DEUTSCHER, "deutscher-herz", (), (61, 4), ONCE, 1, "one stroke"),
    ("J13", DEUTSCHER, "deutscher-herz", (), (60, 4), ONCE, -2, "60 is lost, and lost twice"),
    ("J15", DEUTSCHER, "deutscher-gras", (), (90, 5), ONCE, 1, "no Schneider yet"),
    ("J15: Schneider", DEUTSCHER, "deutscher-gras", (), (91, 5), ONCE, 2, ""),
    ("J15: Schwarz", DEUTSCHER, "deutscher-eichel", (), (120, 8), ONCE, 3, ""),
    ("J15: lost Schneider", DEUTSCHER, "deutscher-schellen", (), (30, 3), ONCE, -4, "(1 + 1) x 2"),
    ("loss", DOUBLE_LOSS, "solo-herz", ("EO", "GO"), (60, 4), ONCE, -100, "a loss is doubled"),
    ("win", DOUBLE_LOSS, "solo-herz", ("EO", "GO"), (61, 4), ONCE, 50, "what is won isn't"),
    ("loss, Tout", DOUBLE_LOSS, "solo-tout-herz", ("EO", "GO"), (90, 7), ONCE, -200, "any game"),
    ("loss, Bettel", DOUBLE_LOSS, "bettel", (), (4, 1), ONCE, -60, "any game"),
]  # fmt: skip


def expected(value, side):
    if len(side) == 1:
        return (3 * value, -value, -value, -value)
    return (value, -value, value, -value)


@pytest.mark.parametrize(
    ("rules", "game", "hands", "made", "doubled", "value", "because"),
    [row[1:] for row in PAYS],
    ids=[row[0] for row in PAYS],
)
def test_pays(rules, game, hands, made, doubled, value, because):
    deck = LONG_DECK if rules.deck == 32 else SHORT_DECK
    klopfen, stoss = doubled
    deal = ended(rules, game, dealt(*hands, deck=deck), *made, stoss, klopfen)
    end = settle(deal)
    assert end.payoff == expected(value, end.side), because
    assert end.won == (value > 0)


def test_a_bettel_is_over_with_the_first_trick_that_its_declarer_takes():
    """G10: the rest isn't played, as nothing could change the result."""
    hands = (hand("HA E7 S7"), hand("H7 E9 S8"), hand("H8 EX S9"), hand("H9 EA SX"))
    going_on = say(in_play(HOUSE, "bettel", hands), "E7 E9 EX EA")
    assert (going_on.finished, going_on.turn) == (False, 3), "somebody else's trick"
    over = say(in_play(HOUSE, "bettel", hands), "HA H7 H8 H9")
    assert over.finished
    assert settle(over).payoff == (-90, 30, 30, 30)


FORCED = [
    # case, rules, game, hand of who must play, Augen, value per pair
    ("J15: forced loss", DEUTSCHER, "deutscher-herz", "EU", 60, -1, "a forced loss counts once"),
    ("J12: forced win", DEUTSCHER, "deutscher-herz", "EU", 61, 1, "a win counts as ever"),
    ("few trumps", OLD_ONE, "solo-gras", "EO SO G7 EA EX HA HX SA", 60, 50, "three trumps: 60 do"),
    ("few trumps: 59", OLD_ONE, "solo-gras", "EO SO G7 EA EX HA HX SA", 59, -50, "59 don't"),
    ("many trumps", OLD_ONE, "solo-gras", "EO SO G7 G8 EX HA HX SA", 60, -50, "four are too many"),
    ("no mercy", OLD_ONE_NO_MERCY, "wenz", "EO GO HO SO EA GA HA SA", 60, -90,
     "no house rule, no help, also for who has no trump at all"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "game", "cards", "points", "value", "because"),
    [row[1:] for row in FORCED],
    ids=[row[0] for row in FORCED],
)
def test_who_must_play_pays(rules, game, cards, points, value, because):
    end = settle(ended(rules, game, dealt(cards), points, 4, forced=True))
    assert end.payoff == expected(value, end.side), because


def test_few_trumps_help_only_who_must_play():
    cards = dealt("EO SO G7 EA EX HA HX SA")
    assert settle(ended(OLD_ONE, "solo-gras", cards, 60, 4)).won is False

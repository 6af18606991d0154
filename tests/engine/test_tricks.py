"""Which card wins, which cards may be played, and how many trumps there are."""

import pytest

from engine.cards import LONG_DECK, SHORT_DECK, members
from engine.order import order_of, ranked_trumps
from engine.rules import legal
from engine.variants import GAMES
from tests.engine.support import ONLINE, asked, called_ace, hand, in_play, names, say, words

WINS = [
    # case, game, trick of seats 0 to 3, winner, Augen, because
    ("A06", "wenz", "E9 EK EO EX", 3, 17, "the ten stands above the King, the Ober below him"),
    ("A07", "wenz", "E9 EO E8 E7", 1, 3, "an Ober beats the Nine of its suit"),
    ("A11", "rufspiel-eichel", "S7 EA GA S8", 3, 22, "aces of other suits can't win"),
    ("A12", "rufspiel-gras", "SA H7 SX EU", 3, 23, "the higher trump wins"),
    ("A13", "rufspiel-eichel", "G9 E9 S9 G7", 0, 0, "the same rank elsewhere is a discard"),
    ("A16", "rufspiel-gras", "HA SU SO EU", 2, 18, "the lowest Ober beats the highest Unter"),
    ("A17", "rufspiel-gras", "SO HO GO EO", 3, 12, "Ober rank by suit"),
    ("C19", "rufspiel-gras", "G7 GA SU GK", 2, 17, "even the called ace can be trumped"),
    ("ruf: Herz", "rufspiel-schellen", "H9 HX HK HA", 3, 25, "Herz is trump from the ace down"),
    ("solo: suit", "solo-eichel", "GA E7 GX HA", 1, 32, "Eichel is trump, Herz isn't"),
    ("solo: Gras", "solo-gras", "EA G7 EX HA", 1, 32, "Gras is trump"),
    ("solo: Herz", "solo-herz", "EA H7 EX GA", 1, 32, "Herz is trump"),
    ("solo: Schellen", "solo-schellen", "EA S7 EX GA", 1, 32, "Schellen is trump"),
    ("solo: Unter", "solo-schellen", "SA SU HU GU", 3, 17, "Unter rank by suit"),
    ("tout: Eichel", "solo-tout-eichel", "GA E7 GX HA", 1, 32, "ranks as its solo"),
    ("tout: Gras", "solo-tout-gras", "EA G7 EX HA", 1, 32, "ranks as its solo"),
    ("tout: Herz", "solo-tout-herz", "EA H7 EX GA", 1, 32, "ranks as its solo"),
    ("tout: Schellen", "solo-tout-schellen", "EA S7 EX GA", 1, 32, "ranks as its solo"),
    ("wenz-tout", "wenz-tout", "EO SU EA HO", 1, 19, "ranks as the Wenz"),
    ("wenz: Unter", "wenz", "SU GU EU HU", 2, 8, "Eichel is the highest Unter"),
    ("wenz: plain", "wenz", "HA H7 HX EO", 0, 24, "Herz is a plain suit"),
]


@pytest.mark.parametrize(
    ("game", "trick", "winner", "points", "because"),
    [row[1:] for row in WINS],
    ids=[row[0] for row in WINS],
)
def test_wins(game, trick, winner, points, because):
    cards = trick.split()
    a, b, c, d = map(hand, cards)
    ace = called_ace(game)
    gone = "" if ace in cards else ace
    deal = say(in_play(ONLINE, game, (a, b, c, d), gone=gone), trick)
    assert deal.tricks[winner] == 1, because
    assert deal.points[winner] == points


MAY = [
    # case, game, role, hand, open, may, because
    ("A01", "rufspiel-gras", "defender", "EO EA S9", "H7", "EO", "trumps are one class"),
    ("A02", "rufspiel-gras", "defender", "EU EO H9 GK S7", "EA", "EU EO H9 GK S7",
     "nobody has to trump"),
    ("A03", "rufspiel-schellen", "defender", "EK EO EU G8", "E9", "EK",
     "the Ober and Unter of a suit don't belong to it"),
    ("A04", "wenz", "defender", "E7 EU HA", "EO", "E7", "an Ober leads its suit"),
    ("A05", "wenz", "defender", "EO HA GX", "EU", "EO HA GX", "Ober are no trumps"),
    ("A10", "solo-eichel", "defender", "HO H7 EA", "HA", "H7", "Herz is plain, its Ober trump"),
    ("solo: follow", "solo-gras", "defender", "G7 EA HA", "SU", "G7", "the suit is trump too"),
    ("solo: plain", "solo-schellen", "defender", "E7 EU SA", "EK", "E7", "a suit is followed"),
    ("tout", "solo-tout-herz", "defender", "H7 EA GA", "EO", "H7", "as in the solo"),
    ("wenz-tout", "wenz-tout", "defender", "HO HU EA", "H7", "HO", "as in the Wenz"),
    ("lead", "wenz", "declarer", "HO HU EA", "", "HO HU EA", "who leads is free"),
    ("third", "wenz", "defender", "S7 GA EU", "G7 S8", "GA", "the first card is followed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("game", "role", "cards", "opened", "may", "because"),
    [row[1:] for row in MAY],
    ids=[row[0] for row in MAY],
)
def test_may(game, role, cards, opened, may, because):
    assert names(legal(asked(ONLINE, game, role, cards, opened))) == words(may), because


TRUMPS = [
    ("rufspiel", 14, 12),
    ("wenz", 4, 4),
    ("solo", 14, 12),
    ("wenz-tout", 4, 4),
    ("solo-tout", 14, 12),
    ("sie", 8, 8),
]


@pytest.mark.parametrize(("family", "long", "short"), TRUMPS)
def test_trumps(family, long, short):
    for game in GAMES.values():
        if game.family == family:
            assert order_of(game, 32).trumps.bit_count() == long
            assert order_of(game, 24).trumps.bit_count() == short


def test_every_family_has_its_trumps_counted():
    assert {row[0] for row in TRUMPS} >= {game.family for game in GAMES.values()}


def test_trumps_from_the_top():
    game = GAMES["solo-gras"]
    ranked = ranked_trumps(game.trump_ranks, game.trump_suit)
    assert list(ranked) == [
        hand(card).bit_length() - 1
        for card in [
            "EO",
            "GO",
            "HO",
            "SO",
            "EU",
            "GU",
            "HU",
            "SU",
            "GA",
            "GX",
            "GK",
            "G9",
            "G8",
            "G7",
        ]
    ]


PLAIN = [("wenz", "H", 7), ("rufspiel-gras", "E", 6), ("solo-eichel", "H", 6), ("sie", "G", 6)]


@pytest.mark.parametrize(("game", "suit", "count"), PLAIN)
def test_what_is_no_trump_follows_its_suit(game, suit, count):
    order = order_of(GAMES[game], 32)
    assert order.follow[hand(f"{suit}7").bit_length() - 1].bit_count() == count


@pytest.mark.parametrize("deck", [LONG_DECK, SHORT_DECK])
@pytest.mark.parametrize("key", GAMES)
def test_every_card_belongs_to_one_class_and_no_two_that_can_win_are_equal(key, deck):
    order = order_of(GAMES[key], deck.bit_count())
    cards = list(members(deck))
    assert sum({order.follow[card] for card in cards}) == deck, "classes don't overlap"
    for card in cards:
        assert order.follow[card] >> card & 1
        can_win = order.follow[card] | order.trumps
        strengths = [order.powers[card][other] for other in cards]
        assert [bool(s) for s in strengths] == [bool(can_win >> other & 1) for other in cards]
        assert len({s for s in strengths if s}) == can_win.bit_count()

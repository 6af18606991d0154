"""Which card wins, which cards may be played, and how many trumps there are."""

import pytest

from engine.cards import LONG_DECK, SHORT_DECK, members
from engine.order import compiled, ranked_trumps
from engine.rules import legal
from engine.switches import FollowRules
from engine.variants import GAMES
from tests.engine.support import asked, called_ace, hand, home, in_play, names, say, words

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
    ("A09", "geier", "G9 GU GK G7", 2, 6, "an Unter stands below the King"),
    ("geier: Ober", "geier", "GA SO HO GX", 2, 27, "Ober are trumps, by suit"),
    ("geier-tout", "geier-tout", "EA SO EU EX", 1, 26, "ranks as the Geier"),
    ("A15", "farbwenz-gras", "GA EU GO SU", 1, 18, "Gras is trump, its Ober below the King"),
    ("farbwenz: Ober", "farbwenz-gras", "G9 GO GK G8", 2, 7, "the Ober beats the Nine alone"),
    ("farbwenz: Eichel", "farbwenz-eichel", "GA E7 GX HA", 1, 32, "Eichel is trump"),
    ("farbwenz: Herz", "farbwenz-herz", "EA H7 EX SO", 1, 24, "Herz is trump, Ober aren't"),
    ("farbwenz: Schellen", "farbwenz-schellen", "EA S7 SO EX", 2, 24, "an Ober of the suit is"),
    ("farbwenz-tout: Eichel", "farbwenz-tout-eichel", "GA E7 GX HA", 1, 32, "as its Farbwenz"),
    ("farbwenz-tout: Gras", "farbwenz-tout-gras", "GA EU GO SU", 1, 18, "as its Farbwenz"),
    ("farbwenz-tout: Herz", "farbwenz-tout-herz", "EA H7 EX SO", 1, 24, "as its Farbwenz"),
    ("farbwenz-tout: Schellen", "farbwenz-tout-schellen", "EA S7 SO EX", 2, 24, "as its Farbwenz"),
    ("farbgeier: Eichel", "farbgeier-eichel", "GA E7 EU GX", 2, 23, "the Unter of the suit is"),
    ("farbgeier: Gras", "farbgeier-gras", "GA SO GX EU", 1, 26, "only Ober beat the suit"),
    ("farbgeier: Herz", "farbgeier-herz", "EA HU H9 EX", 1, 23, "the Unter beats the Nine"),
    ("farbgeier: Schellen", "farbgeier-schellen", "EA S7 SU EX", 2, 23, "Schellen is trump"),
    ("farbgeier-tout: Eichel", "farbgeier-tout-eichel", "GA E7 EU GX", 2, 23, "as its Farbgeier"),
    ("farbgeier-tout: Gras", "farbgeier-tout-gras", "GA SO GX EU", 1, 26, "as its Farbgeier"),
    ("farbgeier-tout: Herz", "farbgeier-tout-herz", "EA HU H9 EX", 1, 23, "as its Farbgeier"),
    (
        "farbgeier-tout: Schellen",
        "farbgeier-tout-schellen",
        "EA S7 SU EX",
        2,
        23,
        "as its Farbgeier",
    ),
    ("ramsch", "ramsch", "SA H7 SX EU", 3, 23, "trumps as in a Rufspiel"),
    ("hochzeit", "hochzeit", "SA H7 SX EU", 3, 23, "trumps as in a Rufspiel"),
    ("bettel: ten", "bettel", "GX GU GO G9", 2, 15, "the ten stands below the Unter"),
    ("bettel: ten over nine", "bettel", "G9 GX G8 G7", 1, 10, "and above the Nine"),
    ("bettel: no trumps", "bettel", "G7 EO EU HA", 0, 16, "nothing beats the suit led"),
    ("J07", "deutscher-herz", "GX GO G9 G7", 1, 13, "the Dame beats the Zehn"),
    ("J08", "deutscher-herz", "HA SU HK GU", 3, 19, "jacks are the highest trumps, by suit"),
    ("deutscher: Eichel", "deutscher-eichel", "GA E7 GX HA", 1, 32, "Eichel is trump"),
    ("deutscher: Gras", "deutscher-gras", "EA G7 EX SU", 3, 23, "any jack beats the suit"),
    ("deutscher: Schellen", "deutscher-schellen", "EA S7 SK EX", 2, 25, "King over Seven"),
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
    deal = say(in_play(home(game), game, (a, b, c, d), gone=gone), trick)
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
    ("A08", "geier", "defender", "G8 GO S7", "GU", "G8", "an Unter leads its suit"),
    ("geier-tout", "geier-tout", "defender", "G8 GO S7", "HO", "GO", "Ober are trumps"),
    ("A14", "farbwenz-gras", "defender", "G7 EO", "GO", "G7", "the Ober of the suit is trump"),
    ("farbwenz", "farbwenz-herz", "defender", "EO EU H7", "E9", "EO", "other Ober are plain"),
    ("farbgeier", "farbgeier-herz", "defender", "EU EO H7", "E9", "EU", "other Unter are plain"),
    ("farbgeier: trump", "farbgeier-gras", "defender", "GU SO EU", "G7", "GU SO",
     "the Unter of the suit is trump"),
    ("G09", "ramsch", "defender", "GA GK HA EX", "G7", "GA GK", "no ace is called, so none falls"),
    ("G09: lead", "ramsch", "defender", "GA G9 HA", "", "GA G9 HA", "nor is a lead forbidden"),
    ("G09: void", "ramsch", "defender", "GA G9 EO", "SK", "GA G9 EO", "nor a discard"),
    ("hochzeit", "hochzeit", "defender", "HO EX S7", "EO", "HO", "trumps as in a Rufspiel"),
    ("bettel", "bettel", "defender", "EU E7 HA", "EK", "E7 EU", "an Unter belongs to its suit"),
    ("J01", "deutscher-herz", "defender", "H7 EU SA", "GA", "H7 EU", "who is void must trump"),
    ("J02", "deutscher-herz", "defender", "GU SA E9", "GK", "GU", "a jack is trump, not Gras"),
    ("J03", "deutscher-herz", "defender", "SU GA", "HA", "SU", "trump led: the jack serves it"),
    ("J04", "deutscher-herz", "defender", "SA E9", "GA", "SA E9", "void of both: free"),
    ("J05", "deutscher-herz", "defender", "H7 EU S9", "GA HK", "H7 EU", "nobody has to overtrump"),
    ("J06", "deutscher-herz", "defender", "G7 HA", "GA", "G7", "who can follow must follow"),
    ("deutscher: lead", "deutscher-gras", "declarer", "SU GA", "", "SU GA", "who leads is free"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("game", "role", "cards", "opened", "may", "because"),
    [row[1:] for row in MAY],
    ids=[row[0] for row in MAY],
)
def test_may(game, role, cards, opened, may, because):
    assert names(legal(asked(home(game), game, role, cards, opened))) == words(may), because


TRUMPS = [
    ("rufspiel", 14, 12),
    ("wenz", 4, 4),
    ("solo", 14, 12),
    ("wenz-tout", 4, 4),
    ("solo-tout", 14, 12),
    ("sie", 8, 8),
    ("geier", 4, 4),
    ("geier-tout", 4, 4),
    ("farbwenz", 11, 9),
    ("farbwenz-tout", 11, 9),
    ("farbgeier", 11, 9),
    ("farbgeier-tout", 11, 9),
    ("ramsch", 14, 12),
    ("hochzeit", 14, 12),
    ("bettel", 0, 0),
    ("deutscher", 11, 9),
]
"""Family, and its trumps in the long deck and in the short one (H01)."""


@pytest.mark.parametrize(("family", "long", "short"), TRUMPS)
def test_trumps(family, long, short):
    for game in GAMES.values():
        if game.family == family:
            assert compiled(game, 32, FollowRules()).trumps.bit_count() == long
            assert compiled(game, 24, FollowRules()).trumps.bit_count() == short


def test_every_family_has_its_trumps_counted():
    assert {row[0] for row in TRUMPS} >= {game.family for game in GAMES.values()}


def test_trumps_from_the_top():
    game = GAMES["solo-gras"]
    ranked = ranked_trumps(game)
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


PLAIN = [
    # game, suit, its plain cards in the long deck and in the short one (H01)
    ("wenz", "H", 7, 5),
    ("geier", "H", 7, 5),
    ("farbwenz-gras", "H", 7, 5),
    ("rufspiel-gras", "E", 6, 4),
    ("solo-eichel", "H", 6, 4),
    ("sie", "G", 6, 4),
    ("bettel", "G", 8, 6),
    ("deutscher-herz", "G", 7, 5),
]


@pytest.mark.parametrize(("game", "suit", "long", "short"), PLAIN)
def test_what_is_no_trump_follows_its_suit(game, suit, long, short):
    for deck, count in ((32, long), (24, short)):
        order = compiled(GAMES[game], deck, FollowRules())
        assert order.follow[hand(f"{suit}9").bit_length() - 1].bit_count() == count


@pytest.mark.parametrize("deck", [LONG_DECK, SHORT_DECK])
@pytest.mark.parametrize("key", GAMES)
def test_every_card_belongs_to_one_class_and_no_two_that_can_win_are_equal(key, deck):
    order = compiled(GAMES[key], deck.bit_count(), FollowRules())
    cards = list(members(deck))
    assert sum({order.follow[card] for card in cards}) == deck, "classes don't overlap"
    for card in cards:
        assert order.follow[card] >> card & 1
        can_win = order.follow[card] | order.trumps
        strengths = [order.powers[card][other] for other in cards]
        assert [bool(s) for s in strengths] == [bool(can_win >> other & 1) for other in cards]
        assert len({s for s in strengths if s}) == can_win.bit_count()

"""What the rule bot does in positions that every beginner's book has."""

import pytest
from rule_bot import chooser

from engine.actions import action_name
from tests.bots.support import RULES, auction_question, card_question

choose = chooser(RULES["online-pro"])
FIRST_ROUND = "pass bid"
NAMED = "rufspiel-gras rufspiel-eichel wenz solo-herz solo-eichel wenz-tout solo-tout-eichel"

BIDS = [
    # hand                      said                  legal            expected   because
    ("S7 S8 G9 GK E7 E8 EK H7", "", FIRST_ROUND, "pass", "one trump"),
    ("EO HO HU HA H8 G9 EA E7", "", FIRST_ROUND, "bid", "five trumps, two Ober, Gras to call"),
    ("HU HA H8 H7 S7 G9 EK E7", "", FIRST_ROUND, "pass", "four trumps, none of them high"),
    ("EO HU HA H8 H7 GA EA SA", "", FIRST_ROUND, "pass", "all aces: nobody to call"),
    ("EO HO HU HA H8 G9 EA E7", "1:bid", FIRST_ROUND, "pass", "a Rufspiel comes too late"),
    ("EO GO HO HU HA H8 H7 EA", "1:bid", FIRST_ROUND, "bid", "a Solo comes in time"),
    ("EO GO EU SU EA EX EK GA", "", "pass rufspiel-schellen " + NAMED, "solo-eichel", "one round"),
    ("EU GU HU EA EX GA GX SA", "3:bid", NAMED, "wenz", "three Unter and three aces"),
    ("EO GO HO SO EU GU HU SU", "3:bid", NAMED + " sie", "sie", "all Ober and Unter"),
    ("EO GO HO SO EU GU EA EX", "3:bid", "cede " + NAMED, "solo-eichel", "the others lead first"),
    ("EO HO HU HA H8 G9 E8 E7", "3:bid", NAMED, "rufspiel-gras", "one card of it, not two"),
    ("EO HO HU HA H8 GX E9 S7", "3:bid", NAMED, "rufspiel-eichel", "a nine risks no ten"),
    ("EO HO HU HA H8 G9 E8 E7", "0:bid 3:bid 0:wenz", "cede solo-herz", "cede", "too weak"),
    ("EU S7 S8 G9 GK E7 E8 EK", "3:bid", "wenz solo-herz solo-eichel", "solo-eichel", "must play"),
]


@pytest.mark.parametrize(("hand", "said", "legal", "expected", "because"), BIDS)
def test_bids(hand: str, said: str, legal: str, expected: str, because: str) -> None:
    assert action_name(choose(auction_question(hand, said, legal))) == expected, because


def test_announces_a_tout_only_with_the_lead() -> None:
    question = auction_question("EO GO HO SO EU GU EA EX", "3:bid", NAMED)
    question.forehand = 3
    assert action_name(choose(question)) == "solo-tout-eichel"
    question.forehand = 0
    assert action_name(choose(question)) == "solo-eichel"


CARDS = [
    # game, declarer, plays, hand, may, expected, because
    ("rufspiel-gras", 3, "", "EO HO HU HA H8 G9 EA E7", "", "EO", "the declarer draws trumps"),
    ("rufspiel-gras", 0, "", "SO EU H9 GA EK E7 SX S8", "", "SO EU H9", "so does the partner"),
    ("rufspiel-gras", 0, "", "SO EU H9 G7 EK E7 SX S8", "", "G7", "defenders look for the ace"),
    ("rufspiel-gras", 0, "", "SO EU H9 EA EK HK SX S8", "", "EA", "a defender leads his ace"),
    ("solo-herz", 1, "", "SO EU H9 EA EK HK S9 S8", "", "EA", "also against a Solo"),
    ("solo-herz", 3, "", "EO GO HO HA HX H9 EA E7", "", "EO GO HO", "the soloist leads high"),
    ("wenz", 3, "", "EU GU EA EX EK GA GX S7", "", "EU GU", "first the other Unter must fall"),
    ("rufspiel-gras", 0, "0:EO 1:H7 2:H8", "HX SU H9 G7", "HX SU H9", "H9", "lost: give little"),
    ("rufspiel-gras", 0, "0:EO 1:H7 2:H8", "HX SU GA G7", "HX SU", "HX", "the partner smears"),
    ("rufspiel-gras", 1, "0:E7 1:EX 2:EK", "EA E8 H9 G7", "EA E8", "EA", "wins what is worth it"),
    ("solo-herz", 1, "0:E7 1:EA 2:EK", "H7 HO S9 G7", "", "H7", "a small trump does as well"),
    ("solo-herz", 1, "0:E7 1:EA 2:HO", "SX S9 G7 HU", "", "SX", "a friend has it: give much"),
    (
        "solo-herz",
        1,
        "0:E7 1:HA 2:E9",
        "SX S9 G8 EX E8",
        "EX E8",
        "E8",
        "a foe has it: give little",
    ),
    ("solo-herz", 1, "0:S7 1:S9 2:S8", "EO E9 G8 GK", "", "E9 G8", "no Ober for an empty trick"),
    ("wenz", 1, "0:EO 1:EA 2:E7", "SU GX G8 S9", "", "SU", "ruffs the ace"),
    ("solo-tout-herz", 1, "0:S7 1:SK 2:S8", "EO E9 G8 GK", "", "EO", "one trick beats a Tout"),
]


@pytest.mark.parametrize(("game", "declarer", "plays", "hand", "may", "expected", "because"), CARDS)
def test_plays(
    game: str, declarer: int, plays: str, hand: str, may: str, expected: str, because: str
) -> None:
    chosen = choose(card_question(game, declarer, plays, hand, may))
    assert action_name(chosen) in expected.split(), because


STOSS = [
    ("rufspiel-gras", "", "EO GO HO EU GU HA EA S7", "stoss", "the defence holds the trumps"),
    ("rufspiel-gras", "", "SO EU H9 EA EK E7 SX S8", "no_stoss", "an ordinary hand"),
    ("rufspiel-gras", "0", "EO GO HO EU GU HA EA S7", "no_stoss", "never answers one"),
    ("wenz", "", "EO GO HO EU GU HA EA S7", "no_stoss", "Ober are no trumps in a Wenz"),
]


@pytest.mark.parametrize(("game", "said", "hand", "expected", "because"), STOSS)
def test_doubles(game: str, said: str, hand: str, expected: str, because: str) -> None:
    question = card_question(game, 0, "", hand, "no_stoss stoss")
    question.stoss = bytes(int(seat) for seat in said)
    assert action_name(choose(question)) == expected, because


def test_doubles_instead_of_playing_a_card() -> None:
    hand = "EO GO HO EU GU HA EA S7"
    assert action_name(choose(card_question("solo-herz", 0, "", hand, hand + " stoss"))) == "stoss"


def test_plays_a_game_that_it_was_not_taught() -> None:
    question = card_question("rufspiel-gras", 0, "", "EO HX S7")
    question.game = 255
    assert action_name(choose(question)) == "S7"

"""Cards and actions, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.action_ids import FIRST_ANNOUNCEMENT, plays_of
from engine.actions import NAMES, action_name, parse_action, play_of
from engine.cards import (
    LONG_DECK,
    POINTS,
    SHORT_DECK,
    card_name,
    card_of,
    cards_text,
    hand_text,
    mask_of,
    members,
    parse_card,
    parse_cards,
    rank_of,
    suit_of,
)
from engine.errors import NotationError
from engine.variants import GAMES

CARDS = st.integers(0, 31)

READ = [
    ("HX", "HX", "the house's own ten"),
    ("HZ", "HX", "Z as in Zehn"),
    ("HT", "HX", "T as programs write it"),
    ("H10", "HX", "the number"),
    ("eo", "EO", "small letters"),
    (" GU ", "GU", "spaces around"),
    ("♣Q", "EO", "clubs are Eichel, the queen is the Ober"),
    ("♠J", "GU", "spades are Gras, the jack is the Unter"),
    ("♥K", "HK", "hearts are Herz"),
    ("♦A", "SA", "diamonds are Schellen"),
    ("♣D", "EO", "Dame"),
    ("♠B", "GU", "Bube"),
    ("Kreuz-Dame", "EO", "French words"),
    ("PikBube", "GU", "French words without a dash"),
    ("Karo10", "SX", "French suit with a number"),
    ("Herz-Zehn", "HX", "words"),
    ("Schellen-König", "SK", "German words"),
    ("Eichel-As", "EA", "the ace with one s"),
    ("Gras-Ass", "GA", "the ace with two"),
]


@pytest.mark.parametrize(("text", "card", "because"), READ)
def test_reads(text, card, because):
    assert card_name(parse_card(text)) == card, because


BAD = ["", "E", "O", "OE", "EOO", "E1", "E6", "X7", "E O", "10", "♣", "H-", "EO GU"]


@pytest.mark.parametrize("text", BAD)
def test_refuses_what_is_no_card(text):
    with pytest.raises(NotationError, match="no card"):
        parse_card(text)


@given(CARDS)
def test_a_written_card_is_read_back(card):
    assert parse_card(card_name(card)) == card
    assert card_of(suit_of(card), rank_of(card)) == card


@given(st.lists(CARDS))
def test_written_cards_keep_their_order(cards):
    assert list(parse_cards(cards_text(cards))) == cards


@given(st.sets(CARDS))
def test_a_set_holds_its_cards_and_no_others(cards):
    mask = mask_of(cards)
    assert set(members(mask)) == cards
    assert mask_of(parse_cards(hand_text(mask))) == mask
    assert list(plays_of(mask)) == sorted(play_of(card) for card in cards)


def test_the_strongest_suit_and_rank_are_written_first():
    assert hand_text(mask_of(parse_cards("S7 EA GA E9"))) == "EA E9 GA S7"


@pytest.mark.parametrize(("deck", "count"), [(LONG_DECK, 32), (SHORT_DECK, 24)])
def test_each_deck_holds_120_augen(deck, count):
    assert deck.bit_count() == count
    assert sum(POINTS[card] for card in members(deck)) == 120


VALUES = [("A", 11), ("X", 10), ("K", 4), ("O", 3), ("U", 2), ("9", 0), ("8", 0), ("7", 0)]


@pytest.mark.parametrize(("rank", "points"), VALUES)
@pytest.mark.parametrize("suit", "EGHS")
def test_points(suit, rank, points):
    assert POINTS[parse_card(suit + rank)] == points


WRITTEN = [
    ("S7", 1),
    ("SA", 8),
    ("EO", 29),
    ("EA", 32),
    ("pass", 33),
    ("bid", 34),
    ("cede", 35),
    ("no_stoss", 36),
    ("stoss", 37),
    ("rufspiel-schellen", 64),
    ("rufspiel-gras", 66),
    ("rufspiel-eichel", 67),
    ("wenz", 68),
    ("solo-schellen", 72),
    ("solo-herz", 73),
    ("solo-eichel", 75),
    ("wenz-tout", 76),
    ("solo-tout-schellen", 80),
    ("solo-tout-eichel", 83),
    ("sie", 84),
    ("no_klopfen", 38),
    ("klopfen", 39),
    ("report-schellen", 40),
    ("report-herz", 41),
    ("report-gras", 42),
    ("report-eichel", 43),
    ("reported-5", 44),
    ("reported-6", 45),
    ("reported-7", 46),
    ("reported-8", 47),
    ("bid-rufspiel", 48),
    ("bid-wenz", 49),
    ("bid-solo", 50),
    ("bid-geier", 51),
    ("bid-farbwenz", 52),
    ("bid-farbgeier", 53),
    ("bid-wenz-tout", 54),
    ("bid-solo-tout", 55),
    ("bid-geier-tout", 56),
    ("bid-farbwenz-tout", 57),
    ("bid-farbgeier-tout", 58),
    ("bid-sie", 59),
    ("bid-bettel", 60),
    ("take", 61),
    ("offer", 62),
    ("geier", 88),
    ("geier-tout", 89),
    ("farbwenz-schellen", 92),
    ("farbgeier-schellen", 96),
    ("farbwenz-tout-schellen", 100),
    ("farbgeier-tout-schellen", 104),
    ("ramsch", 108),
    ("bettel", 109),
    ("hochzeit", 110),
    ("deutscher-schellen", 112),
]


@pytest.mark.parametrize(("name", "number"), WRITTEN)
def test_the_numbers_of_actions_never_change(name, number):
    assert parse_action(name) == number
    assert action_name(number) == name


def test_the_number_of_every_call_and_family_is_written_down():
    """The suits of a family follow each other."""
    rows = dict(WRITTEN)
    unwritten = [n for name, n in map(reversed, NAMES.items()) if n > 32 and name not in rows]
    for number in unwritten:
        game = GAMES[action_name(number)]
        assert game.trump_suit is not None
        assert number - game.trump_suit in rows.values()


def test_every_action_is_read_back():
    assert {parse_action(action_name(number)) for number in NAMES} == set(NAMES)


@pytest.mark.parametrize("number", [0, -1, 63, FIRST_ANNOUNCEMENT - 1, 90, 255, 10**9])
def test_refuses_numbers_that_are_no_action(number):
    with pytest.raises(NotationError, match="no action"):
        action_name(number)


@pytest.mark.parametrize("text", ["", "E", "PASS", "herz-solo", "solo-", "H10"])
def test_refuses_words_that_are_no_action(text):
    with pytest.raises(NotationError, match="no action"):
        parse_action(text)


def test_every_game_has_its_own_announcement_that_fits_into_a_byte():
    numbers = [game.announcement for game in GAMES.values()]
    assert len(set(numbers)) == len(GAMES)
    assert all(FIRST_ANNOUNCEMENT <= number < 256 for number in numbers)

"""Who may announce what, and who becomes the declarer."""

import pytest

from engine.errors import IllegalActionError
from engine.model import Settlement
from engine.rules import house_action, legal, new_deal, play
from engine.ruleset import rule_set
from engine.scoring import settle
from engine.variants import GAMES
from tests.engine.support import (
    MODEL,
    ONLINE,
    PRO,
    changed,
    dealt,
    hand,
    in_play,
    mapping_of,
    names,
    say,
    words,
)

SINGLE = {
    "wenz",
    "wenz-tout",
    *(f"solo-{suit}" for suit in ("schellen", "herz", "gras", "eichel")),
    *(f"solo-tout-{suit}" for suit in ("schellen", "herz", "gras", "eichel")),
}
TOUT = {game for game in SINGLE if "tout" in game}
SOLO = {game for game in SINGLE if game.startswith("solo-") and game not in TOUT}
ALL_CALLS = {"rufspiel-schellen", "rufspiel-gras", "rufspiel-eichel"}
TOPS = "EO GO HO SO EU GU HU SU"
BLOCKED = "EO GO HO EU HA H9 EA GA"

CALLABLE = [
    ("B01", "EO EU H7 EA GK G9 SO S8", "gras schellen", "a plain card and not the ace"),
    ("B02", BLOCKED, "", "the aces of all its suits are its own"),
    ("B03", "SO SU HU H8 HX EA GA GK", "", "Ober and Unter aren't cards of their suit"),
    ("B04", "EO SU H8 H7 EX G9 GA S7", "eichel schellen", "Herz is never called"),
    ("B05", "EA GA SA E7 G7 S7 HO HU", "", "all three aces are its own"),
]


@pytest.mark.parametrize(
    ("cards", "suits", "because"), [r[1:] for r in CALLABLE], ids=[r[0] for r in CALLABLE]
)
def test_callable(cards, suits, because):
    deal = say(new_deal(ONLINE, dealt(cards), 0), "bid pass pass pass")
    calls = {name for name in names(legal(deal)) if name.startswith("rufspiel")}
    assert calls == {f"rufspiel-{suit}" for suit in suits.split()}, because


ASKED = [
    # case, hands, said, who is asked, may answer
    ("first", MODEL, "", 0, {"pass", "bid"}, "forehand says first whether he wants to play"),
    ("next", MODEL, "bid", 1, {"pass", "bid"}, "everybody is asked, whatever was said"),
    ("last", MODEL, "pass pass pass", 3, {"pass", "bid"}, "also when nobody wanted to yet"),
    ("D02", MODEL, "bid pass pass pass", 0, ALL_CALLS | SINGLE, "the only one must play"),
    ("D03", MODEL, "pass bid bid pass rufspiel-gras", 2, {"cede"} | SINGLE,
     "the later one may beat it, but not call"),
    ("D04", MODEL, "pass bid bid pass solo-herz", 2, {"cede"} | TOUT, "no solo beats a solo"),
    ("D05", MODEL, "pass bid bid pass cede", 2, SINGLE, "the last one must play, and can't call"),
    ("D07", (BLOCKED,), "bid pass pass pass", 0, SINGLE, "without an ace to call"),
    ("D09", MODEL, "bid pass pass pass", 0, ALL_CALLS | SINGLE, "no Sie without its cards"),
    ("Sie", (TOPS,), "bid pass pass pass", 0, SINGLE | {"sie"}, "with its cards"),
    ("Sie, later", ("", TOPS), "bid bid pass pass solo-tout-gras", 1, {"cede", "sie"},
     "the Sie beats all"),
    ("first of two", MODEL, "bid bid pass pass", 0, {"cede"} | ALL_CALLS | SINGLE,
     "he may leave it to the other"),
    ("Wenz", MODEL, "bid bid pass pass wenz", 1, {"cede"} | SOLO | TOUT, "a solo beats a Wenz"),
    ("Wenz-Tout", MODEL, "bid bid pass pass wenz-tout", 1, {"cede"} | TOUT - {"wenz-tout"},
     "a Solo-Tout beats a Wenz-Tout"),
    ("third", MODEL, "bid bid bid pass cede cede", 2, SINGLE, "two ceded: he must play"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hands", "said", "seat", "may", "because"), [r[1:] for r in ASKED], ids=[r[0] for r in ASKED]
)
def test_asked(hands, said, seat, may, because):
    deal = say(new_deal(ONLINE, dealt(*hands), 0), said)
    assert deal.turn == seat
    assert names(legal(deal)) == may, because


FOUND = [
    # case, forehand, said, declarer, game
    ("D06", 0, "pass bid bid bid wenz cede solo-gras", 3, "solo-gras", "no second turn"),
    ("D08", 0, "bid bid bid pass solo-eichel wenz-tout solo-tout-gras", 2, "solo-tout-gras",
     "the highest game plays"),
    ("A18", 0, "pass pass bid pass solo-gras", 2, "solo-gras", "he has no plain Gras"),
    ("cede", 0, "bid bid pass pass rufspiel-eichel cede", 0, "rufspiel-eichel", "the first stays"),
    ("forehand", 2, "pass bid pass pass rufspiel-eichel", 3, "rufspiel-eichel",
     "the first to speak is the forehand"),
    ("round", 3, "bid pass pass bid wenz solo-herz", 2, "solo-herz", "seats go round"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("forehand", "said", "declarer", "game", "because"),
    [r[1:] for r in FOUND],
    ids=[r[0] for r in FOUND],
)
def test_found(forehand, said, declarer, game, because):
    deal = say(new_deal(ONLINE, dealt(*MODEL), forehand), said)
    assert (deal.declarer, deal.game.key) == (declarer, game), because
    assert deal.turn == forehand, "forehand leads, whoever plays"
    assert len(deal.auction) == 2 * len(said.split())


def test_all_pass():
    """D01: the deal is over, and nobody pays."""
    deal = say(new_deal(ONLINE, dealt(*MODEL), 0), "pass pass pass pass")
    assert deal.finished
    assert legal(deal) == b""
    assert (deal.game, deal.declarer) == (None, None)
    assert settle(deal) == Settlement()


def test_a_sie_is_over_at_once():
    deal = say(new_deal(PRO, dealt(TOPS), 2), "pass pass bid pass sie")
    assert deal.finished
    assert settle(deal).payoff == (1560, -520, -520, -520), "(50 + 80) x 4 from everybody"


@pytest.mark.parametrize("word", ["cede", "stoss", "no_stoss", "wenz", "EO"])
def test_refuses_what_was_not_asked(word):
    deal = new_deal(ONLINE, dealt(*MODEL), 0)
    with pytest.raises(IllegalActionError):
        say(deal, word)


def test_refuses_a_sie_without_its_cards():
    """D09, for a hand that lacks one card of it."""
    deal = say(new_deal(ONLINE, dealt("EO GO HO SO EU GU HU EA"), 0), "bid pass pass pass")
    with pytest.raises(IllegalActionError):
        play(deal, GAMES["sie"].announcement)


DEFAULTS = [
    ("", "pass", "nobody is made to play"),
    ("bid bid pass pass", "cede", "nor to stay in"),
    ("bid pass pass pass", "rufspiel-schellen", "else the lowest number"),
]


@pytest.mark.parametrize(("said", "answer", "because"), DEFAULTS)
def test_the_house_answers(said, answer, because):
    deal = say(new_deal(ONLINE, dealt(*MODEL), 0), said)
    assert names([house_action(deal)]) == {answer}, because


def test_the_house_never_doubles_and_plays_its_lowest_card():
    deal = say(new_deal(PRO, dealt(*MODEL), 0), "bid pass pass pass rufspiel-gras H8 H9 HX")
    assert names([house_action(deal)]) == {"no_stoss"}
    say(deal, "no_stoss no_stoss no_stoss")
    assert names([house_action(deal)]) == {"H7"}


def test_later_bidders_may_call_where_the_house_allows_it():
    rules = changed(
        ONLINE,
        {
            "auction.partner_games_first_bidder_only": False,
            "auction.ranking": [["wenz"], ["rufspiel"], ["solo"]],
        },
    )
    deal = say(new_deal(rules, dealt(*MODEL), 0), "bid bid pass pass wenz")
    assert names(legal(deal)) == {"cede", "rufspiel-schellen", "rufspiel-gras"} | SOLO


def test_games_that_are_not_listed_are_not_offered():
    mapping = mapping_of("online")
    mapping["auction"]["ranking"] = [["rufspiel"], ["solo"]]
    deal = say(new_deal(rule_set(mapping), dealt(*MODEL), 0), "bid pass pass pass")
    assert names(legal(deal)) == ALL_CALLS | SOLO


def test_a_hand_that_can_call_nothing_holds_no_plain_card_of_a_foreign_ace():
    """Each suit is judged by itself, whatever else the hand holds."""
    for held, can_call in (("E7", True), ("E7 EA", False), ("EO EU", False), ("", False)):
        assert GAMES["rufspiel-eichel"].may_announce(hand(held)) is can_call


def test_a_deal_can_be_led_by_the_declarer():
    rules = changed(ONLINE, {"leader": "declarer"})
    deal = in_play(rules, "rufspiel-eichel", dealt(*MODEL), declarer=3, forehand=0)
    assert deal.turn == 3
    assert names(legal(deal)) == words(MODEL[3])

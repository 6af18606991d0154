"""The other ways to hold the auction: one round (S3), first announcer (S1), three steps."""

import pytest

from engine.rules import legal, new_deal
from engine.scoring import settle
from tests.engine.support import (
    MODEL,
    SAUSPIEL,
    STARGAMES,
    TUTORIAL,
    changed,
    dealt,
    names,
    say,
    shipped,
    words,
)

SCHOOL = shipped("schafkopfschule")
NO_RAISE = changed(SCHOOL, {"auction.holder_may_raise": False})
LATER_CALLS = changed(
    SCHOOL,
    {
        "auction.partner_games_first_bidder_only": False,
        "auction.ranking": [["wenz"], ["rufspiel", "solo"]],
    },
)
TOPS = "EO GO HO SO EU GU HU SU"
BLOCKED = "EO GO HO EU HA H9 EA GA"
SOLOS = words("solo-schellen solo-herz solo-gras solo-eichel")
SOLO_TOUTS = {f"solo-tout-{game.removeprefix('solo-')}" for game in SOLOS}
TOUTS = words("geier-tout wenz-tout") | SOLO_TOUTS
KINDS = words("bid-farbwenz bid-wenz bid-solo bid-farbwenz-tout bid-wenz-tout bid-solo-tout")
ABOVE_WENZ = KINDS - {"bid-farbwenz", "bid-wenz"}
ABOVE_SOLO = ABOVE_WENZ - {"bid-solo"}

ASKED = [
    # case, rules, hands, said, who is asked, may answer
    ("S3: first", STARGAMES, MODEL, "", 0,
     words("pass rufspiel-eichel rufspiel-gras rufspiel-schellen geier wenz") | SOLOS | TOUTS,
     "he says at once what he plays"),
    ("S3: later", STARGAMES, MODEL, "pass", 1,
     words("pass rufspiel-gras rufspiel-schellen geier wenz") | SOLOS | TOUTS,
     "everybody bids freely"),
    ("S3: above", STARGAMES, MODEL, "rufspiel-gras pass", 2,
     words("pass geier wenz") | SOLOS | TOUTS, "a second Rufspiel ranks no higher"),
    ("D11", STARGAMES, MODEL, "wenz pass", 2, {"pass"} | SOLOS | TOUTS, "nor does a second Wenz"),
    ("S3: Tout", STARGAMES, MODEL, "solo-tout-herz", 1, {"pass"}, "nothing beats a Solo-Tout"),
    ("S1: first", TUTORIAL, MODEL, "", 0, {"pass", "bid"}, "who wants to play says so"),
    ("S1: next", TUTORIAL, MODEL, "pass", 1, {"pass", "bid"}, "as long as nobody does"),
    ("D14", TUTORIAL, MODEL, "pass bid", 1, words("rufspiel-gras rufspiel-schellen"),
     "the others aren't asked, and who can call must call"),
    ("D14: blocked", TUTORIAL, ("", BLOCKED), "pass bid", 1, {"wenz"} | SOLOS,
     "who can call no ace plays alone"),
    ("D14: play", TUTORIAL, MODEL, "pass bid rufspiel-gras", 0,
     words("GO HO HU HA H8 G9 E9 S9"), "forehand leads"),
    ("steps: first", SCHOOL, MODEL, "", 0, {"pass", "bid"}, "everybody is asked whether he plays"),
    ("steps: last", SCHOOL, MODEL, "bid bid bid", 3, {"pass", "bid"}, "whoever spoke before"),
    ("D16", SCHOOL, MODEL, "bid pass bid pass", 0, {"cede", "bid-rufspiel"} | KINDS,
     "kinds alone: no ace, no suit"),
    ("D16: second", SCHOOL, MODEL, "bid pass bid pass bid-rufspiel", 2, {"cede"} | KINDS,
     "he needs a higher kind, and may not call"),
    ("D16: hold", SCHOOL, MODEL, "bid pass bid pass bid-rufspiel bid-wenz", 0,
     {"cede", "bid-wenz"} | ABOVE_WENZ, "the earlier one keeps it with an equal kind"),
    ("steps: held", SCHOOL, MODEL, "bid pass bid pass bid-rufspiel bid-wenz bid-wenz", 2,
     {"cede"} | ABOVE_WENZ, "the later one needs a higher one again"),
    ("steps: raised", SCHOOL, MODEL, "bid pass bid pass bid-rufspiel bid-wenz bid-solo", 2,
     {"cede"} | ABOVE_SOLO, "the earlier one may also go higher"),
    ("steps: raised again", SCHOOL, MODEL,
     "bid pass bid pass bid-rufspiel bid-wenz bid-wenz bid-solo", 0,
     {"cede", "bid-solo"} | ABOVE_SOLO, "so it goes on until one cedes"),
    ("D16: game", SCHOOL, MODEL, "bid pass bid pass bid-rufspiel bid-wenz cede", 2, {"wenz"},
     "who is left names his game"),
    ("steps: suit", SCHOOL, MODEL, "bid pass bid pass bid-rufspiel bid-solo cede", 2, SOLOS,
     "and now its suit"),
    ("steps: ace", SCHOOL, MODEL, "bid pass bid pass bid-rufspiel cede", 0,
     words("rufspiel-eichel rufspiel-gras rufspiel-schellen"), "or its ace"),
    ("steps: third", SCHOOL, MODEL, "bid bid bid pass bid-rufspiel bid-wenz cede", 2,
     {"cede"} | ABOVE_WENZ, "the next bidder challenges who is ahead"),
    ("steps: third, first ahead", SCHOOL, MODEL, "bid bid bid pass bid-rufspiel cede", 2,
     {"cede"} | KINDS, "whoever that is"),
    ("steps: must", SCHOOL, MODEL, "bid bid pass pass cede", 1, KINDS,
     "the last one must play, and may not call"),
    ("steps: third must", SCHOOL, MODEL, "bid bid bid pass cede cede", 2, KINDS, "so must he"),
    ("steps: alone", SCHOOL, MODEL, "bid pass pass pass", 0, {"bid-rufspiel"} | KINDS,
     "the only one can't cede"),
    ("steps: top", SCHOOL, MODEL, "bid bid pass pass bid-solo-tout", 1, {"cede"},
     "nothing beats it without the cards of a Sie"),
    ("steps: Sie", SCHOOL, ("", TOPS), "bid bid pass pass bid-solo-tout", 1, {"cede", "bid-sie"},
     "with them he bids it"),
    ("steps: blocked", SCHOOL, (BLOCKED,), "bid pass pass pass", 0, KINDS,
     "a Rufspiel isn't bid by who can't call"),
    ("steps: no raise", NO_RAISE, MODEL, "bid pass bid pass bid-rufspiel bid-wenz", 2, {"wenz"},
     "house rule: who is outbid is out"),
    ("steps: no raise, third", NO_RAISE, MODEL, "bid bid bid pass bid-rufspiel bid-wenz", 2,
     {"cede"} | ABOVE_WENZ, "the next bidder is asked at once"),
    ("steps: later calls", LATER_CALLS, MODEL, "bid bid pass pass bid-wenz", 1,
     words("cede bid-rufspiel bid-solo"), "house rule: anybody may call"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "hands", "said", "seat", "may", "because"),
    [row[1:] for row in ASKED],
    ids=[row[0] for row in ASKED],
)
def test_asked(rules, hands, said, seat, may, because):
    deal = say(new_deal(rules, dealt(*hands), 0), said)
    assert deal.turn == seat
    assert names(legal(deal)) == may, because


FOUND = [
    # case, rules, forehand, said, declarer, game
    ("D10", STARGAMES, 0, "rufspiel-gras pass geier wenz", 3, "wenz", "the highest bid plays"),
    ("D11", STARGAMES, 0, "wenz pass pass pass", 0, "wenz", "the earlier seat keeps it"),
    ("D12", STARGAMES, 0, "solo-herz geier-tout pass pass", 1, "geier-tout",
     "any Tout beats any plain game"),
    ("S3: last seat", STARGAMES, 2, "pass pass pass rufspiel-schellen", 1, "rufspiel-schellen",
     "the round begins with forehand"),
    ("D14", TUTORIAL, 0, "pass bid rufspiel-gras", 1, "rufspiel-gras", "the first plays"),
    ("S1: last", TUTORIAL, 3, "pass pass pass bid rufspiel-eichel", 2, "rufspiel-eichel",
     "seats go round"),
    ("D16: cedes", SCHOOL, 0, "bid pass bid pass bid-rufspiel bid-wenz cede wenz", 2, "wenz",
     "the first left it to him"),
    ("D16: raises", SCHOOL, 0,
     "bid pass bid pass bid-rufspiel bid-wenz bid-solo cede solo-gras", 0, "solo-gras",
     "the first went higher"),
    ("steps: hold", SCHOOL, 0, "bid pass bid pass bid-rufspiel bid-wenz bid-wenz cede wenz", 0,
     "wenz", "an equal kind stays with the earlier seat"),
    ("steps: first cedes", SCHOOL, 0, "bid bid pass pass cede bid-wenz wenz", 1, "wenz",
     "a bidder may cede before anything is bid"),
    ("steps: two duels", SCHOOL, 1,
     "bid bid bid pass bid-rufspiel bid-wenz bid-wenz cede bid-solo cede solo-herz", 3,
     "solo-herz", "the winner of the first meets the third"),
    ("steps: Rufspiel", SCHOOL, 0, "bid bid bid pass bid-rufspiel cede cede rufspiel-eichel", 0,
     "rufspiel-eichel", "nobody went higher"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "forehand", "said", "declarer", "game", "because"),
    [row[1:] for row in FOUND],
    ids=[row[0] for row in FOUND],
)
def test_found(rules, forehand, said, declarer, game, because):
    deal = say(new_deal(rules, dealt(*MODEL), forehand), said)
    assert (deal.declarer, deal.game.key) == (declarer, game), because
    assert deal.turn == forehand, "forehand leads, whoever plays"
    assert len(deal.auction) == 2 * len(said.split()), "all that was said can be read"


PASSED = [("D13", STARGAMES), ("D01, School", SCHOOL)]


@pytest.mark.parametrize("rules", [row[1] for row in PASSED], ids=[row[0] for row in PASSED])
def test_all_pass(rules):
    deal = say(new_deal(rules, dealt(*MODEL), 1), "pass pass pass pass")
    assert deal.finished
    assert settle(deal).payoff == (0, 0, 0, 0)


def test_sauspiel_throws_together_only_where_it_is_told_to():
    thrown = changed(SAUSPIEL, {"auction.pass_out": "next_deal", "klopfen": False})
    deal = say(new_deal(thrown, dealt(*MODEL), 1), "pass pass pass pass")
    assert deal.finished

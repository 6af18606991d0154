"""Doubling: who is asked, when, in which order, and what he may answer."""

import pytest

from engine.action_ids import NO_STOSS, STOSS
from engine.errors import IllegalActionError
from engine.rules import new_deal, play
from engine.scoring import settle
from tests.engine.support import DEUTSCHER, MODEL, PRO, changed, dealt, ended, in_play, names, say

S3 = changed(PRO, {"stoss.closes_before_card": 2, "stoss.steps": 2, "stoss.reply_by": "declarer"})
ONE = changed(PRO, {"stoss.steps": 1})
OWN = changed(PRO, {"stoss.own_card_only": True, "stoss.steps": 2})
OWN_EARLY = changed(OWN, {"stoss.closes_before_card": 2})
PAIRS = changed(DEUTSCHER, {"stoss.steps": 2, "leader": "forehand"})
TAKEOVER = changed(PRO, {"stoss.takeover": True})

CALL = "bid pass pass pass rufspiel-gras"
"""Seat 0 plays with seat 3, who holds the ace; seats 1 and 2 are the opponents."""
SOLO = "pass bid pass pass solo-herz"
"""Seat 1 plays alone."""
COUNTED = "report-herz pass pass pass"
"""In other hands seat 0 plays with seat 2."""
COUNTED_HANDS = (
    "EU GU H7 H8 HK E8 G8 S8",
    "H9 HX E7 EX GX GA S7 SX",
    "HU HO E9 EO G7 G9 SK S9",
    "SU HA EA EK GK GO SA SO",
)
POLL, ONE_ANSWER, CARD, CARD_OR_STOSS = "poll", "one answer", "card", "card or stoss"


def kind(deal):
    """Say what sort of question the asked seat got."""
    if deal.finished:
        return "finished"
    if NO_STOSS in deal.legal:
        assert set(deal.legal) <= {NO_STOSS, STOSS}
        return POLL if STOSS in deal.legal else ONE_ANSWER
    return CARD_OR_STOSS if STOSS in deal.legal else CARD


ASKED = [
    # case, rules, said, who is asked, what
    ("own turn", PRO, CALL, 0, CARD, "the declarer can't double himself"),
    ("own turn, opponent", PRO, f"{CALL} H8", 1, CARD_OR_STOSS, "an opponent, with his card"),
    ("F01", PRO, f"{CALL} H8 H9 HX no_stoss", 1, POLL, "he has played, three cards lie"),
    ("poll starts", PRO, f"{CALL} H8 H9 HX", 3, ONE_ANSWER, "with the seat that comes next"),
    ("F05", PRO, f"{CALL} H8 H9 HX", 3, ONE_ANSWER, "the partner is asked for the look of it"),
    ("poll goes on", PRO, f"{CALL} H8 H9 HX no_stoss no_stoss", 2, POLL, "clockwise"),
    ("poll ends", PRO, f"{CALL} H8 H9 HX no_stoss no_stoss no_stoss", 3, CARD,
     "without the declarer; then the fourth card"),
    ("F02", PRO, f"{CALL} H8 H9 HX no_stoss no_stoss no_stoss H7", 2, CARD,
     "four cards lie: closed"),
    ("F02, opponent", PRO, f"{CALL} H8 H9 HX no_stoss no_stoss no_stoss EO G8 G9", 1, CARD,
     "closed for good"),
    ("F09", PRO, f"{CALL} H8 H9 HX no_stoss stoss", 2, ONE_ANSWER,
     "the reply comes before the fourth card"),
    ("F09, partner", PRO, f"{CALL} H8 H9 HX no_stoss stoss no_stoss", 3, POLL, "and from both"),
    ("F09, declarer", PRO, f"{CALL} H8 H9 HX no_stoss stoss no_stoss no_stoss", 0, POLL,
     "clockwise from who doubled"),
    ("F09, over", PRO, f"{CALL} H8 H9 HX no_stoss stoss no_stoss no_stoss no_stoss", 3,
     CARD_OR_STOSS, "nobody replied; at his own turn the partner still may"),
    ("F08", PRO, f"{CALL} H8 stoss", 2, ONE_ANSWER, "the next step belongs to the other side"),
    ("F08, card", PRO, f"{CALL} H8 stoss no_stoss no_stoss no_stoss", 1, CARD,
     "who doubled plays now"),
    ("F08, later", PRO, f"{CALL} H8 stoss no_stoss no_stoss no_stoss H9", 2, CARD,
     "his fellow can't double again"),
    ("no second poll", PRO, f"{CALL} H8 stoss no_stoss no_stoss no_stoss H9 HX", 3,
     CARD_OR_STOSS, "after a Stoß there is no poll, only the reply at one's own turn"),
    ("F06", PRO, f"{CALL} H8 stoss no_stoss", 3, POLL, "the secret partner may reply"),
    ("F06, Supra", PRO, f"{CALL} H8 stoss no_stoss stoss", 0, ONE_ANSWER,
     "all others are asked, as if nobody knew the sides"),
    ("F06, Supra goes on", PRO, f"{CALL} H8 stoss no_stoss stoss no_stoss", 1, POLL, ""),
    ("F07", PRO, f"{CALL} H8 stoss no_stoss stoss no_stoss stoss no_stoss stoss", 1, CARD,
     "a fifth step isn't offered"),
    ("F06, S3", S3, f"{CALL} H8 stoss", 0, POLL, "house rule: only the declarer replies"),
    ("F06, S3 over", S3, f"{CALL} H8 stoss no_stoss", 1, CARD, "nobody else is asked"),
    ("F03", S3, f"{CALL} H8", 1, POLL, "one card lies: the poll before the second"),
    ("F03, order", S3, f"{CALL} H8 no_stoss no_stoss", 3, ONE_ANSWER, "also who has no right"),
    ("F03, closed", S3, f"{CALL} H8 no_stoss no_stoss no_stoss H9", 2, CARD, "two cards lie"),
    ("one step", ONE, f"{CALL} H8 stoss", 1, CARD, "no reply where there is one step"),
    ("one step, later", ONE, f"{CALL} H8 stoss H9", 2, CARD, "nor at one's own turn"),
    ("solo", PRO, SOLO, 0, CARD_OR_STOSS, "all others are opponents"),
    ("solo, reply", PRO, f"{SOLO} stoss", 1, POLL, "the sides are known: only he is asked"),
    ("solo, Supra", PRO, f"{SOLO} stoss stoss", 2, POLL, "clockwise from the declarer"),
    ("solo, Supra 2", PRO, f"{SOLO} stoss stoss no_stoss", 3, POLL, "every opponent"),
    ("solo, over", PRO, f"{SOLO} stoss stoss no_stoss no_stoss no_stoss", 0, CARD_OR_STOSS,
     "at his own turn he still may"),
    ("solo, poll", PRO, f"{SOLO} H8 H9 HX", 3, POLL, "three opponents, from the next seat"),
    ("solo, poll 2", PRO, f"{SOLO} H8 H9 HX no_stoss", 0, POLL, ""),
    ("solo, poll 3", PRO, f"{SOLO} H8 H9 HX no_stoss no_stoss", 2, POLL, "not the declarer"),
    ("solo, poll over", PRO, f"{SOLO} H8 H9 HX no_stoss no_stoss no_stoss", 3, CARD_OR_STOSS, ""),
    ("F04", OWN, f"{SOLO} H8 H9 HX", 3, CARD_OR_STOSS, "he still holds all his cards"),
    ("F04: who has played", OWN, f"{SOLO} H8 H9 HX H7", 2, CARD, "there was no poll for others"),
    ("F04: partner", OWN, f"{CALL} H8 H9 HX", 3, CARD, "he has no right, and no poll hides it"),
    ("F04: reply", OWN, f"{SOLO} H8 H9 HX stoss", 1, POLL, "he may reply after his own card"),
    ("F04: and then", OWN, f"{SOLO} H8 H9 HX stoss stoss", 3, CARD, "two steps, then the card"),
    ("F04: early", OWN_EARLY, f"{SOLO} H8 H9", 2, CARD, "the window may close before that"),
    ("pairs", PAIRS, f"{COUNTED} H8", 1, CARD_OR_STOSS, "who sits beside may double"),
    ("pairs, partner", PAIRS, f"{COUNTED} H8 H9", 2, CARD, "who sits opposite may not"),
    ("pairs, reply", PAIRS, f"{COUNTED} H8 stoss", 2, POLL, "but he may reply"),
    ("pairs, reply 2", PAIRS, f"{COUNTED} H8 stoss no_stoss", 0, POLL, "as the declarer may"),
    ("pairs, over", PAIRS, f"{COUNTED} H8 stoss no_stoss no_stoss", 1, CARD, "all were asked"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "said", "seat", "question", "because"),
    [row[1:] for row in ASKED],
    ids=[row[0] for row in ASKED],
)
def test_asked(rules, said, seat, question, because):
    hands = COUNTED_HANDS if rules is PAIRS else MODEL
    deal = say(new_deal(rules, dealt(*hands), 0), said)
    assert (deal.turn, kind(deal)) == (seat, question), because


REFUSED = [
    ("F02", PRO, f"{CALL} H8 H9 HX no_stoss no_stoss no_stoss EO G8 G9"),
    ("F03", S3, f"{CALL} H8 no_stoss no_stoss no_stoss H9"),
    ("F05", PRO, f"{CALL} H8 H9 HX"),
    ("F08", PRO, f"{CALL} H8 stoss"),
    ("F04", OWN, f"{SOLO} H8 H9 HX H7"),
    ("F04: partner", OWN, f"{CALL} H8 H9 HX"),
    ("declarer", PRO, CALL),
]


@pytest.mark.parametrize(
    ("rules", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refused(rules, said):
    deal = say(new_deal(rules, dealt(*MODEL), 0), said)
    with pytest.raises(IllegalActionError):
        play(deal, STOSS)


def test_four_steps_are_worth_sixteen_times():
    """F07: the sides alternate, and each step doubles."""
    said = f"{CALL} H8 stoss no_stoss stoss no_stoss stoss no_stoss stoss"
    deal = say(new_deal(PRO, dealt(*MODEL), 0), said)
    assert list(deal.stoss) == [1, 3, 1, 3]
    plain = say(new_deal(PRO, dealt(*MODEL), 0), f"{CALL} H8")
    for each in (deal, plain):
        while not each.finished:
            play(each, next(a for a in each.legal if a != STOSS))
    assert plain.plays == deal.plays
    assert settle(deal).payoff == tuple(16 * paid for paid in settle(plain).payoff)


def test_takeover():
    """F10: 60 to 60 after a Stoß is lost by who must win it."""
    game, hands = "solo-herz", dealt("EO", "GO")
    assert settle(ended(PRO, game, hands, 60, 4, (1,))).won is False
    assert settle(ended(TAKEOVER, game, hands, 60, 4, (1,))).won is True
    assert settle(ended(TAKEOVER, game, hands, 59, 4, (1,))).won is False
    assert settle(ended(TAKEOVER, game, hands, 60, 4, (1, 0))).won is False, "Re takes it back"
    assert settle(ended(TAKEOVER, game, hands, 60, 4)).won is False, "without Stoß nothing changes"


FORCED = {
    "auction.pass_out": "must_play",
    "thresholds.forced_with_few_trumps": 3,
    "stoss.takeover": True,
}


@pytest.mark.parametrize(
    ("switches", "made", "doubled", "won", "because"),
    [
        (FORCED, 60, (), True, "who is forced with few trumps needs no more than 60"),
        (FORCED, 60, (1,), True, "the opponents' Stoß asks a majority of them"),
        (FORCED, 59, (1,), False, "which they have"),
        (FORCED, 60, (1, 0), False, "who doubles himself gives up the help"),
        (FORCED, 61, (1, 0), True, "he has the majority that he claimed"),
        ({"stoss.takeover": True, "thresholds.win": 60}, 60, (), True, "60 are enough"),
        ({"stoss.takeover": True, "thresholds.win": 60}, 60, (1,), True, "and with a Stoß too"),
        ({"stoss.takeover": True, "thresholds.win": 60}, 59, (1,), False, "one less isn't"),
        ({"stoss.takeover": True, "thresholds.win": 60}, 60, (1, 0), False, "Re needs 61"),
    ],
)
def test_takeover_asks_whoever_doubled_last_for_the_majority(switches, made, doubled, won, because):
    """Dossier section 4: the last side to double needs 61, whatever else would do."""
    rules = changed(PRO, switches)
    deal = ended(
        rules, "solo-gras", dealt("EO SO G7 EA EX HA HX SA"), made, 4, doubled, forced=True
    )
    assert settle(deal).won is won, because


def test_forced_cards_are_asked_except_in_the_last_trick():
    """Asking nobody who has no choice would tell what he holds."""
    deal = in_play(PRO, "solo-herz", dealt(*MODEL))
    asked_cards = 0
    while not deal.finished:
        asked_cards += NO_STOSS not in deal.legal
        play(deal, next(a for a in deal.legal if a != STOSS))
    assert asked_cards == 28
    assert len(deal.plays) == 32


def test_a_single_card_is_a_question_too():
    deal = say(new_deal(PRO, dealt(*MODEL), 0), f"{CALL} G9 G7 SU")
    say(deal, "no_stoss no_stoss no_stoss")
    assert names(deal.legal) == {"GA"}


def test_the_basic_variant_never_asks():
    rules = changed(PRO, {"stoss.steps": 0})
    deal = in_play(rules, "solo-herz", dealt(*MODEL))
    while not deal.finished:
        assert kind(deal) == CARD
        play(deal, deal.legal[0])

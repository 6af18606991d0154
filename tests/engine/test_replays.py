"""Whole deals with known results, read where they lie: beside the records of real games."""

import json

import pytest

from engine.action_ids import KLOPFEN, NO_KLOPFEN, play_of
from engine.cards import mask_of, parse_card
from engine.rules import new_deal, play
from engine.scoring import laufende_row, settle
from tests.engine.chance import announce
from tests.engine.support import shipped
from tests.records import first_halves, folder

CASES = folder().parent / "rules" / "cases.json"
pytestmark = pytest.mark.skipif(
    not CASES.is_file(),
    reason=f"{CASES} is missing; SCHAFKOPF_RECORDS names the folder beside the cases' own",
)
LETTERS = {"E": "eichel", "G": "gras", "H": "herz", "S": "schellen"}
DEALS = ("R1", "R2", "R3", "R4", "R5")


def key_of(text):
    """Read `Ruf on GA`, `Farbwenz G` or `Wenz-Tout`."""
    kind, *rest = text.replace(" on ", " ").split()
    family = "rufspiel" if kind == "Ruf" else kind.lower()
    return "-".join([family, *(LETTERS[word[0]] for word in rest)])


@pytest.mark.parametrize("case", DEALS)
def test_a_whole_deal_ends_as_it_did(case):
    replays = json.loads(CASES.read_text(encoding="utf-8"))["replays"]
    known = next(replay for replay in replays if replay["id"] == case)
    rules = shipped("sauspiel-kurz" if known["short"] else "sauspiel")
    a, b, c, d = (mask_of(map(parse_card, hand)) for hand in known["hands"])
    hands = (a, b, c, d)
    deal = new_deal(rules, hands, 0, first_halves(hands))
    for seat in range(4):
        play(deal, KLOPFEN if seat in known["klopfer"] else NO_KLOPFEN)
    announce(deal, key_of(known["game"]), known["declarer"])
    for leader, cards in known["tricks"]:
        if not deal.finished:
            assert deal.turn == leader
        for card in cards[: 4 * (not deal.finished)]:
            play(deal, play_of(parse_card(card)))
    laid = [[p >> 5, p & 31] for p in deal.plays]
    told = [
        ((s + n) & 3, parse_card(c)) for s, cards in known["tricks"] for n, c in enumerate(cards)
    ]
    assert laid == [list(play) for play in told]
    deal.stoss = bytearray(map(int, known["stoss"]))
    end = settle(deal)
    side_cards = 0
    for seat in end.side:
        side_cards |= hands[seat]
    assert sum(deal.points[seat] for seat in end.side) == known["points"]
    assert sum(deal.tricks[seat] for seat in end.side) == known["tricks_won"]
    assert laufende_row(deal.game, rules, side_cards) == known["laufende"]
    assert list(end.payoff) == known["payout"]


def test_all_deals_are_told():
    replays = json.loads(CASES.read_text(encoding="utf-8"))["replays"]
    assert tuple(replay["id"] for replay in replays) == DEALS

"""Journal lines for people: what a deal was played by and what became of it."""

import msgspec
import pytest

from arena.log_text import text
from arena.records import CarriedLine, Result
from tests.arena.journals import all_lines, header

HEADER = header(bots=1, deals=4, rules="sauspiel")
LINE = all_lines(HEADER)[0]
replace = msgspec.structs.replace
GAME = Result("wenz", 2, (2,), (10, 20, 70, 20), (1, 1, 5, 1), True, False, False, 2, 3)

SHOWN = [
    ({"klopfen": (1, 3)}, "  klopfen 1 3", "who doubled before the auction"),
    ({"stoss": (0, 2)}, "  stoss   0 2", "and in the first trick"),
    ({"carried": CarriedLine(0, 0, (0, 0), (0, 0))}, "  carried nothing", "a session's first deal"),
    ({"carried": CarriedLine(80, 0, (0, 0), (0, 0))}, "  carried Stock 80", "money"),
    (
        {"carried": CarriedLine(0, 2, (0, 0), (0, 0))},
        "  carried 2 doubled deals of a Bock round",
        "a Bock round",
    ),
    (
        {"carried": CarriedLine(0, 0, (3, 0), (0, 1))},
        "  carried strokes 3:0, Schafköpfe 0:1",
        "a count",
    ),
    (
        {"result": GAME},
        "  wenz by 2: won with 70 Augen of 10 20 70 20, Laufende 2, doubled 3 times",
        "a game",
    ),
    (
        {"result": replace(GAME, side=(0, 2), won=False)},
        "  wenz by 2 with 0: lost with 80 Augen of 10 20 70 20, Laufende 2, doubled 3 times",
        "a game of two",
    ),
    (
        {"result": replace(GAME, game="ramsch", declarer=None, won=None, laufende=0)},
        "  ramsch: Augen 10 20 70 20, Laufende 0, doubled 3 times",
        "a game without a declarer",
    ),
    ({"result": replace(GAME, game=None)}, "  passed out", "no game"),
]


@pytest.mark.parametrize(("changes", "row", "because"), SHOWN, ids=[row[2] for row in SHOWN])
def test_a_deal(changes: dict[str, object], row: str, because: str) -> None:
    assert row in text(replace(LINE, **changes), HEADER).splitlines(), because


@pytest.mark.parametrize("what", ["carried", "klopfen", "stoss"])
def test_what_is_not_there_has_no_row(what: str) -> None:
    bare = replace(LINE, carried=None, klopfen=(), stoss=())
    assert what not in text(bare, HEADER)


def test_hands_stand_below_each_other() -> None:
    rows = text(replace(LINE, payoff=(13440, -4480, -4480, -4480)), HEADER).splitlines()
    hands = [(row, hand) for row in rows for hand in LINE.hands if hand in row]
    assert len({row.index(hand) for row, hand in hands}) == 1
    assert len(hands) == 4

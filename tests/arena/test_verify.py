"""A journal is believed only as far as it replays."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import verify as verification
from arena.errors import OperatorError
from arena.records import CarriedLine, DealLine, FaultLine, IncidentLine, Key, Line
from arena.verify import Findings, Status
from tests.arena.journals import (
    RULES,
    TIME,
    all_lines,
    footer,
    forge,
    header,
    sessions,
    write,
)

HEADER = header()
LINES = all_lines(HEADER)
replace = msgspec.structs.replace


def verify(path: Path) -> Findings:
    return verification.verify(path, lambda done, size: None)


@pytest.mark.parametrize("rules", sorted(RULES))
@pytest.mark.parametrize("bots", [1, 2, 3, 5])
def test_an_honest_league_is_complete(tmp_path: Path, bots: int, rules: str) -> None:
    first = header(bots=bots, deals=4, rules=rules, session_deals=2)
    lines = all_lines(first)
    last_first = [line for each in reversed(list(sessions(first, lines))) for line in each]
    write(tmp_path, [first, *last_first, footer(len(lines))])
    findings = verify(tmp_path)
    assert findings.contradictions == ()
    assert findings.status is Status.COMPLETE
    assert findings.remarks == ()
    assert findings.deals == findings.expected_deals == len(lines)


def test_progress_ends_at_the_end(tmp_path: Path) -> None:
    file = write(tmp_path, [HEADER, *LINES])
    told: list[tuple[int, int]] = []
    verification.verify(file, lambda done, size: told.append((done, size)))
    assert told[-1] == (file.stat().st_size, file.stat().st_size)


def test_an_unfinished_league_says_what_cannot_be_checked_yet(tmp_path: Path) -> None:
    incident = IncidentLine(time=TIME, incident="resumed", detail="")
    write(tmp_path, [HEADER, *LINES[:2], incident, *LINES[2:5]])
    findings = verify(tmp_path)
    assert findings.status is Status.UNFINISHED
    assert findings.contradictions == ()
    assert any("secret" in remark for remark in findings.remarks)
    assert (findings.deals, findings.expected_deals) == (5, len(LINES))


def test_missing_deals_are_said_and_no_lie(tmp_path: Path) -> None:
    write(tmp_path, [HEADER, *LINES[1:], footer(len(LINES) - 1, (LINES[0].key,))])
    findings = verify(tmp_path)
    assert findings.status is Status.COMPLETE
    assert any("1 deals could not be played" in remark for remark in findings.remarks)


def test_a_torn_tail_is_unfinished_and_mentioned(tmp_path: Path) -> None:
    file = write(tmp_path, [HEADER, *LINES[:3]])
    whole = file.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for cut in range(last, len(whole), 17):
        file.write_bytes(whole[:cut])
        findings = verify(tmp_path)
        assert findings.status is Status.UNFINISHED
        assert any("line 4 is torn" in remark for remark in findings.remarks) == (cut > last)


def test_no_journal_is_the_operators_to_mend(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="no journal"):
        verify(tmp_path)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A complete journal of one bot against itself."""
    first = header(bots=1, deals=2)
    lines = all_lines(first)
    incident = IncidentLine(time=TIME, incident="resumed", detail="")
    folder = tmp_path_factory.mktemp("small")
    return write(folder, [first, incident, *lines, footer(len(lines))]).read_bytes()


def found(folder: Path, content: bytes) -> bool:
    (folder / "journal.jsonl").write_bytes(content)
    try:
        return verify(folder).status is not Status.COMPLETE
    except OperatorError as error:
        return "format" in str(error)  # the byte that says which one it is


def test_any_changed_byte_is_found(tmp_path: Path, small: bytes) -> None:
    assert not found(tmp_path, small)
    for at in range(0, len(small), 3):  # all of them take half a minute
        changed = bytearray(small)
        changed[at] ^= 1 << at % 7
        assert found(tmp_path, bytes(changed)), f"byte {at}"


@settings(max_examples=200)
@given(data=st.data())
def test_any_bytes_lost_or_added_are_found(
    tmp_path_factory: pytest.TempPathFactory, small: bytes, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(small)))
    end = data.draw(st.integers(start, min(start + 3000, len(small))))
    changed = small[:start] + data.draw(st.binary(max_size=20)) + small[end:]
    if changed != small:
        assert found(tmp_path_factory.mktemp("changed"), changed)


LINE = LINES[0]
OTHER = next(line for line in LINES if line.key.deal == 1)
SWAPPED_HANDS = (LINE.hands[1], LINE.hands[0], *LINE.hands[2:])
WORDS = LINE.actions.split()
CHANGES: list[tuple[dict[str, Any], str, str]] = [
    ({"seats": (1, 0, 1, 0)}, "seats are", "another bot gets the money"),
    ({"forehand": 1}, "forehand is 1", "somebody else opens"),
    ({"forehand": 9}, "$.forehand", "no seat at all"),
    ({"hands": OTHER.hands}, "the secret deals", "another deal's cards"),
    ({"hands": SWAPPED_HANDS}, "hand of seat 0", "the cards of the neighbour"),
    ({"hands": (LINE.hands[0], *[LINE.hands[1]] * 3)}, "not the 32 cards", "cards twice"),
    ({"hands": ("EO EO", *LINE.hands[1:])}, "not the 32 cards", "cards lost"),
    ({"hands": ("XX", *LINE.hands[1:])}, "are not all cards", "no cards"),
    ({"auction": ()}, "auction is ()", "an auction left out"),
    ({"stoss": (1, 2)}, "stoss is (1, 2)", "a Stoß that nobody said"),
    ({"plays": LINE.plays[1:]}, "plays is", "a card left out"),
    ({"actions": "pass"}, "isn't over after its 1 actions", "a deal cut short"),
    ({"actions": LINE.actions + " EO"}, "after the end of the deal", "one card more"),
    ({"actions": "EO " + LINE.actions}, "(EO) of seat 0 is against the rules", "a card too early"),
    ({"actions": "jump"}, "'jump' is no action", "no action at all"),
    ({"actions": ""}, "isn't over", "nothing"),
    ({"asked": (99, *LINE.asked[1:])}, "asked 99 times", "questions that weren't put"),
    ({"asked": (0, *LINE.asked[1:])}, "asked 0 times", "as if it had been stood down"),
    ({"think_us": (-1, 0, 0, 0)}, "thought for -1", "a clock that ran back"),
    ({"cpu_us": (-1, 0, 0, 0)}, "cpu_us is (-1", "nobody gives CPU time back"),
    ({"cpu_us": (0,)}, "cpu_us is (0,)", "of one seat alone"),
    ({"times": ((0, 0, 0, 0),)}, "times of 1 decisions", "of one decision alone"),
    ({"faults": (FaultLine(0, 99, "late", ""),)}, "no decision 99", "a fault after the end"),
    ({"faults": (FaultLine(0, -1, "late", ""),)}, "no decision -1", "nor before the start"),
    ({"stood_down": (4,)}, "$.stood_down", "a fifth seat"),
    ({"stood_down": (1, 0)}, "no ascending list", "out of order"),
    ({"stood_down": (0,), "asked": (0, *LINE.asked[1:])}, "doesn't play like that", "not its play"),
    ({"result": replace(LINE.result, laufende=7)}, "result is", "one Laufender more"),
    ({"result": replace(LINE.result, points=(30, 30, 30, 30))}, "result is", "other Augen"),
    ({"payoff": (1000, 0, 0, -1000)}, "payoff is (1000", "money from nowhere"),
    ({"payoff": (1, 0, 0, 0)}, "doesn't sum to 0", "money made"),
    ({"first": ("EO", "GO", "HO", "SO")}, "first is", "a half that nobody was shown"),
    ({"klopfen": (1,)}, "klopfen is (1,)", "doubled by rules that know no Klopfen"),
    ({"carried": CarriedLine(8, 0, (0, 0), (0, 0))}, "carried is", "a Stock from nowhere"),
    ({"sent": ("00",) * 4}, "sent holds 4", "digests that the league doesn't record"),
    ({"times": ((0, 0, 0, 0),) * len(WORDS)}, "header says False", "times that nobody asked for"),
    ({"cpu_us": (1, 2, 3, 4)}, "isn't limited", "CPU time that nobody measured"),
    ({"thought_us": (1,) * sum(LINE.asked)}, "only digests and", "think times without reason"),
    ({"stood_down": (0,)}, "no incident before", "stood down out of the blue"),
    ({"thought_us": (1, 2)}, "thought_us holds", "think times of two decisions alone"),
    ({"key": Key(0, 1, 0, 0, 0)}, "no key (0, 1, 0, 0, 0)", "an arrangement of another slice"),
    ({"key": Key(0, 0, 0, 0, -1)}, "no key", "a deal before the first"),
    ({"key": Key(0, 0, 0, 1 << 70, 1 << 70)}, "no key", "a deal beyond all numbers"),
    ({"key": LINES[1].key}, "has this deal already", "another's key"),
]


@pytest.mark.parametrize(("change", "said", "because"), CHANGES, ids=[row[2] for row in CHANGES])
def test_a_forged_line_with_a_proper_chain_is_found(
    tmp_path: Path, change: dict[str, Any], said: str, because: str
) -> None:
    forged = replace(LINE, **change)
    file = forge(tmp_path / "journal.jsonl", [HEADER, forged, *LINES[1:], footer(len(LINES))])
    findings = verify(file)
    assert findings.status is Status.CONTRADICTED
    assert any(said in contradiction for contradiction in findings.contradictions), because
    assert all(c.startswith(f"{file}:") for c in findings.contradictions)


def test_all_fields_of_a_line_are_tried() -> None:
    tried = {name for change, _, _ in CHANGES for name in change}
    assert tried == set(DealLine.__struct_fields__) - {"chain"}


FRAMES: list[tuple[Callable[[], list[Line]], str, str]] = [
    (lambda: [HEADER, *LINES, *LINES[:1], footer(13)], ":14: the journal has", "a deal twice"),
    (lambda: [HEADER, *LINES[1:], footer(11)], "12 deals were planned, 11", "a deal left out"),
    (lambda: [HEADER, *LINES, footer(99)], "deals is 99", "a wrong count"),
    (
        lambda: [HEADER, *LINES, footer(12, (LINES[0].key,))],
        "can't be missing",
        "a deal that is there",
    ),
    (
        lambda: [HEADER, *LINES, footer(12, (Key(7, 0, 0, 0, 0),))],
        "can't be missing",
        "a deal that was never planned",
    ),
    (
        lambda: [HEADER, *LINES, replace(footer(12), secret="00" * 32)],
        ":14: the secret isn't the one",
        "another secret",
    ),
    (lambda: [HEADER, *LINES, replace(footer(12), secret="xx")], "secret isn't", "no secret"),
    (
        lambda: [replace(HEADER, commitment="00" * 32), *LINES, footer(12)],
        "secret isn't",
        "another commitment",
    ),
    (lambda: [HEADER, *LINES, footer(12), LINES[0]], ":15: nothing may follow", "after the end"),
    (lambda: [*LINES, footer(12)], ":1: a journal has one header", "no header"),
    (lambda: [HEADER, HEADER, *LINES, footer(12)], ":2: a journal has one header", "two"),
    (lambda: [replace(HEADER, rules={}), *LINES, footer(12)], ":1: rules: ", "no rules"),
    (
        lambda: [replace(HEADER, schedule=replace(HEADER.schedule, slice_deals=0)), footer(0)],
        "$.schedule.slice_deals",
        "a schedule that divides by nothing",
    ),
    (
        lambda: [replace(HEADER, schedule=replace(HEADER.schedule, session_deals=3)), footer(0)],
        "cuts a session",
        "a schedule that can't be",
    ),
    (
        lambda: [replace(HEADER, bots=HEADER.bots[:1]), *LINES, footer(12)],
        "a bot that isn't listed",
        "a bot too few",
    ),
]


@pytest.mark.parametrize(("lines", "said", "because"), FRAMES, ids=[row[2] for row in FRAMES])
def test_a_forged_league_with_a_proper_chain_is_found(
    tmp_path: Path, lines: Callable[[], list[Line]], said: str, because: str
) -> None:
    file = forge(tmp_path / "journal.jsonl", lines())
    findings = verify(file)
    assert findings.status is Status.CONTRADICTED
    assert any(said in contradiction for contradiction in findings.contradictions), because


def by_the_house(line: DealLine) -> list[int]:
    """The decisions that happen to be what the house would have done."""
    from arena.rulebook import load
    from arena.verify_deal import replay_line

    _, turns = replay_line(line, load("online-pro"))
    return [number for number, turn in enumerate(turns) if turn.action == turn.by_house]


def test_faults_must_be_the_house_and_the_seats_own(tmp_path: Path) -> None:
    house = by_the_house(LINE)
    other = next(n for n in range(len(WORDS)) if n not in house)
    seats = {n: seat for seat in range(4) for n in house if not faulty(tmp_path, [(seat, n)])}
    assert sorted(seats) == house, "each of these decisions is one seat's possible fault"
    assert any("isn't what the house" in text for text in faulty(tmp_path, [(0, other)]))
    first, second = house[:2]
    assert faulty(tmp_path, [(seats[first], first), (seats[second], second)]) == ()
    for order in ([second, first], [first, first]):
        said = faulty(tmp_path, [(seats[number], number) for number in order])
        assert any("not in the order" in text for text in said)


def faulty(folder: Path, faults: list[tuple[int, int]]) -> tuple[str, ...]:
    """What is said of a deal with these faults, each a seat and a decision."""
    lines = tuple(FaultLine(seat, number, "late", "") for seat, number in faults)
    forged = replace(LINE, faults=lines)
    return verify(forge(folder / "journal.jsonl", [HEADER, forged])).contradictions


def test_contradictions_are_listed_up_to_a_limit_and_all_counted(tmp_path: Path) -> None:
    first = header(bots=3, deals=20)
    lines = [replace(line, payoff=(3, 0, 0, -2)) for line in all_lines(first)]
    findings = verify(forge(tmp_path / "journal.jsonl", [first, *lines]))
    assert len(findings.contradictions) == verification.MOST_LISTED
    assert findings.contradiction_count >= 2 * len(lines) > verification.MOST_LISTED

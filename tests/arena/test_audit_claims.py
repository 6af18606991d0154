"""What a line says of faults, and a question of answers, is believed only as far as it can be."""

from pathlib import Path

import msgspec
import pytest

from arena.audit import AuditFindings, audit
from arena.audit_cards import Accountant
from arena.records import FaultLine, Header, Limits
from arena.reply import BANK_USED_UP, NO_STREAM
from engine.action_ids import BID, PASS
from engine.actions import NAMES, parse_action
from engine.cards import mask_of, parse_cards
from tests.arena.journals import all_lines, footer, header, write

replace = msgspec.structs.replace
HEADER = header()
LINE = all_lines(HEADER)[0]


def checked(folder: Path, first: Header, fault: FaultLine, think_us: int = 0) -> AuditFindings:
    """The audit of a journal with one deal, which has this fault."""
    line = replace(LINE, faults=(fault,), think_us=(think_us, 0, 0, 0))
    return audit(write(folder, [first, line, footer(1)]), lambda done, total: None)


NEVER_LEGAL = [number for number in range(256) if number not in NAMES]
NEVER_LEGAL += [parse_action(f"reported-{count}") for count in (5, 6, 7, 8)]
NEVER_LEGAL += [parse_action(game) for game in ("ramsch", "hochzeit")]


@pytest.mark.parametrize("number", NEVER_LEGAL)
def test_an_answer_that_is_never_legal_is_caught(number: int) -> None:
    hand = int(mask_of(parse_cards(LINE.hands[0])))
    honest = {"hand": hand, "legal": bytes((PASS, BID))}
    legal = bytes(sorted((PASS, BID, number)))
    assert not list(Accountant(LINE).check(0, honest))
    (problem,) = Accountant(LINE).check(0, {**honest, "legal": legal})
    assert problem == f"legal holds {number}, which is no answer"


def with_bank(**limits: int) -> Header:
    return replace(HEADER, limits=Limits(**limits))


UNSENT = [
    # limits, fault, detail, the seat's think time, decisions that nobody was asked for, why
    (with_bank(), "late", BANK_USED_UP, 9_000_000, 0, "no bank at all"),
    (with_bank(bank_ms=2000), "late", BANK_USED_UP, 1_999_000, 0, "a millisecond left"),
    (with_bank(bank_ms=2000), "late", BANK_USED_UP, 1_999_001, 1, "less than one left"),
    (with_bank(bank_ms=2000, increment_ms=1), "late", BANK_USED_UP, 9_000_000, 0, "never empty"),
    (with_bank(bank_ms=2000), "gone", NO_STREAM, 9_000_000, 0, "nobody is asked without one"),
    (with_bank(), "gone", NO_STREAM, 0, 0, "nor without a bank"),
]


@pytest.mark.parametrize(
    ("first", "fault", "detail", "think_us", "unsent", "because"),
    UNSENT,
    ids=[r[5] for r in UNSENT],
)
def test_who_says_that_nothing_was_sent_is_believed_for_a_reason(
    tmp_path: Path, first: Header, fault, detail: str, think_us: int, unsent: int, because: str
) -> None:
    found = checked(tmp_path, first, FaultLine(0, 0, fault, detail), think_us)
    assert found.finding_count == 1 - unsent, because
    assert all("decision 0: " in each for each in found.findings)
    assert found.counts.unsent == unsent
    assert found.counts.decisions == len(LINE.actions.split()) - unsent


def test_a_fault_that_tells_a_card_is_caught(tmp_path: Path) -> None:
    told = "EO is not among: pass bid"
    assert not checked(tmp_path / "clean", HEADER, FaultLine(0, 0, "illegal", told)).findings
    leaky = FaultLine(0, 0, "illegal", f"{told} G7")
    (finding,) = checked(tmp_path / "leaky", HEADER, leaky).findings
    assert "told of 'G7'" in finding

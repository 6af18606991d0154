"""What a session hands on from deal to deal is followed, and forging it is found."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena import verify as verification
from arena.records import DealLine, Header, Line
from arena.verify import Findings, Status
from engine.model import NOTHING_CARRIED, Carried
from engine.ruleset import rule_set
from tests.arena.journals import all_lines, footer, forge, header, played, sessions

HEADER = header(bots=1, deals=16, rules="with Stock", slice_deals=8, session_deals=8)
RULES = rule_set(HEADER.rules)
LINES = all_lines(HEADER)
FIRST, SECOND = sessions(HEADER, LINES)
AT = next(n for n, line in enumerate(FIRST) if line.carried is not None and line.carried.stock)
"""A deal that has a Stock to play for."""
replace = msgspec.structs.replace


def verify(path: Path) -> Findings:
    return verification.verify(path, lambda done, size: None)


def with_line(number: int, line: DealLine) -> list[DealLine]:
    return [*FIRST[:number], line, *FIRST[number + 1 :], *SECOND]


def from_carried(number: int, carried: Carried) -> DealLine:
    """The same deal played from another state: right in itself, payoff included."""
    line, _ = played(FIRST[number].key, FIRST[number].seats, RULES, carried)
    assert line.actions == FIRST[number].actions
    return line


def test_the_sessions_carry_something() -> None:
    carried = [line.carried for line in LINES if line.carried is not None]
    assert len(carried) == len(LINES)
    assert any(each.stock for each in carried)
    assert any(each.bock for each in carried)
    for session in (FIRST, SECOND):
        assert session[0].carried is not None
        assert (session[0].carried.stock, session[0].carried.bock) == (0, 0)


FORGED: list[tuple[Callable[[], list[DealLine]], str, str]] = [
    (
        lambda: with_line(AT, from_carried(AT, Carried(stock=4000))),
        "but the session left",
        "a bigger Stock, with a payoff to match",
    ),
    (
        lambda: with_line(AT, from_carried(AT, NOTHING_CARRIED)),
        "but the session left",
        "a Stock that is kept quiet",
    ),
    (
        lambda: with_line(0, from_carried(0, Carried(bock=2))),
        "but the session left",
        "a session that doesn't begin with nothing",
    ),
    (lambda: with_line(AT, replace(FIRST[AT], carried=None)), "carried is None", "nothing said"),
    (
        lambda: [*FIRST[:2], *SECOND, *FIRST[2:]],
        "isn't the deal before in the same session",
        "one session within another",
    ),
    (
        lambda: [FIRST[1], FIRST[0], *FIRST[2:], *SECOND],
        "isn't the deal before in the same session",
        "another order",
    ),
    (
        lambda: with_line(AT, replace(FIRST[AT], first=FIRST[AT - 1].first)),
        "are not 4 cards of each hand",
        "halves of another deal",
    ),
    (
        lambda: with_line(AT, replace(FIRST[AT], first=halves_of_the_rest(FIRST[AT]))),
        "the secret deals",
        "the other halves",
    ),
    (lambda: with_line(AT, replace(FIRST[AT], first=())), "are not 4 cards", "no halves"),
    (lambda: with_line(0, replace(FIRST[0], klopfen=(3, 3))), "klopfen is", "doubled twice"),
]


def halves_of_the_rest(line: DealLine) -> tuple[str, ...]:
    return tuple(
        " ".join(card for card in hand.split() if card not in half.split())
        for hand, half in zip(line.hands, line.first, strict=True)
    )


@pytest.mark.parametrize(("lines", "said", "because"), FORGED, ids=[row[2] for row in FORGED])
def test_a_forged_session_is_found(
    tmp_path: Path, lines: Callable[[], list[DealLine]], said: str, because: str
) -> None:
    content: list[Line] = [HEADER, *lines(), footer(len(LINES))]
    findings = verify(forge(tmp_path / "journal.jsonl", content))
    assert findings.status is Status.CONTRADICTED
    assert any(said in contradiction for contradiction in findings.contradictions), because


def test_the_honest_session_is_believed(tmp_path: Path) -> None:
    findings = verify(forge(tmp_path / "journal.jsonl", [HEADER, *LINES, footer(len(LINES))]))
    assert (findings.status, findings.contradictions) == (Status.COMPLETE, ())


SCHEDULES: list[tuple[Header, str, str]] = [
    (
        header(rules="with Stock"),
        "sessions have one deal",
        "a Stock that nobody can ever take",
    ),
    (
        replace(header(), schedule=replace(header().schedule, fixed_partners=True)),
        "fixed_partners isn't what the rules say",
        "partners that aren't",
    ),
    (
        replace(
            header(rules="deutscher"),
            schedule=replace(header(rules="deutscher").schedule, fixed_partners=False),
        ),
        "fixed_partners isn't what the rules say",
        "a league rated as if everybody played alone",
    ),
]


@pytest.mark.parametrize(("first", "said", "because"), SCHEDULES)
def test_a_schedule_against_the_rules_is_found(
    tmp_path: Path, first: Header, said: str, because: str
) -> None:
    findings = verify(forge(tmp_path / "journal.jsonl", [first]))
    assert any(said in contradiction for contradiction in findings.contradictions), because

"""Digests of what was really sent: recorded on demand, and evidence for an audit."""

from pathlib import Path

import msgspec
import pytest

from arena import journal_read, wire
from arena.audit import AuditFindings, audit
from arena.open_deal import OpenDeal, record_questions, seat_keys
from arena.records import DealLine, Recording
from arena.reply import BANK_USED_UP
from arena.verify_deal import opened
from engine.actions import parse_action
from engine.ruleset import rule_set
from engine.view import observe
from tests.arena.journals import SECRET, all_lines, footer, header, write
from tests.arena.runs import arena, bot, deals, faults, write_league

replace = msgspec.structs.replace
HEADER = header()
LINES = all_lines(HEADER)


def checked(path: Path) -> AuditFindings:
    return audit(path, lambda done, total: None)


def with_the_next_hand(open_deal: OpenDeal) -> wire.Question:
    deal = open_deal.deal
    both = deal.hands[deal.turn] | deal.hands[(deal.turn + 1) & 3]
    return replace(open_deal.question(), observation=observe(deal)._replace(hand=both))


def with_digests(line: DealLine, ask=OpenDeal.question) -> DealLine:
    """Play a line again as a seat does that records what it sends."""
    rules = rule_set(HEADER.rules)
    deal = opened(line, rules)
    open_deal = OpenDeal(line.key, deal, seat_keys(SECRET, shard_id(line)))
    for name in line.actions.split():
        record_questions([open_deal], wire.ask(9, 400, [ask(open_deal)]), 400)
        open_deal.take(parse_action(name), 0)
    return replace(line, sent=open_deal.conduct(()).sent)


def shard_id(line: DealLine) -> str:
    key, slice_deals = line.key, HEADER.schedule.slice_deals
    return (
        f"l{key.lineup}-a{key.arrangement}-s{key.seating}-d{key.deal // slice_deals * slice_deals}"
    )


RECORDED = replace(HEADER, recording=Recording(sent=True))
DIGESTED = [with_digests(line) for line in LINES]
REVEALING = with_digests(LINES[3], with_the_next_hand)
DIGESTS = [
    (DIGESTED, [], "as it was"),
    ([*DIGESTED[:3], REVEALING, *DIGESTED[4:]], ["something else"] * 4, "sent by a leaky view"),
    (
        [replace(DIGESTED[0], sent=("00" * 16, *DIGESTED[0].sent[1:])), *DIGESTED[1:]],
        ["seat 0 was sent something else"],
        "another digest",
    ),
    ([*DIGESTED[:2], LINES[2], *DIGESTED[3:]], ["digests of what was sent are missing"], "none"),
]


@pytest.mark.parametrize(("lines", "words", "because"), DIGESTS, ids=[row[2] for row in DIGESTS])
def test_digests_tell_what_was_really_sent(
    tmp_path: Path, lines: list[DealLine], words: list[str], because: str
) -> None:
    write(tmp_path, [RECORDED, *lines, footer(len(lines))])
    found = checked(tmp_path)
    assert [word for word, each in zip(words, found.findings, strict=True) if word in each] == words
    assert found.counts.digests >= 4 * (len(lines) - 1)
    assert not found.remarks


def test_a_league_records_what_it_sends(tmp_path: Path) -> None:
    """With bots that fail, are launched again and stood down; the digests hold all the same."""
    vices = ["0=crashes --at 5", "1=half --at 3", "2=closes --at 4", "3=crashes"]
    words = [word for vice in vices for word in ("--vice-of-seat", vice)]
    league = write_league(
        tmp_path / "league.toml",
        bots=[bot("bad", *words)],
        journal={"sent": True},
        limits={"strikes": 5},
        deals=12,
    )
    ran = arena("run", league, "--quiet")
    assert ran.returncode == 0, ran.stderr
    lines = deals(tmp_path / "league")
    assert {seat for seat, _ in faults(lines)} == {0, 1, 2, 3}
    assert any(line.stood_down for line in lines)
    found = checked(tmp_path / "league")
    assert (found.findings, found.remarks) == ((), ())
    assert found.counts.digests == 4 * len(lines)
    assert found.counts.reports > len(lines), "the bots hear of their faults and of endings"
    assert arena("log", "verify", league).returncode == 0


def test_what_a_time_bank_leaves_unasked_is_in_no_digest(tmp_path: Path) -> None:
    league = write_league(
        tmp_path / "league.toml",
        bots=[bot("slow", "--vice-of-seat", "1=slow", "--max-batch", 1)],
        journal={"sent": True},
        limits={"decision_ms": 1000, "bank_ms": 1500, "strikes": 1000},
        deals=2,
    )
    assert arena("run", league, "--quiet").returncode == 0
    details = [fault.detail for line in deals(tmp_path / "league") for fault in line.faults]
    assert BANK_USED_UP in details
    found = checked(tmp_path / "league")
    assert (found.findings, found.remarks) == ((), ())
    assert found.counts.digests == 8
    assert found.counts.unsent == details.count(BANK_USED_UP)
    assert found.counts.banks == found.counts.decisions
    assert found.not_covered == checked(tmp_path / "league").not_covered
    assert not any("earlier arena" in each for each in found.not_covered)


def test_digests_are_off_unless_asked_for(tmp_path: Path) -> None:
    league = write_league(tmp_path / "league.toml", bots=[bot("good")])
    assert arena("run", league, "--quiet").returncode == 0
    assert not journal_read.header(tmp_path / "league").recording.sent
    assert all(line.sent == () for line in deals(tmp_path / "league"))

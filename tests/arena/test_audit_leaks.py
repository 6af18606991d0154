"""An arena that tells a seat too much beside its questions is caught by its own digests."""

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena import wire
from arena.audit import AuditFindings, audit
from arena.clock import Bank
from arena.deal_line import deal_line
from arena.dealer import Dealer
from arena.open_deal import OpenDeal
from arena.playing import _report_end
from arena.records import DealLine, Header, Limits, Recording
from arena.schedule import Shard, shards
from arena.seat import Seat
from arena.session import Session
from arena.table import Table
from arena.v1.arena_pb2 import Ask, PlayResponse
from engine.ruleset import rule_set
from tests.arena.journals import SECRET, footer, header, write
from tests.arena.runs import arena
from tests.arena.sessions import MemorySession, answer, hello, now, seeded

replace = msgspec.structs.replace
USUAL = Limits(decision_ms=100, strikes=1000)
WITH_BANK = replace(USUAL, bank_ms=900, increment_ms=5)
SEATS = 4
"""Seats whose digests are compared."""


def checked(path: Path) -> AuditFindings:
    return audit(path, lambda done, total: None)


def now_and_then(spoil: Callable[[Ask, bytearray], bytes | None]) -> Callable[[Ask], bytes | None]:
    """A bot that fails at every third ask."""

    def choose(ask: Ask) -> bytes | None:
        actions = bytearray(each.legal[each.seed % len(each.legal)] for each in ask.decisions)
        return spoil(ask, actions) if ask.ask_id % 3 == 0 else answer(ask.ask_id, bytes(actions))

    return choose


def illegal(ask: Ask, actions: bytearray) -> bytes:
    """In several deals of one ask, where it has so many."""
    for number in range(0, len(actions), 2):
        actions[number] = 200
    return answer(ask.ask_id, bytes(actions))


BOTS = (
    seeded,
    now_and_then(illegal),
    now_and_then(lambda ask, actions: None),
    now_and_then(lambda ask, actions: answer(ask.ask_id, bytes(actions[:-1]))),
)


async def played(limits: Limits) -> tuple[Header, list[DealLine]]:
    """A league of which everything sent is recorded; the bots of three seats fail now and then."""
    first = header(bots=2, deals=6, slice_deals=6)
    first = replace(first, limits=limits, recording=Recording(sent=True))
    lines = [line for shard in shards(first.schedule) for line in await of_shard(first, shard)]
    return first, lines


async def of_shard(first: Header, shard: Shard) -> list[DealLine]:
    lines: list[DealLine] = []
    seats: list[Seat] = []
    for number, chooser in enumerate(BOTS):
        session = MemorySession(hello(max_batch=6, want_deal_ended=number != 0), chooser)

        async def start(session: MemorySession = session) -> Session:
            return session

        seats.append(Seat(number, start, first.limits, "{}", now))
        seats[-1].record_sent = True
        await seats[-1].start()
    dealer = Dealer(shard, rule_set(first.rules), SECRET, first.limits)

    def finished(ended: OpenDeal, stood_down: tuple[int, ...]) -> OpenDeal | None:
        conduct = ended.conduct(stood_down)
        line = deal_line(ended.key, shard.seats, ended.deal, bytes(ended.actions), conduct)
        lines.append(_report_end(ended, line, seats))
        return dealer.following(ended, lines[-1])

    numbers = range(shard.first_deal, shard.first_deal + shard.deals)
    await Table(seats, dealer.openings(numbers), finished, now=now).run()
    return sorted(lines, key=lambda line: line.key)


@pytest.mark.parametrize("limits", [USUAL, WITH_BANK], ids=["no bank", "bank"])
async def test_an_honest_arena_shows_nothing(tmp_path: Path, limits, autojump_clock) -> None:
    first, lines = await played(limits)
    write(tmp_path, [first, *lines, footer(len(lines))])
    found = checked(tmp_path)
    assert found.findings == ()
    assert {fault.fault for line in lines for fault in line.faults} == {
        "illegal",
        "late",
        "garbled",
    }
    assert found.counts.digests == SEATS * len(lines)
    assert found.counts.reports > 3 * len(lines), "endings, and faults besides"
    assert found.counts.banks == (found.counts.decisions if limits.bank_ms else 0)
    assert arena("log", "verify", tmp_path).returncode == 0


FAULT, ENDED, ASK, LEFT = wire.fault, wire.deal_ended, wire.ask, Bank.left_ms
LEAKS = [
    # limits, what is replaced, by what, because
    (
        USUAL,
        (wire, "fault"),
        lambda ask, kind, detail, strikes: FAULT(ask, kind, f"{detail} EO", strikes),
        "a card in a fault",
    ),
    (
        USUAL,
        (wire, "deal_ended"),
        lambda handle, payoff, plays: ENDED(handle, payoff, plays + b"\x07"),
        "a hidden card at the end",
    ),
    (
        USUAL,
        (wire, "deal_ended"),
        lambda handle, payoff, plays: ENDED(handle, payoff + 1, plays),
        "another payoff at the end",
    ),
    (
        USUAL,
        (wire, "ask"),
        lambda ask, budget, questions: ASK(ask, budget + 3, questions),
        "bits in the time of an ask",
    ),
    (
        USUAL,
        (wire, "ask"),
        lambda ask, budget, questions: ASK(
            ask, budget, [replace(each, bank_ms=7) for each in questions]
        ),
        "a bank where there is none",
    ),
    (WITH_BANK, (Bank, "left_ms"), lambda bank, seat: LEFT(bank, seat) | 1, "a bit in a bank"),
    (
        WITH_BANK,
        (wire, "ask"),
        lambda ask, budget, questions: ASK(ask, budget + 3, questions),
        "bits in time from a bank",
    ),
]


@pytest.mark.parametrize(
    ("limits", "place", "leaky", "because"), LEAKS, ids=[row[3] for row in LEAKS]
)
async def test_a_leak_beside_the_questions_is_caught(
    tmp_path: Path, limits, place, leaky, because: str, autojump_clock, monkeypatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(*place, leaky)
        first, lines = await played(limits)
    write(tmp_path, [first, *lines, footer(len(lines))])
    found = checked(tmp_path)
    assert found.finding_count, because
    assert all("was sent something else" in each for each in found.findings)


async def test_an_unknown_field_around_the_questions_is_caught(
    tmp_path: Path, autojump_clock, monkeypatch
) -> None:
    unknown = b"\xf8\x07\x01"  # field 127, a number

    def leaky(ask_id: int, budget_ms: int, questions) -> bytes:
        honest = PlayResponse.FromString(ASK(ask_id, budget_ms, questions))
        ask = Ask.FromString(honest.ask.SerializeToString() + unknown)
        return PlayResponse(ask=ask).SerializeToString()

    with monkeypatch.context() as patched:
        patched.setattr(wire, "ask", leaky)
        first, lines = await played(USUAL)
    write(tmp_path, [first, *lines, footer(len(lines))])
    assert checked(tmp_path).finding_count


async def test_digests_of_an_earlier_arena_are_still_believed(
    tmp_path: Path, autojump_clock, monkeypatch
) -> None:
    """They hold questions alone, without what was left of a bank."""
    record = OpenDeal.record_sent

    def questions_alone(open_deal: OpenDeal, seat: int, message: bytes) -> None:
        if message[:1] == b"\x0d":  # a decision's handle
            record(open_deal, seat, message)

    def without_banks(ask_id: int, budget_ms: int, questions) -> bytes:
        bankless = [replace(each, bank_ms=0) for each in questions]
        return ASK(ask_id, 100 * len(bankless), bankless)

    with monkeypatch.context() as patched:
        patched.setattr(OpenDeal, "record_sent", questions_alone)
        patched.setattr(wire, "ask", without_banks)
        first, lines = await played(WITH_BANK)
    old = [replace(line, thought_us=()) for line in lines]
    write(tmp_path, [first, *old, footer(len(old))])
    found = checked(tmp_path)
    assert found.findings == ()
    assert any("digests of an earlier arena" in each for each in found.not_covered)


async def test_think_times_that_do_not_add_up_are_found(tmp_path: Path, autojump_clock) -> None:
    first, lines = await played(WITH_BANK)
    dice = random.Random(4)
    shuffled = list(lines[0].thought_us)
    while tuple(shuffled) == lines[0].thought_us:
        dice.shuffle(shuffled)
    wrong = [replace(lines[0], thought_us=tuple(shuffled)), *lines[1:]]
    write(tmp_path / "moved", [first, *wrong, footer(len(wrong))])
    assert checked(tmp_path / "moved").finding_count
    for thought_us in ((1,), (*lines[0].thought_us, 5), (*lines[0].thought_us[:-1], -1)):
        wrong = [replace(lines[0], thought_us=thought_us), *lines[1:]]
        folder = tmp_path / f"{len(thought_us)} {thought_us[-1]}"
        write(folder, [first, *wrong, footer(len(wrong))])
        verified = arena("log", "verify", folder)
        assert verified.returncode == 3
        assert "thought_us" in verified.stderr


async def test_what_is_proven_is_said_first(tmp_path: Path, autojump_clock) -> None:
    first, lines = await played(USUAL)
    bare = replace(first, recording=Recording())
    undigested = [replace(line, sent=()) for line in lines]
    write(tmp_path / "bare", [bare, *undigested, footer(len(lines))])
    write(tmp_path / "sent", [first, *lines, footer(len(lines))])
    write(tmp_path / "short", [first, *lines[:5]])
    for name, words in (
        ("bare", "nothing of what was really sent is proven: the journal holds no digests"),
        ("sent", "what was really sent in these deals is held against digests"),
        ("short", "nothing of what was really sent is proven yet"),
    ):
        said = arena("log", "audit", tmp_path / name).stdout
        assert said.startswith(words)
        assert "not covered: faults: `strikes`" in said

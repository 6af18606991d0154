"""A seat's clock, strikes and launches, against bots in memory and a clock that jumps."""

from collections.abc import Callable

import pytest
import trio
import trio.testing

from arena.records import Limits
from arena.reply import Reply
from arena.seat import Seat
from arena.session import Session
from arena.v1 import arena_pb2
from arena.v1.arena_pb2 import Ask, PlayRequest
from tests.arena.sessions import (
    MILLISECOND,
    Chooser,
    MemorySession,
    answer,
    deals,
    first_legal,
    hello,
    now,
)

LIMITS = Limits(decision_ms=1000, strikes=20)
LATE, ILLEGAL, GARBLED, GONE = (
    arena_pb2.FAULT_KIND_LATE,
    arena_pb2.FAULT_KIND_ILLEGAL,
    arena_pb2.FAULT_KIND_GARBLED,
    arena_pb2.FAULT_KIND_GONE,
)


async def seated(
    chooser: Chooser | None = None, limits: Limits = LIMITS, *, max_batch: int = 256
) -> tuple[Seat, MemorySession]:
    session = MemorySession(hello(max_batch=max_batch), chooser)

    async def starter() -> Session:
        return session

    seat = Seat(0, starter, limits, "{}", now)
    await seat.start()
    return seat, session


async def asked_after(
    wait_ms: int, say: Callable[[MemorySession], None], *, decisions: int = 1
) -> tuple[Reply, Seat, MemorySession]:
    """Ask once; `wait_ms` later the bot says something."""
    seat, session = await seated()
    replies: list[Reply] = []
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            replies.append(await seat.ask(deals(decisions)))

        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(wait_ms / 1000)
        say(session)
    return replies[0], seat, session


async def test_the_welcome_carries_the_limits_really_used(autojump_clock) -> None:
    limits = Limits(decision_ms=700, strikes=3, max_batch=32)
    _, session = await seated(limits=limits, max_batch=64)
    welcome = session.sent[0].welcome
    said = (welcome.seat, welcome.decision_ms, welcome.max_batch, welcome.strike_limit)
    assert said == (0, 700, 32, 3)
    assert (welcome.protocol, welcome.rule_set_json) == (1, "{}")


@pytest.mark.parametrize(
    ("wanted", "decision_ms", "cap", "expected", "because"),
    [
        (1, 1000, 256, 1, "as asked"),
        (24, 1000, 256, 24, "as asked"),
        (10_000, 100, 256, 256, "the house's cap"),
        (64, 1000, 16, 16, "the league's cap"),
        (256, 1000, 256, 30, "a whole batch may take 30 s at most"),
        (256, 30_000, 256, 1, "one decision may take all of the 30 s"),
        (256, 20_000, 256, 1, "two would be 40 s"),
    ],
)
async def test_batch_sizes(
    wanted: int, decision_ms: int, cap: int, expected: int, because: str, autojump_clock
) -> None:
    limits = Limits(decision_ms=decision_ms, max_batch=cap)
    seat, session = await seated(first_legal, limits, max_batch=wanted)
    assert seat.batch_size == session.sent[0].welcome.max_batch == expected, because
    for each in deals(expected + 1):
        seat.enqueue(each)
    batch = await seat.next_batch()
    assert len(batch) == expected
    await seat.ask(batch)
    (asked,) = session.of_kind("ask")
    assert asked.ask.budget_ms == decision_ms * expected <= 30_000


@pytest.mark.parametrize("decisions", [1, 3, 30])
async def test_a_batch_has_its_limit_times_its_size(decisions: int, autojump_clock) -> None:
    seat, _ = await seated()
    start = now()
    reply = await seat.ask(deals(decisions))
    waited = now() - start
    assert reply.blame is not None
    assert reply.blame.kind == "late"
    assert reply.think_us == [1_000_000] * decisions
    assert decisions * 1000 <= waited / MILLISECOND <= decisions * 1000 + 100


@pytest.mark.parametrize(
    ("arrived_ms", "read_ms", "fault", "because"),
    [
        (0, 0, None, "at once"),
        (999, 999, None, "in time"),
        (1000, 1000, None, "at the limit is in time"),
        (1000, 1040, None, "in time, but trio hears of it later"),
        (1001, 1001, "late", "a millisecond too late, heard within the slack"),
        (1001, 1040, "late", "too late, whenever it is heard"),
        (1200, 1200, "late", "beyond everything"),
    ],
)
async def test_lateness_is_judged_by_the_arrival(
    arrived_ms: int, read_ms: int, fault: str | None, because: str, autojump_clock
) -> None:
    start = now()

    def say(session: MemorySession) -> None:
        said = first_legal(session.of_kind("ask")[0].ask)
        session.say(said, start + arrived_ms * MILLISECOND)

    reply, seat, session = await asked_after(read_ms, say)
    assert (None if reply.blame is None else reply.blame.kind) == fault, because
    assert seat.strikes == len(session.faults) == (fault is not None)
    if fault is None:
        assert reply.think_us == [arrived_ms * 1000]


async def test_think_time_is_shared_by_a_batch(autojump_clock) -> None:
    reply, *_ = await asked_after(
        600, lambda session: session.say(first_legal(session.sent[1].ask)), decisions=3
    )
    assert (len(reply.actions), reply.think_us) == (3, [200_000] * 3)


BAD = [
    (lambda ask: b"\xff\xff\xff", "bytes that are no message"),
    (lambda ask: b"", "an empty request"),
    (lambda ask: PlayRequest(hello=arena_pb2.Hello()).SerializeToString(), "a second hello"),
    (lambda ask: answer(ask.ask_id, b""), "no action"),
    (lambda ask: answer(ask.ask_id, b"\x01"), "too few actions"),
    (lambda ask: answer(ask.ask_id, b"\x01\x02\x03"), "too many actions"),
]


@pytest.mark.parametrize(("chooser", "because"), BAD)
async def test_garbled_answers(chooser: Chooser, because: str, autojump_clock) -> None:
    seat, session = await seated(chooser)
    reply = await seat.ask(deals(2))
    assert reply.blame is not None, because
    assert reply.blame.kind == "garbled", because
    assert reply.actions == b""
    assert session.faults == [GARBLED]
    (fault,) = session.of_kind("fault")
    assert (fault.fault.ask_id, fault.fault.strikes) == (1, 1)


async def test_a_late_answer_is_not_taken_for_the_next_question(autojump_clock) -> None:
    seat, session = await seated()
    first = await seat.ask(deals(1))
    assert first.blame is not None
    late = answer(1, b"\x63")  # says 99, which would be seen if it were taken
    session.say(late)
    session._chooser = first_legal
    second = await seat.ask(deals(1))
    assert (second.blame, seat.strikes) == (None, 1)
    assert second.actions != b"\x63"
    session.say(late)  # once more is not late any more but nonsense
    third = await seat.ask(deals(1))
    assert (third.blame, seat.strikes) == (None, 2)
    assert session.faults == [LATE, GARBLED]


@pytest.mark.parametrize("ask_id", [0, 2, 99])
async def test_an_answer_to_no_ask_is_a_strike_and_the_clock_goes_on(
    ask_id: int, autojump_clock
) -> None:
    def say(session: MemorySession) -> None:
        session.say(answer(ask_id, b"\x21"))

    start = now()
    reply, seat, session = await asked_after(400, say)
    assert reply.blame is not None
    assert reply.blame.kind == "late"
    assert (now() - start) / MILLISECOND < 1100, "the strike gave no new time"
    assert session.faults == [GARBLED, LATE]
    assert seat.strikes == 2


async def test_duplicates_are_a_strike_each(autojump_clock) -> None:
    def twice(ask: Ask) -> bytes:
        session.say(first_legal(ask))
        return first_legal(ask)

    seat, session = await seated()
    session._chooser = twice
    replies = [await seat.ask(deals(1)) for _ in range(4)]
    assert [reply.blame for reply in replies] == [None] * 4
    assert session.faults == [GARBLED] * 3  # the fourth copy is still unread


async def test_nobody_answers_before_being_asked(autojump_clock) -> None:
    """Else a bot could save the time of its answers for later."""
    seat, session = await seated(first_legal)
    session.say(answer(1, b"\x63"))
    await trio.sleep(1)
    reply = await seat.ask(deals(1))
    assert reply.blame is None
    assert reply.actions != b"\x63"
    assert reply.think_us[0] >= 0
    assert session.faults == [GARBLED]


async def test_a_flood_of_nonsense_ends_with_the_strikes(autojump_clock) -> None:
    seat, session = await seated(limits=Limits(strikes=5))
    for number in range(100):
        session.say(answer(1000 + number, b""))
    reply = await seat.ask(deals(1))
    assert reply.blame is not None
    assert (reply.blame.kind, seat.strikes, seat.exhausted) == ("garbled", 6, True)


async def test_a_lost_bot_is_gone_at_once(autojump_clock) -> None:
    reply, seat, session = await asked_after(100, MemorySession.hang_up)
    assert reply.blame is not None
    assert (reply.blame.kind, seat.strikes) == ("gone", 1)
    assert not session.faults, "there is nobody left to tell"
    assert trio.current_time() - 0.1 < 1, "no clock was waited for"

"""A seat's clock where it isn't the plain one: margins, held-up questions, banks, CPU time."""

import pytest
import trio
import trio.testing

from arena.records import Limits
from arena.reply import Reply
from arena.seat import Seat
from arena.session import Session
from arena.v1.arena_pb2 import Ask
from tests.arena.sessions import MILLISECOND, MemorySession, deals, first_legal, hello, now
from tests.arena.test_seat import seated


@pytest.mark.parametrize(
    ("arrived_ms", "fault", "because"),
    [
        (1000, None, "the limit"),
        (1020, None, "limit and margin"),
        (1021, "late", "a millisecond beyond the margin"),
    ],
)
async def test_a_margin_is_forgiven_and_no_more(
    arrived_ms: int, fault: str | None, because: str, autojump_clock
) -> None:
    seat, session = await seated(limits=Limits(decision_ms=1000, margin_ms=20))

    def say_later(ask: Ask) -> None:
        session.say(first_legal(ask), now() + arrived_ms * MILLISECOND)

    session._chooser = say_later
    reply = await seat.ask(deals(1))
    assert (None if reply.blame is None else reply.blame.kind) == fault, because
    assert session.sent[0].welcome.margin_ms == 20, "the bot is told"
    assert session.of_kind("ask")[0].ask.budget_ms == 1000, "but nobody plans with it"


async def test_the_clock_begins_when_the_stream_has_the_question(autojump_clock) -> None:
    """What the arena's own threads need is not the bot's time."""
    seat, session = await seated()
    start = now()

    def say_later(ask: Ask) -> None:
        session.handed_over = start + 300 * MILLISECOND
        session.say(first_legal(ask), start + 1200 * MILLISECOND)

    session._chooser = say_later
    reply = await seat.ask(deals(1))
    assert (reply.blame, reply.think_us) == (None, [900_000])
    assert (reply.sent, reply.received) == (
        start + 300 * MILLISECOND,
        start + 1200 * MILLISECOND,
    )


async def test_a_question_that_was_held_up_is_waited_for(autojump_clock) -> None:
    seat, session = await seated()
    start = now()
    replies: list[Reply] = []
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            replies.append(await seat.ask(deals(1)))

        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        session.handed_over = start + 900 * MILLISECOND
        await trio.sleep(1.5)
        session.say(first_legal(session.of_kind("ask")[0].ask))
    assert (replies[0].blame, replies[0].think_us) == (None, [600_000])


async def test_a_question_that_is_never_taken_is_late_all_the_same(autojump_clock) -> None:
    """As with a bot that reads nothing any more."""
    seat, session = await seated()

    def vanish(ask: Ask) -> None:
        session.handed_over = None

    session._chooser = vanish
    start = now()
    reply = await seat.ask(deals(1))
    assert reply.blame is not None
    assert reply.blame.kind == "late"
    assert now() - start < 1200 * MILLISECOND


async def test_banks_limit_the_ask_and_share_its_time(autojump_clock) -> None:
    limits = Limits(decision_ms=1000, bank_ms=1500)
    seat, session = await seated(limits=limits)
    batch = deals(2, limits)
    assert batch[1].bank is not None
    batch[1].bank.charge(0, 1_250_000)

    def say_later(ask: Ask) -> None:
        session.say(first_legal(ask), now() + 500 * MILLISECOND)

    session._chooser = say_later
    reply = await seat.ask(batch)
    ask = session.of_kind("ask")[0].ask
    assert ask.budget_ms == 1250
    assert [each.bank_ms for each in ask.decisions] == [1500, 250]
    assert reply.think_us == [400_000, 100_000], "as 1000 to 250"
    welcome = session.sent[0].welcome
    assert (welcome.bank_ms, welcome.increment_ms, welcome.cpu_ms) == (1500, 0, 0)


@pytest.mark.parametrize(
    ("used_ms", "fault", "because"),
    [
        (0.0, None, "a sleeper"),
        (60.0, None, "all that two decisions have"),
        (60.1, "late", "more than that"),
    ],
)
async def test_cpu_time_is_limited_where_asked(
    used_ms: float, fault: str | None, because: str, autojump_clock
) -> None:
    used = iter((5 * MILLISECOND, round((5 + used_ms) * MILLISECOND)))
    session = MemorySession(hello(max_batch=2), first_legal)

    async def starter() -> Session:
        return session

    limits = Limits(decision_ms=1000, cpu_ms=30)
    seat = Seat(0, starter, limits, "{}", now, cpu_ns=lambda: next(used))
    await seat.start()
    reply = await seat.ask(deals(2))
    assert (None if reply.blame is None else reply.blame.kind) == fault, because
    assert reply.cpu_us == round(used_ms * 500)
    assert seat.strikes == len(session.faults) == (fault is not None)
    if reply.blame is not None:
        assert reply.blame.detail == "used 60.1 ms of CPU time, 60 ms are allowed"


async def test_who_hangs_up_is_charged_until_then(autojump_clock) -> None:
    """Else leaving would be a way to think for nothing."""
    seat, session = await seated()
    replies: list[Reply] = []
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            replies.append(await seat.ask(deals(2)))

        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(0.4)
        session.hang_up()
    assert replies[0].blame is not None
    assert replies[0].blame.kind == "gone"
    assert (replies[0].think_us, replies[0].received) == ([200_000, 200_000], None)

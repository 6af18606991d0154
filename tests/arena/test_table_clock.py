"""Tables with time banks, recorded times, and few open deals."""

import pytest
import trio

from arena.records import Limits
from arena.seat import Seat
from arena.session import Session
from arena.table import Table
from arena.v1.arena_pb2 import Ask
from engine.rules import new_deal, play
from tests.arena.sessions import (
    MILLISECOND,
    RULES,
    MemorySession,
    deals,
    hello,
    now,
    seeded,
)
from tests.arena.test_table import Played, assert_sound, played


async def test_a_deal_whose_time_is_used_up_is_the_houses(autojump_clock) -> None:
    """One strike for each deal, a fault for each decision, and no question any more."""
    sessions: list[MemorySession] = []

    def slow(ask: Ask) -> bytes | None:
        sessions[0].say(seeded(ask), now() + 60 * MILLISECOND * len(ask.decisions))
        return None

    class Watched(MemorySession):
        def ask(self, question: bytes) -> None:
            sessions[:] = [self]
            super().ask(question)

    table = Played()
    limits = Limits(decision_ms=100, bank_ms=150, strikes=1000)
    for number in range(4):
        session = (Watched if number == 2 else MemorySession)(
            hello(max_batch=1), slow if number == 2 else seeded
        )
        table.sessions.append(session)

        async def starter(session: MemorySession = session) -> Session:
            await trio.lowlevel.checkpoint()
            return session

        seat = Seat(number, starter, limits, "{}", now)
        await seat.start()
        table.seats.append(seat)
    await Table(table.seats, deals(10, limits), table.finish, now=now).run()
    assert_sound(table, 10)
    assert set(table.faults()) == {(2, "late")}
    emptied = 0
    for deal, _ in table.finished:
        details = [fault.detail for fault in deal.faults]
        assert deal.think_us[2] <= 150_000
        if deal.asked[2] > 3:
            emptied += 1
            assert details[0] == "no answer within 30 ms", "60 and 60 were in time"
            assert set(details[1:]) == {"this deal's time bank is used up"}
            assert len(details) == deal.asked[2] - 2
    assert emptied > 0
    assert len(table.sessions[2].of_kind("fault")) == table.seats[2].strikes


async def test_times_are_recorded_where_asked(autojump_clock) -> None:
    table = await played([seeded, None, lambda ask: None, seeded], 5, times_from=now())
    for deal, _ in table.finished:
        times = deal.conduct(()).times
        assert len(times) == len(deal.actions)
        again = new_deal(RULES, deal.deal.dealt, deal.deal.forehand)
        for each, action in zip(times, deal.actions, strict=True):
            assert (each is None) == (again.turn == 1), "seat 1 never came up"
            if each is not None:
                queued, sent, received, judged = each
                assert queued <= sent <= judged
                assert (received is None) == (again.turn == 2), "seat 2 says nothing"
            play(again, action)


@pytest.mark.parametrize("most", [1, 3])
async def test_no_more_deals_are_open_than_asked_for(most: int, autojump_clock) -> None:
    table = await played([seeded] * 4, 20, open_deals=most)
    assert_sound(table, 20)
    sizes = [
        len(response.ask.decisions)
        for session in table.sessions
        for response in session.of_kind("ask")
    ]
    assert max(sizes) <= most

"""A table of four bots in memory: every deal played once, and bad bots spoil only their own."""

from collections import Counter
from collections.abc import Iterator

import pytest
import trio

from arena.open_deal import OpenDeal
from arena.records import Limits
from arena.seat import BotFailedError, Seat
from arena.session import Session
from arena.table import Fill, Table
from arena.v1.arena_pb2 import Ask
from engine.rules import house_action, new_deal, play, replay
from engine.scoring import settle
from tests.arena.sessions import (
    RULES,
    Chooser,
    MemorySession,
    answer,
    deals,
    first_legal,
    hello,
    now,
    seeded,
)

LIMITS = Limits(decision_ms=100, strikes=20)


class Played:
    """A table that was played to its end."""

    def __init__(self) -> None:
        self.finished: list[tuple[OpenDeal, tuple[int, ...]]] = []
        self.sessions: list[MemorySession] = []
        self.seats: list[Seat] = []
        self.fill = Fill(0, 0)

    def finish(self, deal: OpenDeal, stood_down: tuple[int, ...]) -> None:
        self.finished.append((deal, stood_down))

    @property
    def deals(self) -> dict[int, OpenDeal]:
        return {deal.key.deal: deal for deal, _ in self.finished}

    def faults(self) -> Counter[tuple[int, str]]:
        return Counter(
            (fault.seat, fault.fault) for deal, _ in self.finished for fault in deal.faults
        )


async def played(
    choosers: list[Chooser | None],
    count: int,
    limits: Limits = LIMITS,
    *,
    max_batch: tuple[int, int, int, int] = (64, 64, 64, 64),
    open_deals: int | None = None,
    times_from: int | None = None,
) -> Played:
    """Let four bots play; one whose chooser is None doesn't come up."""
    table = Played()
    for number, chooser in enumerate(choosers):
        session = MemorySession(hello(max_batch=max_batch[number]), chooser)
        table.sessions.append(session)

        async def starter(session: MemorySession = session) -> Session:
            await trio.lowlevel.checkpoint()
            if session._chooser is None or session.closed:
                raise BotFailedError("it has no chooser")
            return session

        seat = Seat(number, starter, limits, "{}", now)
        await seat.start()
        table.seats.append(seat)
    to_play = deals(count, limits, times_from)
    tables = Table(table.seats, to_play, table.finish, open_deals=open_deals, now=now)
    table.fill = await tables.run()
    return table


def assert_sound(table: Played, count: int) -> None:
    """Every deal ended once, and is what its actions replay to."""
    assert sorted(deal.key.deal for deal, _ in table.finished) == list(range(count))
    for deal, _ in table.finished:
        assert deal.deal.finished
        again = replay(RULES, deal.deal.dealt, deal.deal.forehand, deal.actions)
        assert again.finished
        assert settle(again) == settle(deal.deal)
        assert again.plays == deal.deal.plays
    assert all(session.most_open_asks <= 1 for session in table.sessions)


def asked(session: MemorySession) -> Iterator[tuple[int, int]]:
    """The handle and seed of every decision that a bot was asked."""
    for response in session.of_kind("ask"):
        for decision in response.ask.decisions:
            yield decision.handle, decision.seed


@pytest.mark.parametrize("count", [0, 1, 3, 400])
async def test_polite_bots(count: int, autojump_clock) -> None:
    table = await played([seeded] * 4, count)
    assert_sound(table, count)
    assert not table.faults()
    assert all(stood_down == () for _, stood_down in table.finished)
    assert table.fill.decisions == sum(len(deal.actions) for deal, _ in table.finished)
    assert sum(sum(deal.asked) for deal, _ in table.finished) == table.fill.decisions


async def test_no_decision_is_asked_twice(autojump_clock) -> None:
    table = await played([seeded] * 4, 100)
    for session in table.sessions:
        counts = Counter(asked(session))
        assert set(counts.values()) == {1}


async def test_the_batches_fill(autojump_clock) -> None:
    table = await played([seeded] * 4, 600)
    assert table.fill.decisions / table.fill.asks > 30
    sizes = [
        len(response.ask.decisions)
        for session in table.sessions
        for response in session.of_kind("ask")
    ]
    assert max(sizes) == 64


async def test_batches_of_different_bots(autojump_clock) -> None:
    table = await played([seeded] * 4, 60, max_batch=(1, 64, 7, 1000))
    assert_sound(table, 60)
    for session, most in zip(table.sessions, (1, 64, 7, 256), strict=True):
        assert max(len(each.ask.decisions) for each in session.of_kind("ask")) <= most


async def test_batches_change_nothing_that_is_played(autojump_clock) -> None:
    one, many = [
        await played([seeded] * 4, 40, max_batch=(size, size, size, size)) for size in (1, 64)
    ]
    assert {n: deal.actions for n, deal in one.deals.items()} == {
        n: deal.actions for n, deal in many.deals.items()
    }


def illegal_once(ask: Ask) -> bytes:
    """Spoils the first entry of the first ask that has others."""
    actions = bytearray(decision.legal[0] for decision in ask.decisions)
    if ask.ask_id == 1:
        actions[0] = 200
    return answer(ask.ask_id, bytes(actions))


async def test_an_illegal_entry_spoils_only_its_own_deal(autojump_clock) -> None:
    table = await played([first_legal, illegal_once, first_legal, first_legal], 64)
    assert_sound(table, 64)
    assert table.faults() == {(1, "illegal"): 1}
    assert table.seats[1].strikes == 1
    (spoiled,) = [deal for deal, _ in table.finished if deal.faults]
    (fault,) = spoiled.faults
    assert fault.detail.startswith("action 200 is not among: ")
    assert len(table.sessions[1].of_kind("fault")) == 1
    assert not any(table.sessions[seat].of_kind("fault") for seat in (0, 2, 3))


async def test_the_house_decides_for_a_silent_bot(autojump_clock) -> None:
    """And the journal's faults are exactly the decisions where it did."""
    table = await played(
        [first_legal, first_legal, lambda ask: None, first_legal],
        10,
        Limits(decision_ms=10, strikes=1_000_000),
    )
    assert_sound(table, 10)
    assert set(table.faults()) == {(2, "late")}
    for deal, stood_down in table.finished:
        assert stood_down == ()
        assert len(deal.faults) == deal.asked[2]
        again = new_deal(RULES, deal.deal.dealt, deal.deal.forehand)
        theirs = {fault.decision for fault in deal.faults}
        for number, action in enumerate(deal.actions):
            assert (number in theirs) == (again.turn == 2)
            if again.turn == 2:
                assert action == house_action(again)
            play(again, action)


async def test_past_the_strikes_the_house_plays_for_good(autojump_clock) -> None:
    limits = Limits(decision_ms=10, strikes=2)
    table = await played(
        [first_legal, lambda ask: b"junk", first_legal, first_legal],
        40,
        limits,
        max_batch=(1, 1, 1, 1),
    )
    assert_sound(table, 40)
    assert table.faults() == {(1, "garbled"): 3}, "one for each strike, none afterwards"
    assert table.seats[1].failure == "too many strikes"
    assert {stood_down for _, stood_down in table.finished} <= {(), (1,)}
    assert sum(stood_down == (1,) for _, stood_down in table.finished) > 30
    assert all(deal.asked[1] == 0 for deal, _ in table.finished if deal.key.deal > 10)


@pytest.mark.parametrize("missing", [(0,), (1, 3), (0, 1, 2)])
async def test_bots_that_never_came_up(missing: tuple[int, ...], autojump_clock) -> None:
    choosers = [None if seat in missing else first_legal for seat in range(4)]
    table = await played(choosers, 50)
    assert_sound(table, 50)
    assert not table.faults()
    assert {stood_down for _, stood_down in table.finished} == {missing}
    assert all(deal.asked[seat] == 0 for deal, _ in table.finished for seat in missing)


async def test_the_house_alone_plays_thousands(autojump_clock) -> None:
    table = await played([None] * 4, 5000)
    assert len(table.deals) == len(table.finished) == 5000
    assert table.fill == Fill(0, 0)
    assert table.finished[-1][1] == (0, 1, 2, 3)


async def test_a_bot_lost_in_play_is_relaunched(autojump_clock) -> None:
    lost: list[MemorySession] = []
    launched: list[MemorySession] = []

    def fragile(ask: Ask) -> bytes | None:
        if ask.ask_id < 3:
            return first_legal(ask)
        lost.append(launched[-1])
        launched[-1].hang_up()
        return None

    async def starter() -> Session:
        await trio.lowlevel.checkpoint()
        launched.append(MemorySession(hello(), fragile if len(launched) < 2 else first_legal))
        return launched[-1]

    async def polite() -> Session:
        await trio.lowlevel.checkpoint()
        return MemorySession(hello(), first_legal)

    table = Played()
    table.seats = [Seat(n, starter if n == 3 else polite, LIMITS, "{}", now) for n in range(4)]
    for seat in table.seats:
        await seat.start()
    await Table(table.seats, deals(20), table.finish).run()
    assert_sound(table, 20)
    assert table.faults() == {(3, "gone"): 2}
    assert (len(launched), len(lost), table.seats[3].strikes) == (3, 2, 2)
    assert all(stood_down == () for _, stood_down in table.finished)

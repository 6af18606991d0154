"""How a seat brings its bot up, loses it, and gives it up."""

import pytest
import trio

from arena.records import Limits
from arena.seat import BotFailedError, Seat
from arena.session import Session
from arena.v1 import arena_pb2
from tests.arena.sessions import MemorySession, deals, first_legal, hello, now

LIMITS = Limits(decision_ms=1000, strikes=20)


class Starts:
    """A starter whose attempts succeed or fail by a script."""

    def __init__(self, script: str) -> None:
        self.script = iter(script)
        self.sessions: list[MemorySession] = []

    async def __call__(self) -> Session:
        await trio.lowlevel.checkpoint()
        if next(self.script) == "-":
            raise BotFailedError("exit status 1; its last lines:\nno")
        self.sessions.append(MemorySession(hello(), first_legal))
        return self.sessions[-1]


@pytest.mark.parametrize(
    ("script", "stood_down", "launches"), [("+", False, 1), ("-+", False, 1), ("--", True, 0)]
)
async def test_a_start_has_a_second_try(script: str, stood_down: bool, launches: int) -> None:
    starts = Starts(script)
    seat = Seat(0, starts, LIMITS, "{}", now)
    await seat.start()
    assert (seat.stood_down, len(starts.sessions)) == (stood_down, launches)
    if stood_down:
        assert seat.failure == "failed to start: exit status 1; its last lines:\nno"


@pytest.mark.parametrize(
    ("script", "losses", "strikes", "stood_down", "because"),
    [
        ("++", 1, 1, False, "relaunched once"),
        ("++++", 3, 3, False, "three relaunches"),
        ("++++", 4, 4, True, "a fourth loss is the last"),
        ("+-+", 1, 2, False, "a failed relaunch is a strike and one of the three"),
        ("+---", 1, 4, True, "three failed relaunches"),
    ],
)
async def test_lost_bots_are_relaunched_three_times(
    script: str, losses: int, strikes: int, stood_down: bool, because: str, autojump_clock
) -> None:
    starts = Starts(script)
    seat = Seat(0, starts, LIMITS, "{}", now)
    await seat.start()
    for _ in range(losses):
        starts.sessions[-1].hang_up()
        starts.sessions[-1]._chooser = None
        reply = await seat.ask(deals(1))
        assert reply.blame is not None
        assert reply.blame.kind == "gone"
        await seat.revive()
    assert (seat.strikes, seat.stood_down) == (strikes, stood_down), because
    if not stood_down:
        reply = await seat.ask(deals(1))
        assert reply.blame is None
        assert starts.sessions[-1].of_kind("ask")[0].ask.ask_id == 1, "counts per stream"


async def test_a_bot_past_its_strikes_is_not_relaunched() -> None:
    starts = Starts("++")
    seat = Seat(0, starts, Limits(strikes=0), "{}", now)
    await seat.start()
    starts.sessions[0]._chooser = None
    starts.sessions[0].hang_up()
    await seat.ask(deals(1))
    await seat.revive()
    assert (seat.stood_down, len(starts.sessions)) == (True, 1)


async def test_standing_down_says_goodbye() -> None:
    starts = Starts("+")
    seat = Seat(0, starts, LIMITS, "{}", now)
    await seat.start()
    (session,) = starts.sessions
    seat.stand_down("too many strikes")
    goodbye = session.sent[-1].goodbye
    assert (goodbye.reason, goodbye.detail) == (
        arena_pb2.GOODBYE_REASON_STOOD_DOWN,
        "too many strikes",
    )
    assert session.closed
    reply = await seat.ask(deals(1))
    assert reply.blame is not None


async def test_only_who_wants_it_hears_how_deals_end() -> None:
    starts = Starts("+")
    seat = Seat(0, starts, LIMITS, "{}", now)
    await seat.start()
    (session,) = starts.sessions
    (ended,) = deals(1)
    seat.report_end(ended, -20)
    assert not session.of_kind("deal_ended")
    session.hello = hello(want_deal_ended=True)
    seat.report_end(ended, -20)
    (told,) = session.of_kind("deal_ended")
    assert (told.deal_ended.handle, told.deal_ended.payoff) == (ended.handles[0], -20)

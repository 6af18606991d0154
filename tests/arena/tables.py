"""One remote bot at one table, without the other three."""

import contextlib
from collections.abc import AsyncIterator

import trio

from arena.home import home
from arena.records import BotEntry, Limits
from arena.remote import RemoteBot
from arena.seat import Reply, Seat
from arena.v1.arena_pb2 import Ask, PlayResponse, Welcome
from tests.arena.clients import Client
from tests.arena.runs import PATIENCE_S
from tests.arena.sessions import deals

MINUTE_MS = 30_000
LIMITS = Limits(startup_ms=60_000, decision_ms=MINUTE_MS, reconnect_ms=60_000)


@contextlib.asynccontextmanager
async def at_table(
    limits: Limits = LIMITS, name: str = "far"
) -> AsyncIterator[tuple[Seat, RemoteBot]]:
    """A seat of a table, and what fetches its remote bot."""
    entry = BotEntry(name, "0", (), "", "", remote=True)
    async with trio.open_nursery() as nursery:
        bot = RemoteBot(nursery, home(), entry, limits, "a table")
        seat = Seat(0, bot.start, limits, "{}")
        try:
            yield seat, bot
        finally:
            seat.close("finished", "over")
            await bot.stop()


class Asked:
    """A question to a seat, and in the end what became of it."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._answered = trio.Event()
        self.reply: Reply | None = None

    async def run(self) -> None:
        self.reply = await self._seat.ask(deals(1))
        self._answered.set()

    async def answered(self) -> Reply:
        with trio.fail_after(PATIENCE_S):
            await self._answered.wait()
        assert self.reply is not None
        return self.reply


async def welcome(bot: Client) -> Welcome:
    said = await bot.hears()
    assert isinstance(said, PlayResponse), said
    assert said.WhichOneof("kind") == "welcome"
    return said.welcome


async def ask(bot: Client) -> Ask:
    said = await bot.hears()
    assert isinstance(said, PlayResponse), said
    assert said.WhichOneof("kind") == "ask", said
    return said.ask

"""A remote bot whose stream breaks in the middle of a question: its clock never stops."""

from pathlib import Path

import pytest
import trio

from arena.records import Limits
from arena.remote import LobbyGoneError, require_lobby
from arena.seat import BotFailedError
from arena.wire import Hello
from tests.arena.clients import answer, client, hello
from tests.arena.serving import Served, network, registered, served
from tests.arena.sessions import deals, first_legal
from tests.arena.tables import LIMITS, MINUTE_MS, Asked, ask, at_table, welcome


@pytest.fixture
def token() -> str:
    return registered()


@pytest.fixture
def server(token: str):
    with served() as running:
        yield running


async def test_the_open_ask_goes_on_with_what_is_left(server: Served, token: str) -> None:
    async with (
        network(server.port) as wire,
        at_table() as (seat, bot),
        trio.open_nursery() as asking,
    ):
        with client(wire.address) as first:
            first.say(hello(token))
            await seat.start()
            ticket = (await welcome(first)).resume
            asked = Asked(seat)
            asking.start_soon(asked.run)
            question = await ask(first)
            assert question.budget_ms == MINUTE_MS
            await trio.sleep(0.5)
            wire.cut()
        with client(wire.address) as second:
            second.say(hello(token, ticket))
            again = await welcome(second)
            assert (again.resume, again.reconnect_ms) == (ticket, LIMITS.reconnect_ms)
            resumed = await ask(second)
            assert resumed.budget_ms <= MINUTE_MS - 500
            assert (resumed.ask_id, resumed.decisions) == (question.ask_id, question.decisions)
            second.say(first_legal(resumed))
            await asked.answered()
            assert asked.reply.blame is None
            assert asked.reply.think_us[0] >= 500_000
            assert (bot.reconnects, seat.strikes, seat.relaunches) == (1, 0, 0)


async def test_a_break_between_questions(server: Served, token: str) -> None:
    async with (
        network(server.port) as wire,
        at_table() as (seat, _bot),
        trio.open_nursery() as asking,
    ):
        with client(wire.address) as first:
            first.say(hello(token))
            await seat.start()
            ticket = (await welcome(first)).resume
            asked = Asked(seat)
            asking.start_soon(asked.run)
            first.say(first_legal(await ask(first)))
            await asked.answered()
            wire.cut()
            await trio.sleep(0.2)
        next_one = Asked(seat)
        asking.start_soon(next_one.run)
        await trio.sleep(0.2)
        with client(wire.address) as second:
            second.say(hello(token, ticket))
            await welcome(second)
            question = await ask(second)
            assert (question.ask_id, question.budget_ms < MINUTE_MS) == (2, True)
            second.say(first_legal(question))
            await next_one.answered()
            assert next_one.reply.blame is None


async def test_nobody_who_comes_back_gets_more_time(server: Served, token: str) -> None:
    limits = Limits(startup_ms=60_000, decision_ms=15_000, reconnect_ms=60_000)
    async with network(server.port) as wire, at_table(limits) as (seat, _):
        with client(wire.address) as first:
            first.say(hello(token))
            await seat.start()
            ticket = (await welcome(first)).resume
            asked = Asked(seat)
            async with trio.open_nursery() as asking:
                asking.start_soon(asked.run)
                budgets = [(await ask(first)).budget_ms]
                for _ in range(2):
                    await trio.sleep(0.5)
                    wire.cut()
                    with client(wire.address) as again:
                        again.say(hello(token, ticket))
                        await welcome(again)
                        budgets.append((await ask(again)).budget_ms)
                assert budgets[0] == 15_000
                assert budgets[1] <= budgets[0] - 500
                assert budgets[2] <= budgets[1] - 500
        assert asked.reply is not None
        assert asked.reply.blame is not None
        assert (asked.reply.blame.kind, asked.reply.think_us) == ("late", [15_000_000])
        with client(wire.address) as late:  # the time is up: there is nothing left to ask
            late.say(hello(token, ticket))
            await welcome(late)
            late.say(answer(1, b"\x21"))
            asked = Asked(seat)
            async with trio.open_nursery() as asking:
                asking.start_soon(asked.run)
                question = await ask(late)
                assert question.ask_id == 2
                late.say(first_legal(question))
            assert asked.reply is not None
            assert asked.reply.blame is None
            assert seat.strikes == 1


JUDGED = [
    ([b"\xff"], "unreadable"),
    ([b"\xff", answer(7, b"\x21")], "unreadable, and more was said"),
    ([answer(1, b"")], "too few actions"),
    ([answer(1, b"\x21"), answer(7, b"\x21")], "answered, and more was said"),
]


@pytest.mark.parametrize(("said", "because"), JUDGED)
async def test_what_is_judged_is_not_asked_again(
    said: list[bytes], because: str, server: Served, token: str
) -> None:
    async with network(server.port) as wire, at_table() as (seat, bot):
        with client(wire.address) as first:
            first.say(hello(token))
            await seat.start()
            ticket = (await welcome(first)).resume
            asked = Asked(seat)
            async with trio.open_nursery() as asking:
                asking.start_soon(asked.run)
                await ask(first)
                first.say(*said)
            await trio.sleep(0.3)  # for the rest of what was said
            wire.cut()
        with client(wire.address) as second:
            second.say(hello(token, ticket))
            await welcome(second)
            asked = Asked(seat)
            async with trio.open_nursery() as asking:
                asking.start_soon(asked.run)
                assert (await ask(second)).ask_id == 2, because
                second.say(answer(2, b"\x21"))
            assert asked.reply is not None
            assert asked.reply.blame is None
        assert bot.reconnects == 1


async def test_what_is_not_judged_is_asked_again(server: Served, token: str) -> None:
    async with network(server.port) as wire, at_table() as (seat, _), trio.open_nursery() as asking:
        with client(wire.address) as first:
            first.say(hello(token))
            await seat.start()
            ticket = (await welcome(first)).resume
            asked = Asked(seat)
            asking.start_soon(asked.run)
            await ask(first)
            first.say(answer(7, b"\x21"))
            await first.hears()
            wire.cut()
        with client(wire.address) as second:
            second.say(hello(token, ticket))
            await welcome(second)
            second.say(first_legal(await ask(second)))
            reply = await asked.answered()
            assert (reply.blame, seat.strikes) == (None, 1)


@pytest.mark.parametrize("reconnect_ms", [0, 300])
async def test_who_does_not_come_back_in_time_is_gone(
    reconnect_ms: int, server: Served, token: str
) -> None:
    limits = Limits(startup_ms=60_000, decision_ms=MINUTE_MS, reconnect_ms=reconnect_ms)
    async with network(server.port) as wire, at_table(limits) as (seat, _):
        with client(wire.address) as first:
            first.say(hello(token))
            await seat.start()
            ticket = (await welcome(first)).resume
            assert bool(ticket) == bool(reconnect_ms)
            asked = Asked(seat)
            async with trio.open_nursery() as asking:
                asking.start_soon(asked.run)
                await ask(first)
                wire.cut()
        assert asked.reply is not None
        assert asked.reply.blame is not None
        assert asked.reply.blame.kind == "gone"
        with client(wire.address) as second:  # the old ticket is worth nothing; a new seat is
            second.say(hello(token, ticket))
            await seat.revive()
            assert not seat.stood_down
            assert (await welcome(second)).resume != ticket or not ticket


async def test_who_never_comes(server: Served) -> None:
    async with at_table(Limits(startup_ms=300)) as (seat, _):
        await seat.start()
        assert seat.stood_down
        assert seat.failure == "failed to start: hasn't dialled in within 300 ms"


async def test_a_dead_network_is_replaced_before_it_is_noticed(server: Served, token: str) -> None:
    async with network(server.port) as wire, at_table() as (seat, _), trio.open_nursery() as asking:
        with client(wire.address) as first:
            first.say(hello(token))
            await seat.start()
            ticket = (await welcome(first)).resume
            asked = Asked(seat)
            asking.start_soon(asked.run)
            await ask(first)
            wire.silent = True
            with client(server.address) as second:
                second.say(hello(token, ticket))
                await welcome(second)
                second.say(first_legal(await ask(second)))
                await asked.answered()
                assert asked.reply.blame is None
            wire.cut()


async def test_another_bot_s_ticket(server: Served, token: str) -> None:
    other = registered("other")
    async with network(server.port) as wire, at_table() as (seat, _):
        with client(wire.address) as first, client(server.address) as thief:
            first.say(hello(token))
            await seat.start()
            ticket = (await welcome(first)).resume
            thief.say(hello(other, ticket))
            async with at_table(name="other") as (elsewhere, _):
                await elsewhere.start()  # it waits like any other
                assert (await welcome(thief)).resume != ticket


async def test_eager_keepalive_and_a_long_think(server: Served, token: str) -> None:
    eager = [("grpc.keepalive_time_ms", 100), ("grpc.http2.max_pings_without_data", 0)]
    async with at_table() as (seat, bot):
        with client(server.address, eager) as far:
            far.say(hello(token))
            await seat.start()
            await welcome(far)
            asked = Asked(seat)
            async with trio.open_nursery() as asking:
                asking.start_soon(asked.run)
                question = await ask(far)
                await trio.sleep(3)
                far.say(first_legal(question))
            assert asked.reply is not None
            assert (asked.reply.blame, bot.reconnects) == (None, 0)


async def test_without_a_lobby(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(LobbyGoneError, match="no `arena serve` works for"):
            await require_lobby(folder)


async def test_a_lobby_that_dies_is_no_bot_s_fault(server: Served, token: str) -> None:
    with pytest.RaisesGroup(LobbyGoneError, flatten_subgroups=True):
        async with at_table() as (seat, _):
            with client(server.address) as far:
                far.say(hello(token))
                await seat.start()
                await welcome(far)
                async with trio.open_nursery() as asking:
                    asking.start_soon(seat.ask, deals(1))
                    await ask(far)
                    server.process.kill()


async def test_what_the_shard_is_told_of_a_bot(server: Served, token: str) -> None:
    async with at_table() as (_, bot):
        with client(server.address) as far:
            far.say(hello(token))
            session = await bot.start()
            assert session.hello == Hello("", "bot", "", 0, 3, False)
            bot._limits = Limits(startup_ms=200)
            with pytest.raises(BotFailedError):
                await bot.start()

"""Strangers do their worst at the door of `arena serve`; a seated bot plays on as if alone."""

import contextlib
import functools
import operator
import os
import queue
import socket
from collections.abc import AsyncIterator, Iterator
from itertools import chain

import grpc
import psutil
import pytest
import trio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.doorman import DoorRules
from arena.v1.arena_pb2 import PlayResponse
from tests.arena.clients import Client, client, hello
from tests.arena.runs import PATIENCE_S
from tests.arena.serving import Papers, Served, network, registered, served
from tests.arena.sessions import first_legal
from tests.arena.tables import Asked, ask, at_table, welcome
from tests.machine import needs_files

RULES = DoorRules()
MORE_MEMORY = 150 << 20
PLAY = "/arena.v1.ArenaService/Play"


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return Papers(tmp_path_factory.mktemp("papers"))


@pytest.fixture
def server(papers: Papers) -> Iterator[Served]:
    with served(*papers.options) as running:
        yield running


@contextlib.asynccontextmanager
async def playing(server: Served, papers: Papers) -> AsyncIterator[None]:
    """Play with a seated bot as long as the context is open; it must get on all the time."""
    async with at_table() as (seat, _):
        with client(server.address, credentials=papers.credentials()) as bot:
            bot.say(hello(registered()))
            await seat.start()
            await welcome(bot)
            push, answers = trio.open_memory_channel[None](0)

            async def play() -> None:
                while True:
                    asked = Asked(seat)
                    async with trio.open_nursery() as asking:
                        asking.start_soon(asked.run)
                        bot.say(first_legal(await ask(bot)))
                    assert asked.reply is not None
                    assert asked.reply.blame is None, asked.reply
                    with contextlib.suppress(trio.WouldBlock):
                        push.send_nowait(None)
                    await trio.sleep(0.01)

            async def gets_on() -> None:
                with trio.fail_after(PATIENCE_S):
                    for _ in range(5):
                        await answers.receive()

            async with trio.open_nursery() as nursery:
                nursery.start_soon(play)
                await gets_on()
                memory = psutil.Process(server.process.pid).memory_info().rss
                yield
                await gets_on()
                more = psutil.Process(server.process.pid).memory_info().rss - memory
                assert more < MORE_MEMORY
                nursery.cancel_scope.cancel()
            assert seat.strikes == 0


@contextlib.contextmanager
def connections(server: Served, count: int) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        made = [socket.socket() for _ in range(count)]
        for each in made:
            stack.enter_context(each)
            each.settimeout(PATIENCE_S)
            each.connect(("127.0.0.1", server.port))
        yield made


async def end(call: grpc.Call) -> grpc.StatusCode:
    """How a stream ends, unless it is too late for that."""

    def heard() -> grpc.StatusCode:
        with contextlib.suppress(grpc.RpcError):
            for _ in call:
                pass
        return call.code()

    with trio.fail_after(RULES.hello_s + PATIENCE_S):
        return await trio.to_thread.run_sync(heard, abandon_on_cancel=True)


async def code(bot: Client) -> grpc.StatusCode:
    """How a stream ends, whatever is said before."""
    while isinstance(said := await bot.hears(), PlayResponse):
        pass
    return said


def many(bot: Client, count: int, *first: bytes) -> list[grpc.Call]:
    """Open streams on a client's connection, on which nothing more is said."""
    play = bot.channel.stream_stream(PLAY)
    return [play(chain(first, iter(queue.SimpleQueue().get, None))) for _ in range(count)]


@needs_files(1500)
async def test_idle_connections(server: Served, papers: Papers) -> None:
    async with playing(server, papers):
        with connections(server, 1000) as idle:
            await trio.sleep(1)
            # They are hung up on when they show nothing.
            with trio.fail_after(RULES.hello_s + PATIENCE_S):
                assert await trio.to_thread.run_sync(idle[0].recv, 10) == b""


@needs_files(RULES.connections + 500)
async def test_more_connections_than_are_taken(server: Served, papers: Papers) -> None:
    async with playing(server, papers):
        with connections(server, RULES.connections + 100):
            await trio.sleep(1)
            files = psutil.Process(server.process.pid).num_fds()
            assert files < RULES.connections + 50
        with client(server.address, credentials=papers.credentials()) as late:
            late.say(hello("wrong"))
            assert await code(late) == grpc.StatusCode.UNAUTHENTICATED


GARBAGE = [
    (os.urandom(1 << 20), "noise"),
    (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 1000, "another protocol"),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\xff\xff\1\5" * 10_000, "HTTP/2 without TLS"),
]


@pytest.mark.parametrize(("garbage", "because"), GARBAGE)
async def test_garbage(garbage: bytes, because: str, server: Served, papers: Papers) -> None:
    async with playing(server, papers):
        for _ in range(20):
            with connections(server, 1) as (sender,):
                await trio.to_thread.run_sync(send, sender, garbage)


def send(sender: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        sender.sendall(data)
        while sender.recv(1 << 16):
            pass


@pytest.mark.parametrize("before_hello", [True, False])
async def test_a_huge_message(before_hello: bool, server: Served, papers: Papers) -> None:
    async with playing(server, papers):
        endless = [("grpc.max_send_message_length", -1)]
        with client(server.address, endless, papers.credentials()) as bot:
            if not before_hello:
                bot.say(hello(registered("other")))
                await trio.sleep(0.5)
            bot.say(bytes(100 << 20))
            assert await code(bot) == grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_hello_that_is_too_long(server: Served, papers: Papers) -> None:
    async with playing(server, papers):
        with client(server.address, credentials=papers.credentials()) as bot:
            bot.say(hello("x" * RULES.hello_bytes))
            assert await code(bot) == grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_small_message_that_unfolds(server: Served, papers: Papers) -> None:
    async with playing(server, papers):
        options = [("grpc.default_compression_algorithm", 2), ("grpc.max_send_message_length", -1)]
        with client(server.address, options, papers.credentials()) as bot:
            bot.say(bytes(7 << 20))
            assert await code(bot) != grpc.StatusCode.OK


async def test_streams_without_hello(server: Served, papers: Papers) -> None:
    """From one address, from many; and in the end they are hung up on."""
    async with playing(server, papers), contextlib.AsyncExitStack() as stack:
        with client(server.address, credentials=papers.credentials()) as bot:
            silent = many(bot, RULES.unheard_per_peer)
            await trio.sleep(0.5)
            one_more = many(bot, 1)[0]
            assert await end(one_more) == grpc.StatusCode.RESOURCE_EXHAUSTED
            crowds = []
            for number in range(2, 3 + RULES.unheard // RULES.unheard_per_peer):
                wire = await stack.enter_async_context(network(server.port, f"127.0.0.{number}"))
                crowd = stack.enter_context(client(wire.address, None, papers.credentials()))
                crowds.append(many(crowd, RULES.unheard_per_peer))
                await trio.sleep(0.3)
            refused = await end(crowds[-1][-1])
            assert refused == grpc.StatusCode.RESOURCE_EXHAUSTED
            ended = await end(silent[0])
            assert ended == grpc.StatusCode.DEADLINE_EXCEEDED
            for each in (*silent, *functools.reduce(operator.iadd, crowds, [])):
                each.cancel()


async def test_a_flood_of_hellos(server: Served, papers: Papers) -> None:
    """Somebody's wrong tokens don't keep out who has a right one at the same address."""
    token = registered("other")
    async with playing(server, papers):
        with client(server.address, credentials=papers.credentials()) as bot:
            ends: list[grpc.StatusCode] = []
            # The more, the slower we are, since the rate refills meanwhile.
            while ends.count(grpc.StatusCode.RESOURCE_EXHAUSTED) <= 20 and len(ends) < 5000:
                calls = many(bot, 20, hello("wrong"))
                ends += [await end(call) for call in calls]
            assert ends.count(grpc.StatusCode.RESOURCE_EXHAUSTED) > 20
            assert ends.count(grpc.StatusCode.UNAUTHENTICATED) >= RULES.hellos[0]
            async with at_table(name="other") as (seat, _):
                with client(server.address, credentials=papers.credentials()) as honest:
                    calls = many(bot, 60, hello("wrong"))
                    honest.say(hello(token))
                    await seat.start()
                    assert not seat.stood_down
                    for call in calls:
                        await end(call)


async def test_wrong_tokens_are_heard_so_often(server: Served, papers: Papers) -> None:
    """Then without a word; a right one from the same address is let in all the same."""
    async with playing(server, papers):
        answers: list[PlayResponse | grpc.StatusCode] = [PlayResponse()]
        # The more, the slower we are, since the rate refills meanwhile.
        while isinstance(answers[-1], PlayResponse) and len(answers) < 1000:
            with client(server.address, credentials=papers.credentials()) as bot:
                bot.say(hello("wrong"))
                answers.append(await bot.hears())
        heard = len(answers) - 2
        assert heard >= RULES.wrong_tokens[0]
        assert answers[-1] == grpc.StatusCode.UNAUTHENTICATED
        async with at_table(name="other") as (seat, _):
            with client(server.address, credentials=papers.credentials()) as bot:
                bot.say(hello(registered("other")))
                await seat.start()
                assert not seat.stood_down
    server.process.terminate()
    lines = server.process.communicate()[1].count("token refused")
    assert 0 < lines <= heard, "whoever isn't worth a word isn't worth a line"


async def test_one_bot_waits_at_so_many_places(server: Served, papers: Papers) -> None:
    token = registered("other")
    async with playing(server, papers):
        with client(server.address, credentials=papers.credentials()) as bot:
            waiting = many(bot, RULES.waiting_per_bot, hello(token))
            await trio.sleep(1)
            one_more = many(bot, 1, hello(token))[0]
            assert await end(one_more) == grpc.StatusCode.OK
            for each in waiting:
                each.cancel()


async def test_calls_beside_the_game(server: Served, papers: Papers) -> None:
    async with playing(server, papers):
        with grpc.secure_channel(server.address, papers.credentials()) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            request = health_pb2.HealthCheckRequest(service="")
            watches = [health.Watch(request) for _ in range(RULES.side_calls_per_peer)]
            for watch in watches:
                await trio.to_thread.run_sync(next, watch)
            one_more = health.Watch(request)
            code = await end(one_more)
            assert code == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert health.Check(request).status == health_pb2.HealthCheckResponse.SERVING
            for watch in watches:
                watch.cancel()

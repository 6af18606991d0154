"""The server with real clients: who is let in, what a broken stream does, and how it stops."""

import contextlib
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import grpc
import psutil
import pytest
import trio

from arena import wire
from arena.errors import OperatorError
from arena.server import open_server
from arena.v1 import arena_pb2
from arena.v1.arena_pb2 import PlayResponse
from tests.arena.clients import TOKEN, Client, answer, client, free_port, hello, met
from tests.arena.runs import PATIENCE_S, ROOT
from tests.arena.waiting import comes


@pytest.fixture(params=["unix", "tcp"])
def address(request: pytest.FixtureRequest, short: Path) -> str:
    return f"unix:{short / 's'}" if request.param == "unix" else f"127.0.0.1:{free_port()}"


@pytest.fixture
def unix(short: Path) -> str:
    return f"unix:{short / 's'}"


async def test_a_conversation(address: str) -> None:
    async with open_server(address) as server:
        with client(server.address) as bot:
            async with met(server, bot) as session:
                assert session.hello == wire.Hello(TOKEN, "bot", "", 0, 3, False)
                for number in range(1, 50):
                    session.send(wire.fault(number, "late", "why", number))
                    heard = await bot.hears()
                    assert isinstance(heard, PlayResponse)
                    assert heard.fault.ask_id == number
                    bot.say(answer(number, b"\x21" * number))
                    data, arrived = await session.receive()
                    assert wire.read_answer(data) == wire.Answer(number, b"\x21" * number)
                    assert arrived > 0
                session.close(wire.goodbye("finished", "over"))
                last = await bot.hears()
                assert isinstance(last, PlayResponse)
                assert last.goodbye.reason == arena_pb2.GOODBYE_REASON_FINISHED
                assert await bot.hears() == grpc.StatusCode.OK
                with pytest.raises(trio.EndOfChannel):
                    await session.receive()
                session.send(b"to nobody")  # and no error


OF_TOMORROW = arena_pb2.PlayRequest(hello=arena_pb2.Hello(token=TOKEN, protocol=99))
REFUSED = [
    (hello("wrong"), grpc.StatusCode.UNAUTHENTICATED, "unknown token"),
    (hello(""), grpc.StatusCode.UNAUTHENTICATED, "unknown token"),
    (b"\xff\xff\xff", grpc.StatusCode.INVALID_ARGUMENT, "3 bytes that are no PlayRequest"),
    (answer(1), grpc.StatusCode.INVALID_ARGUMENT, "the first message must be hello"),
    (OF_TOMORROW.SerializeToString(), grpc.StatusCode.FAILED_PRECONDITION, "this arena speaks"),
]


@pytest.mark.parametrize(("first", "status", "why"), REFUSED)
async def test_who_is_not_let_in(
    first: bytes, status: grpc.StatusCode, why: str, unix: str
) -> None:
    """The statuses are those that the protocol's file promises."""
    async with open_server(unix) as server:
        with server.expect(TOKEN) as arrivals:
            with client(server.address) as bot:
                bot.say(first)
                refusal = await bot.hears()
                assert isinstance(refusal, PlayResponse)
                assert refusal.goodbye.reason == arena_pb2.GOODBYE_REASON_REFUSED
                assert refusal.goodbye.detail.startswith(why)
                assert await bot.hears() == status
            with pytest.raises(trio.WouldBlock):
                arrivals.receive_nowait()


async def test_a_token_lets_in_once(unix: str) -> None:
    async with open_server(unix) as server:
        with client(server.address) as first, client(server.address) as second:
            async with met(server, first):
                second.say(hello())
                refusal = await second.hears()
                assert isinstance(refusal, PlayResponse)
                assert refusal.goodbye.detail == "unknown token: use ARENA_TOKEN, and only once"


async def test_who_comes_too_late_is_told(unix: str) -> None:
    async with open_server(unix) as server:
        with server.expect(TOKEN):
            pass
        with client(server.address) as bot:
            bot.say(hello())
            assert isinstance(refusal := await bot.hears(), PlayResponse)
            assert refusal.goodbye.reason == arena_pb2.GOODBYE_REASON_REFUSED


async def test_a_stream_without_hello_is_ended(unix: str) -> None:
    async with open_server(unix, hello_s=0.2) as server:
        with client(server.address) as bot:
            assert isinstance(refusal := await bot.hears(), PlayResponse)
            assert refusal.goodbye.detail == "no hello came"
            assert await bot.hears() == grpc.StatusCode.DEADLINE_EXCEEDED


async def test_where_nobody_is_expected_few_hellos_are_waited_for(unix: str) -> None:
    """Else a bot could fill the arena's memory with streams that say nothing."""
    async with open_server(unix) as server:
        with client(server.address) as seated, contextlib.ExitStack() as stack:
            async with met(server, seated) as session:
                for _ in range(16):
                    stack.enter_context(client(server.address))
                with trio.fail_after(60):
                    while len(server._hellos) < 16:  # noqa: ASYNC110  # counted on another thread
                        await trio.sleep(0.01)
                another = stack.enter_context(client(server.address))
                assert isinstance(refusal := await another.hears(), PlayResponse)
                assert refusal.goodbye.reason == arena_pb2.GOODBYE_REASON_REFUSED
                assert await another.hears() == grpc.StatusCode.UNAUTHENTICATED
                seated.say(answer(1))
                assert (await session.receive())[0] == answer(1)


async def test_a_slow_hello_is_waited_for(unix: str) -> None:
    async with open_server(unix, hello_s=PATIENCE_S) as server:
        with client(server.address) as bot:
            await trio.sleep(0.5)
            async with met(server, bot) as session:
                assert session.hello.name == "bot"


KILLED = """
    import os, signal, sys, asyncio, grpc
    async def main():
        async with grpc.aio.insecure_channel(sys.argv[1]) as channel:
            call = channel.stream_stream("/arena.v1.ArenaService/Play")()
            await call.write(bytes.fromhex(sys.argv[2]))
            await call.read()
            {end}
    asyncio.run(main())
"""


@pytest.mark.parametrize(
    "end", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "call.cancel()", "return"]
)
async def test_a_client_that_ends_is_noticed_at_once(end: str, address: str) -> None:
    """These clients use grpc.aio, the others here the threads of its elder sister."""
    async with open_server(address) as server:
        with server.expect(TOKEN) as arrivals:
            program = textwrap.dedent(KILLED).format(end=end)
            command = [sys.executable, "-c", program, server.address, hello().hex()]
            process = subprocess.Popen(command)  # noqa: ASYNC220  # starting takes no time
            with trio.fail_after(PATIENCE_S):
                session = await arrivals.receive()
            session.send(wire.fault(1, "late", "", 1))
            with trio.fail_after(60), pytest.raises(trio.EndOfChannel):
                await session.receive()
            await trio.to_thread.run_sync(process.wait)


async def test_a_huge_message_ends_its_stream_alone(unix: str) -> None:
    async with open_server(unix) as server:
        options = [("grpc.max_send_message_length", -1)]
        with client(server.address, options) as bot, client(server.address) as other:
            async with met(server, other) as untouched:
                async with met(server, bot) as session:
                    memory = psutil.Process().memory_info().rss
                    bot.say(answer(1, bytes(100 << 20)))
                    with pytest.raises(trio.EndOfChannel):
                        await session.receive()
                    assert await bot.hears() == grpc.StatusCode.RESOURCE_EXHAUSTED
                    assert psutil.Process().memory_info().rss - memory < 250 << 20  # the client's
                other.say(answer(1))
                assert (await untouched.receive())[0] == answer(1)


async def test_a_flood_waits_in_its_own_stream(unix: str) -> None:
    """The seat reads nothing meanwhile; nothing is lost, and little is held here."""
    flood = 20_000
    async with open_server(unix) as server:
        with client(server.address) as bot:
            async with met(server, bot) as session:
                bot.say(*(answer(number, b"x" * 1000) for number in range(1, flood + 1)))
                await comes(lambda: session._inbox.statistics().current_buffer_used)
                await trio.sleep(1)
                held = session._inbox.statistics().current_buffer_used
                assert 0 < held <= 20
                for number in range(1, 200):
                    data, _ = await session.receive()
                    assert wire.read_answer(data).ask_id == number


@pytest.mark.parametrize("kind", ["unix", "tcp"])
async def test_a_second_server_is_refused(kind: str, unix: str) -> None:
    where = unix if kind == "unix" else f"127.0.0.1:{free_port()}"
    async with open_server(where) as server:
        with pytest.raises(OperatorError, match=where.removeprefix("unix:")):
            async with open_server(where):
                pass
        with client(server.address) as bot:  # the first one goes on
            async with met(server, bot) as session:
                assert session.hello.name == "bot"


@pytest.mark.parametrize("where", ["unix:/no/such/folder/s", "256.0.0.1:99999"])
async def test_an_impossible_address(where: str) -> None:
    with pytest.raises(OperatorError, match=f"cannot listen on {where}"):
        async with open_server(where):
            pass


async def test_stopping_is_quick_whatever_is_open(unix: str) -> None:
    bots = []
    async with open_server(unix) as server:
        for number in range(4):
            bot = Client(server.address)
            bots.append(bot)
            if number:
                async with met(server, bot):
                    pass  # one that says nothing at all, three in the middle of a stream
        start = trio.current_time()
    assert trio.current_time() - start < 30, "nobody is waited for"
    for bot in bots:
        heard = await bot.hears()
        if isinstance(heard, PlayResponse):
            assert heard.goodbye.detail == "no hello came", "whose hello is waited for no more"
            heard = await bot.hears()
        assert isinstance(heard, grpc.StatusCode)
        bot.close()


async def test_eager_keepalive_is_no_reason_to_cut_a_bot_off(unix: str) -> None:
    options = [
        ("grpc.keepalive_time_ms", 100),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_time_between_pings_ms", 100),
    ]
    async with open_server(unix) as server:
        with client(server.address, options) as bot:
            async with met(server, bot) as session:
                await trio.sleep(2)
                session.send(wire.fault(1, "late", "", 1))
                assert isinstance(await bot.hears(), PlayResponse)


@pytest.mark.parametrize("clients", [40])
async def test_many_streams_at_once(clients: int, unix: str) -> None:
    async with open_server(unix) as server, trio.open_nursery() as nursery:
        done: list[Callable[[], None]] = []

        async def one(number: int) -> None:
            token = f"token {number}"
            bot = Client(server.address)
            done.append(bot.close)
            with server.expect(token) as arrivals:
                bot.say(hello(token), answer(number))
                session = await arrivals.receive()
                assert wire.read_answer((await session.receive())[0]).ask_id == number
                session.close()

        for number in range(clients):
            nursery.start_soon(one, number)
    assert len(done) == clients
    for close in done:
        close()


def test_grpc_is_imported_by_the_server_alone() -> None:
    program = "import sys, arena.table, arena.league; print('grpc' in sys.modules)"
    said = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True)
    assert said == "False\n"

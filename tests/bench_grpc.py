"""Bare gRPC beside the arena: as many messages of the same size, and nothing done with them.

Run as a program it is one of the processes: `server ADDRESS MESSAGES BYTES`, which prints
what it took, or `client ADDRESS BYTES`.
"""

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio
import msgspec

from arena import dealing, wire
from arena.executor import pinned_cores
from arena.open_deal import OpenDeal, seat_keys
from arena.records import Key
from arena.rulebook import load
from engine.rules import new_deal

_CLIENTS: Final = 4
_MOST_S: Final = 300
_SERVICE: Final = "bench.Echo"
_ROOT: Final = Path(__file__).parent.parent


class Taken(msgspec.Struct, frozen=True):
    """What the messages of one run took."""

    seconds: float
    server_cpu_s: float


class Sizes(msgspec.Struct, frozen=True):
    """Bytes of the arena's messages."""

    ask: int
    answer: int


def sizes(decisions: int) -> Sizes:
    """Return the mean size of the arena's messages with so many decisions each."""
    chance = random.Random(decisions)
    rules = load("online")
    keys = seat_keys(bytes(32), "l0-a0-s0-d0")
    questions = []
    for number in range(200):
        hands = dealing.hands(bytes(32), number, 32)
        deal = new_deal(rules, hands, dealing.forehand(number))
        open_deal = OpenDeal(Key(0, 0, 0, number, number), deal, keys)
        while not deal.finished:
            questions.append(open_deal.question())
            open_deal.take(chance.choice(deal.legal), 0)
    chance.shuffle(questions)
    asks = [questions[at : at + decisions] for at in range(0, len(questions), decisions)][:-1]
    total = sum(len(wire.ask(number, 1000, ask)) for number, ask in enumerate(asks))
    answer = wire.arena_pb2.Answer(ask_id=len(asks), actions=bytes(decisions))
    request = wire.arena_pb2.PlayRequest(answer=answer)
    return Sizes(round(total / len(asks)), request.ByteSize())


def measure(messages: int, size: Sizes) -> Taken:
    """Exchange so many messages and as many answers with four client processes."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        address = f"unix:{folder}/s"
        server = _start("server", address, str(messages), str(size.ask))
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n", "the server failed"
        clients = [_start("client", address, str(size.answer)) for _ in range(_CLIENTS)]
        try:
            output, _ = server.communicate(timeout=_MOST_S)
        finally:
            for process in (server, *clients):
                process.kill()
                process.wait()
    return msgspec.json.decode(output, type=Taken)


def _start(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bench_grpc", *arguments],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
    )


class _Echo:
    """Sends the same message to all clients, one in flight each, as the arena does."""

    def __init__(self, messages: int, size: int) -> None:
        self._each = messages // _CLIENTS
        self._message = bytes(size)
        self._gate = asyncio.Barrier(_CLIENTS + 1)

    async def talk(self, _requests: object, context: Any) -> None:
        await context.read()
        await self._gate.wait()
        for _ in range(self._each):
            await context.write(self._message)
            await context.read()
        await self._gate.wait()

    async def timed(self) -> Taken:
        await self._gate.wait()
        begun, cpu_s = time.monotonic(), time.process_time()
        await self._gate.wait()
        return Taken(time.monotonic() - begun, time.process_time() - cpu_s)


async def _serve(address: str, messages: int, size: int) -> None:
    echo = _Echo(messages, size)
    handler: Any = grpc.stream_stream_rpc_method_handler(echo.talk)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(_SERVICE, {"Talk": handler}),)
    )
    server.add_insecure_port(address)
    await server.start()
    _pin()
    print("ready", flush=True)
    taken = await echo.timed()
    await server.stop(grace=0.2)
    print(msgspec.json.encode(taken).decode(), flush=True)


def _pin() -> None:
    """Keep this process where the arena keeps its shard."""
    core = next(pinned_cores(1))
    if core is not None:
        for thread in Path("/proc/self/task").iterdir():
            os.sched_setaffinity(int(thread.name), {core})


async def _answer(address: str, size: int) -> None:
    reply = bytes(size)
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.stream_stream(f"/{_SERVICE}/Talk")()
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.write(b"hello")
            while await call.read() is not grpc.aio.EOF:
                await call.write(reply)


def main() -> None:
    role, address, *numbers = sys.argv[1:]
    if role == "server":
        messages, size = map(int, numbers)
        asyncio.run(_serve(address, messages, size))
    else:
        asyncio.run(_answer(address, int(numbers[0])))


if __name__ == "__main__":
    main()

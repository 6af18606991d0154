"""Connects a bot to the arena: the author writes `choose`, this module does the talking."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import grpc
from arena_remote import dial, stay, streams

from arena.v1 import arena_pb2, arena_pb2_grpc

Observation: TypeAlias = arena_pb2.Decision
"""All that the seat may know; `arena.proto` explains every field."""

Choose: TypeAlias = Callable[[Observation], int]
"""Returns one of `observation.legal`."""

Learn: TypeAlias = Callable[[dict[str, Any]], Choose]
"""Returns what chooses by these rules; their keys are those of a rule-set file."""

REVISION = 1
"""The protocol revision that this client speaks."""


def play(choose: Choose, *, name: str, version: str, max_batch: int = 64) -> None:
    """Answer with `choose` until the arena ends the stream, hangs up or sends SIGTERM.

    Up to `max_batch` decisions arrive at once; `choose` gets them one by one. An exception in
    `choose` ends the bot with a traceback. Where the environment holds ARENA_STREAMS, the bot
    dials in by itself, table after table: see `arena_remote`.
    """
    play_by_rules(lambda _rules: choose, name=name, version=version, max_batch=max_batch)


def play_by_rules(learn: Learn, *, name: str, version: str, max_batch: int = 64) -> None:
    """Do what `play` does with a `choose` that `learn` makes for the table's rules."""
    hello = arena_pb2.Hello(
        token=os.environ.get("ARENA_TOKEN", ""),
        name=name,
        version=version,
        protocol=REVISION,
        max_batch=max_batch,
    )
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, _leave)
    asyncio.run(_visit(_address(), hello, learn, streams()))


def _leave(_number: int, _frame: object) -> None:
    sys.exit(0)


def _address() -> str:
    address = os.environ.get("ARENA_ADDRESS")
    if not address:
        sys.exit("ARENA_ADDRESS is not set; the arena sets it when it starts a bot")
    return address


async def _visit(address: str, hello: arena_pb2.Hello, learn: Learn, seats: int | None) -> None:
    async with dial(address) as channel:
        stub = arena_pb2_grpc.ArenaServiceStub(channel)

        def table() -> Table:
            return Table(stub.Play(), learn)

        if seats is not None:
            await stay(table, hello, seats)
            return
        try:
            await table().play(hello)
        except grpc.aio.AioRpcError as error:
            sys.exit(f"no arena at {address}: {error.details()}")


class Table:
    """One stream: a seat at one table."""

    def __init__(self, call: Any, learn: Learn) -> None:
        self.welcomed = asyncio.Event()
        """Set once a table has taken the bot."""
        self.welcome = arena_pb2.Welcome()
        self.goodbye = arena_pb2.Goodbye()
        """Says why the stream has ended; without a reason it broke."""
        self._call = call
        self._learn = learn

    async def play(self, hello: arena_pb2.Hello) -> None:
        """Answer until the stream ends. Raises AioRpcError when it never came about."""
        await self._call.write(arena_pb2.PlayRequest(hello=hello))
        response = await self._call.read()
        try:
            while response is not grpc.aio.EOF:
                await self._take(response)
                response = await self._call.read()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return  # the arena is gone, which is no fault of the bot

    async def end(self) -> grpc.StatusCode:
        """Return how the stream has ended; one that hasn't is given up."""
        self._call.cancel()
        code: grpc.StatusCode = await self._call.code()
        return code

    async def _take(self, response: arena_pb2.PlayResponse) -> None:
        kind = response.WhichOneof("kind")
        if kind == "welcome":
            self.welcome = response.welcome
            self._choose = self._learn(json.loads(response.welcome.rule_set_json))
            self.welcomed.set()
        elif kind == "ask":
            await self._call.write(_answer(response.ask, self._choose))
        elif kind == "fault":
            print(f"fault: {response.fault.detail}", file=sys.stderr, flush=True)
        elif kind == "goodbye":
            self.goodbye = response.goodbye
            _report(response.goodbye)


def _answer(ask: arena_pb2.Ask, choose: Choose) -> arena_pb2.PlayRequest:
    actions = bytes(map(choose, ask.decisions))
    return arena_pb2.PlayRequest(answer=arena_pb2.Answer(ask_id=ask.ask_id, actions=actions))


def _report(goodbye: arena_pb2.Goodbye) -> None:
    if goodbye.reason != arena_pb2.GOODBYE_REASON_FINISHED:
        print(f"goodbye: {goodbye.detail}", file=sys.stderr, flush=True)

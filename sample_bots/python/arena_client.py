"""Connects a bot to the arena: the author writes `choose`, this module does the talking."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import grpc

from arena.v1 import arena_pb2, arena_pb2_grpc

Observation: TypeAlias = arena_pb2.Decision
"""All that the seat may know; `arena.proto` explains every field."""

Choose: TypeAlias = Callable[[Observation], int]
"""Returns one of `observation.legal`."""

Learn: TypeAlias = Callable[[dict[str, Any]], Choose]
"""Returns what chooses by these rules; their keys are those of a rule-set file."""

REVISION = 1
"""The protocol revision that this client speaks."""

_MESSAGE_BYTES = 4 * 1024 * 1024
_OPTIONS = (
    ("grpc.max_send_message_length", _MESSAGE_BYTES),
    ("grpc.max_receive_message_length", _MESSAGE_BYTES),
)


def play(choose: Choose, *, name: str, version: str, max_batch: int = 64) -> None:
    """Answer with `choose` until the arena ends the stream, hangs up or sends SIGTERM.

    Up to `max_batch` decisions arrive at once; `choose` gets them one by one. An exception in
    `choose` ends the bot with a traceback.
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
    asyncio.run(_serve(_address(), hello, learn))


def _leave(_number: int, _frame: object) -> None:
    sys.exit(0)


def _address() -> str:
    address = os.environ.get("ARENA_ADDRESS")
    if not address:
        sys.exit("ARENA_ADDRESS is not set; the arena sets it when it starts a bot")
    return address


async def _serve(address: str, hello: arena_pb2.Hello, learn: Learn) -> None:
    async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
        call = arena_pb2_grpc.ArenaServiceStub(channel).Play()
        try:
            await call.write(arena_pb2.PlayRequest(hello=hello))
            first = await call.read()
        except grpc.aio.AioRpcError as error:
            sys.exit(f"no arena at {address}: {error.details()}")
        try:
            await _converse(call, first, learn)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return  # the arena is gone, which is no fault of the bot


async def _converse(call: Any, response: Any, learn: Learn) -> None:
    choose: Choose | None = None
    while response is not grpc.aio.EOF:
        kind = response.WhichOneof("kind")
        if kind == "welcome":
            choose = learn(json.loads(response.welcome.rule_set_json))
        elif kind == "ask":
            assert choose is not None, "the welcome comes first"
            await call.write(_answer(response.ask, choose))
        elif kind == "fault":
            print(f"fault: {response.fault.detail}", file=sys.stderr, flush=True)
        elif kind == "goodbye":
            _report(response.goodbye)
        response = await call.read()


def _answer(ask: arena_pb2.Ask, choose: Choose) -> arena_pb2.PlayRequest:
    actions = bytes(map(choose, ask.decisions))
    return arena_pb2.PlayRequest(answer=arena_pb2.Answer(ask_id=ask.ask_id, actions=actions))


def _report(goodbye: arena_pb2.Goodbye) -> None:
    if goodbye.reason != arena_pb2.GOODBYE_REASON_FINISHED:
        print(f"goodbye: {goodbye.detail}", file=sys.stderr, flush=True)

"""A bot's end of the stream for a program without gRPC: messages as JSON lines.

A line holds one message of `arena.proto`, in the protobuf JSON mapping but for this: fields
keep the names that they have in the file, each field is there even when it is 0 or empty,
and `bytes` are arrays of small integers. Only the kinds that aren't said are left out:

    {"hello":{}}
    {"ask":{"ask_id":1,"budget_ms":400,"decisions":[{"handle":7, ... "legal":[33,34]}]}}
    {"answer":{"ask_id":1,"actions":[33]}}

The command says hello when it is ready, since the clock of its first decision may start
right after; what its hello leaves out is filled in.

Runs in a process of its own, on asyncio.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Coroutine, Sequence
from typing import Annotated, Any, Final, TypeVar

import grpc
import grpc.aio
import msgspec
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from arena.endings import ending_signals
from arena.errors import ArenaError, OperatorError
from arena.exits import exit_text
from arena.tether import tethered
from arena.v1 import arena_pb2, arena_pb2_grpc

_PROTOCOL: Final = 1
"""The protocol revision that this client speaks; not the arena's, should that go on."""
_GRACE_S: Final = 0.4
"""From the end of the command's input to SIGTERM, and from there to SIGKILL.

Both must fit into the time that the arena gives the bridge itself.
"""
_LONGEST_LINE: Final = 1 << 20
_HELLO_HINT_S: Final = 2
"""After so long without a hello the author is told that one is waited for."""
_HELLO_HINT: Final = 'still waiting for the first line of the command, such as {"hello":{}}'

_Uint32 = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
_Byte = Annotated[int, msgspec.Meta(ge=0, lt=1 << 8)]
_Some = TypeVar("_Some")

Tell = Callable[[str], None]
"""Takes a sentence for the bot's author."""


class BotError(ArenaError):
    """The command ended too early, or said what can't be passed on."""

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class Hello(msgspec.Struct, frozen=True):
    """How the command is introduced where its own hello says nothing."""

    name: str
    version: str
    max_batch: int


class _Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""
    version: str = ""
    max_batch: _Uint32 = 0
    want_deal_ended: bool = False


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ask_id: _Uint32
    actions: list[_Byte]


class _HelloLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hello: _Hello


class _AnswerLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answer: _Answer


def run(command: Sequence[str], hello: Hello, tell: Tell) -> int:
    """Start the command and carry messages until the arena says goodbye; return 0.

    A signal to stop is obeyed and no failure. Raises OperatorError, BotError, and ArenaError
    when the stream breaks.
    """
    address = os.environ.get("ARENA_ADDRESS")
    if not address:
        raise OperatorError("ARENA_ADDRESS is not set; the arena sets it when it starts a bot")
    if shutil.which(command[0]) is None:
        raise OperatorError(f"there is no program {command[0]!r}; correct the bot's command")
    asyncio.run(_run(address, command, hello, tell))
    return 0


async def _run(address: str, command: Sequence[str], hello: Hello, tell: Tell) -> None:
    process = await asyncio.create_subprocess_exec(
        *tethered(), *command, stdin=PIPE, stdout=PIPE, limit=_LONGEST_LINE
    )
    playing = asyncio.create_task(_play(address, process, hello, tell))
    _let_signals_cancel(playing)
    try:
        finished = await playing
    except asyncio.CancelledError:
        finished = True
    finally:
        await _end(process)
        await _let_go(process)
    if not finished:
        status = process.returncode or 0
        raise BotError(
            f"the command's output ended before the arena said goodbye: {exit_text(status)}",
            128 - status if status < 0 else status,
        )


def _let_signals_cancel(playing: "asyncio.Task[bool]") -> None:
    """Stop playing on a signal, but never the ending of the command that follows."""
    for number in ending_signals():
        asyncio.get_running_loop().add_signal_handler(number, playing.cancel)


async def _end(process: Process) -> None:
    """End the command: it may leave by itself, should when told to, and must in the end."""
    assert process.stdin is not None
    process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if await _ended(process):
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
    await _ended(process)


async def _let_go(process: Process) -> None:
    """Close what a child of the command may hold open, which the loop's end would complain of."""
    transport: Any = vars(process)["_transport"]  # asyncio has no public way to it
    transport.close()
    await asyncio.sleep(0)  # closing takes a turn of the loop


async def _ended(process: Process) -> bool:
    """Wait a moment; return whether the command has ended, even if its pipes live on."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _GRACE_S)
    return process.returncode is not None


async def _play(address: str, process: Process, hello: Hello, tell: Tell) -> bool:
    """Return whether the arena ended the conversation, else the command did."""
    assert process.stdin is not None
    assert process.stdout is not None
    hint = asyncio.get_running_loop().call_later(_HELLO_HINT_S, tell, _HELLO_HINT)
    line = await _line(process.stdout)
    hint.cancel()
    if not line:
        return False
    greeting = _greeting(_read(line, _HelloLine).hello, hello)
    async with grpc.aio.insecure_channel(address) as channel:
        call = arena_pb2_grpc.ArenaServiceStub(channel).Play()
        try:
            await call.write(greeting)
            return await _first_of(
                _listen(call, process.stdin, tell), _answer(process.stdout, call)
            )
        except grpc.aio.AioRpcError as error:
            raise ArenaError(f"no stream to the arena at {address}: {error.details()}") from None


def _greeting(said: _Hello, otherwise: Hello) -> arena_pb2.PlayRequest:
    hello = arena_pb2.Hello(
        token=os.environ.get("ARENA_TOKEN", ""),
        protocol=_PROTOCOL,
        **msgspec.structs.asdict(otherwise),
    )
    hello.MergeFrom(arena_pb2.Hello(**msgspec.structs.asdict(said)))
    return arena_pb2.PlayRequest(hello=hello)


async def _first_of(*parts: Coroutine[Any, Any, _Some]) -> _Some:
    """Return or raise as the part that ends first; of several, as the first of them."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        ended = next(task for task in tasks if task.done())
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return ended.result()


async def _listen(call: Any, to_command: asyncio.StreamWriter, tell: Tell) -> bool:
    """Pass on what the arena says until it says goodbye or ends the stream.

    Doesn't wait for a command that doesn't read, for then it would miss the goodbye.
    """
    while isinstance(response := await call.read(), Message):
        if content := as_json(response):
            to_command.write(json.dumps(content, separators=(",", ":")).encode() + b"\n")
            _report(content, tell)
        if "goodbye" in content:
            break
    return True


def _report(content: dict[str, Any], tell: Tell) -> None:
    if "fault" in content:
        tell(f"fault: {content['fault']['detail']}")
    if "goodbye" in content and content["goodbye"]["reason"] != "GOODBYE_REASON_FINISHED":
        tell(f"goodbye: {content['goodbye']['detail']}")


async def _answer(of_command: asyncio.StreamReader, call: Any) -> bool:
    """Pass on what the command answers until its output ends."""
    while line := await _line(of_command):
        answer = _read(line, _AnswerLine).answer
        message = arena_pb2.Answer(ask_id=answer.ask_id, actions=bytes(answer.actions))
        # The stream may have ended; then `_listen` hears of it, and why.
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.write(arena_pb2.PlayRequest(answer=message))
    return False


async def _line(of_command: asyncio.StreamReader) -> bytes:
    """Return the next line, empty at the end. Raises BotError for an endless one."""
    try:
        return await of_command.readline()
    except ValueError:
        raise BotError(f"the command printed a line of over {_LONGEST_LINE} bytes") from None


def _read(line: bytes, kind: type[_Some]) -> _Some:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BotError(
            f"the command printed {line[:100]!r}: {error}; "
            "print first a hello, then answers, one per line, and all else to standard error"
        ) from None


def as_json(message: Message) -> dict[str, Any]:
    """Return a message as the command reads it."""
    return {
        field.name: _plain(field, getattr(message, field.name))
        for field in message.DESCRIPTOR.fields
        if not field.has_presence or message.HasField(field.name)
    }


def _plain(field: Any, value: Any) -> Any:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return [as_json(each) for each in value] if field.is_repeated else as_json(value)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return list(value)
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return value if known is None else known.name
    return value

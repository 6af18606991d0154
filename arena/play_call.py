"""The one call that bots make, as both of the arena's servers answer it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import grpc
import grpc.aio

from arena import wire

SERVICE: Final = "arena.v1.ArenaService"
Context = grpc.aio.ServicerContext[Any, Any]

_REFUSAL_S: Final = 2.0
"""Time for a stranger to take its refusal."""


def add_to(server: grpc.aio.Server, play: Callable[[object, Context], Awaitable[None]]) -> None:
    """Have a server answer the call; messages come and go as bytes."""
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),)
    )


class Hellos:
    """Waits for the first message of each stream."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._reads: set[asyncio.Future[object]] = set()

    def __len__(self) -> int:
        """Return how many streams haven't said anything yet."""
        return len(self._reads)

    async def first(self, context: Context) -> object:
        """Return a stream's first message. Raises TimeoutError when it doesn't come."""
        read = asyncio.ensure_future(context.read())
        self._reads.add(read)
        try:
            await asyncio.wait({read}, timeout=self._seconds)
            if read.cancelled() or not read.done():
                raise TimeoutError
            return read.result()
        finally:
            self._reads.discard(read)
            read.cancel()

    def give_up(self) -> None:
        """Wait no longer for any. gRPC mustn't cut off a handler: it leaks then."""
        for read in self._reads:
            read.cancel()


async def refuse_hello(context: Context, error: wire.GarbledError | TimeoutError) -> None:
    """Turn away who sent no hello that can be read, or none in time."""
    code = grpc.StatusCode.INVALID_ARGUMENT
    if isinstance(error, TimeoutError):  # which may be the network's fault
        code = grpc.StatusCode.DEADLINE_EXCEEDED
    await turn_away(context, code, str(error) or "no hello came")


async def refuse_revision(context: Context) -> None:
    """Turn away who speaks a newer revision of the protocol."""
    why = f"this arena speaks protocol revision {wire.PROTOCOL} at most"
    await turn_away(context, grpc.StatusCode.FAILED_PRECONDITION, why)


async def turn_away(context: Context, code: grpc.StatusCode, why: str) -> None:
    """Say why, unless that is empty, and end the call with this status."""
    if why:
        # Who doesn't take it, or is gone, misses it.
        with suppress(TimeoutError, grpc.aio.BaseError, asyncio.InvalidStateError):
            await asyncio.wait_for(context.write(wire.goodbye("refused", why)), _REFUSAL_S)
    set_status(context, code, why)


def set_status(context: Context, code: grpc.StatusCode, why: str) -> None:
    """Let the call end with this status."""
    context.set_code(code)
    context.set_details(why)

"""Dials an arena that is elsewhere, and comes back for table after table.

The environment says how: ARENA_TLS names a file with the authorities to trust (or is `system`
for those of the machine), ARENA_CERTIFICATE and ARENA_KEY hold what an arena with client
certificates wants to see. ARENA_STREAMS is the most seats at once: one stream more than are
seated waits at the arena's.
"""

import asyncio
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc

from arena.v1 import arena_pb2

_MESSAGE_BYTES = 4 * 1024 * 1024
_OPTIONS = (
    ("grpc.max_send_message_length", _MESSAGE_BYTES),
    ("grpc.max_receive_message_length", _MESSAGE_BYTES),
)
_FROM_AFAR = (
    *_OPTIONS,
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)
_FOR_GOOD = {
    grpc.StatusCode.UNAUTHENTICATED: "doesn't take the token",
    grpc.StatusCode.INVALID_ARGUMENT: "can't read the hello",
    grpc.StatusCode.FAILED_PRECONDITION: "doesn't speak the bot's protocol",
}
"""Ends of a stream that trying again makes no better."""
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0


def dial(address: str) -> grpc.aio.Channel:
    """Return a channel to the arena, with TLS where the environment asks for it."""
    authorities = os.environ.get("ARENA_TLS")
    if not authorities:
        afar = _FROM_AFAR if "ARENA_STREAMS" in os.environ else _OPTIONS
        return grpc.aio.insecure_channel(address, options=afar)
    key, certificate = _content("ARENA_KEY"), _content("ARENA_CERTIFICATE")
    if (key is None) != (certificate is None):
        sys.exit("ARENA_CERTIFICATE and ARENA_KEY belong together; only one of them is set")
    trusted = None if authorities == "system" else _content("ARENA_TLS")
    credentials = grpc.ssl_channel_credentials(trusted, key, certificate)
    return grpc.aio.secure_channel(address, credentials, options=_FROM_AFAR)


def _content(name: str) -> bytes | None:
    file = os.environ.get(name)
    try:
        return Path(file).read_bytes() if file else None
    except OSError as error:
        sys.exit(f"{name}: cannot read {file}: {error.strerror}")


def streams() -> int | None:
    """Return at how many seats the bot may sit at once; None where it doesn't dial in by itself."""
    said = os.environ.get("ARENA_STREAMS")
    if said is None:
        return None
    if not said.isdecimal() or int(said) == 0:
        sys.exit(f"ARENA_STREAMS must be a number of seats, not {said!r}")
    if not os.environ.get("ARENA_TOKEN"):
        sys.exit("ARENA_TOKEN is not set; it holds the token that `arena register` printed")
    return int(said)


class _RefusedError(Exception):
    """The arena will never take this bot as it is."""


async def stay(table: Callable[[], Any], hello: arena_pb2.Hello, seats: int) -> None:
    """Keep a stream waiting while fewer than `seats` are taken, until it is refused for good.

    `table` opens a stream.
    """
    free = asyncio.Semaphore(seats)
    refusals: list[str] = []
    let_in = False
    try:
        async with asyncio.TaskGroup() as group:
            while True:
                await free.acquire()
                seated = asyncio.Event()
                sitting = group.create_task(_sit(table, hello, seated))
                sitting.add_done_callback(lambda _: free.release())
                await seated.wait()
                if not let_in:
                    let_in = True
                    print("let in, and seated at a first table", file=sys.stderr, flush=True)
    except* _RefusedError as errors:
        refusals += map(str, errors.exceptions)
    sys.exit(refusals[0])


async def _sit(table: Callable[[], Any], hello: arena_pb2.Hello, seated: asyncio.Event) -> None:
    """Wait for a table and play to its end, however often the stream breaks."""
    resume, back_by, pause_s = "", 0.0, _FIRST_PAUSE_S
    while True:
        now = asyncio.get_running_loop().time()
        if resume and now > back_by:
            return  # somebody else sits there by now
        mine = arena_pb2.Hello()
        mine.CopyFrom(hello)
        mine.resume = resume
        stream = table()
        welcomed = asyncio.ensure_future(_tell(stream.welcomed, seated))
        try:
            await stream.play(mine)
        except grpc.aio.AioRpcError as error:
            print(f"no arena: {_in_words(error)}", file=sys.stderr, flush=True)
        finally:
            welcomed.cancel()
        if (code := await stream.end()) in _FOR_GOOD:
            raise _RefusedError(f"this arena {_FOR_GOOD[code]}")
        if stream.welcomed.is_set():
            seated.set()
            pause_s = _FIRST_PAUSE_S
            resume = stream.welcome.resume
            reconnect_s = stream.welcome.reconnect_ms / 1000
            back_by = asyncio.get_running_loop().time() + reconnect_s
            if not resume or stream.goodbye.reason:
                return
        await asyncio.sleep(pause_s * random.uniform(0.5, 1))
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


def _in_words(error: grpc.aio.AioRpcError) -> str:
    details = error.details() or ""
    if "CERTIFICATE_VERIFY_FAILED" in details:
        return f"ARENA_TLS doesn't vouch for the arena's certificate ({details})"
    if "SSL" in details or "TLS" in details or "handshake" in details.lower():
        return f"one of the two speaks TLS and the other doesn't, or not so ({details})"
    return details


async def _tell(welcomed: asyncio.Event, seated: asyncio.Event) -> None:
    await welcomed.wait()
    seated.set()

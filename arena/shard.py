"""A shard's process: one table, four bots, finished deals up the pipe at once.

Run as `python -m arena.shard PARENT_PID`; the specification comes on standard input,
whose end also means that the coordinator is gone.
"""

import os
import sys
from pathlib import Path

import structlog
import trio

from arena import frames, logs
from arena.endings import CancelAtOne, endings
from arena.frames import ShardSpec
from arena.framing import LENGTH_BYTES, length_of
from arena.playing import play_shard
from arena.process import adopt_orphans, die_with_parent, kill_descendants
from arena.scratch import remove_tree


async def _main(spec: ShardSpec, output: int, cancel_at_one: CancelAtOne) -> None:
    async with trio.open_nursery() as nursery:
        cancel_at_one(nursery.cancel_scope)
        nursery.start_soon(_cancel_on_end_of_input, nursery.cancel_scope)
        async with trio.lowlevel.FdStream(output) as stream:
            await play_shard(spec, stream)
        nursery.cancel_scope.cancel()


async def _cancel_on_end_of_input(scope: trio.CancelScope) -> None:
    async with trio.lowlevel.FdStream(os.dup(0)) as stream:
        async for _ in stream:
            pass
    scope.cancel()


def _read_spec() -> ShardSpec:
    length = length_of(_read_exactly(LENGTH_BYTES), frames.MOST_BYTES)
    return frames.decode_spec(_read_exactly(length))


def _read_exactly(size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(0, size - len(data))
        if not chunk:
            sys.exit("arena.shard is started by the arena, not by hand")
        data += chunk
    return bytes(data)


def main() -> None:
    """Run one shard process."""
    if len(sys.argv) != 2:
        sys.exit("arena.shard is started by the arena, not by hand")
    die_with_parent(int(sys.argv[1]))
    adopt_orphans()
    logs.to_stderr()
    output = os.dup(1)
    os.dup2(2, 1)  # a stray print must not end up in the frames
    spec = _read_spec()
    structlog.contextvars.bind_contextvars(league=spec.league, table=spec.shard.id)
    with endings() as cancel_at_one:
        try:
            trio.run(_main, spec, output, cancel_at_one)
        finally:
            kill_descendants()
            remove_tree(Path(spec.scratch))


if __name__ == "__main__":
    main()

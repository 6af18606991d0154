"""Launches bots by the thousand beside busy streams: `python -m tests.launches --help`.

Most are bots that are up in a few milliseconds, some the sample bot with its gRPC library.
Starting processes beside running gRPC threads is where others hang. A launch or an answer
that doesn't come ends this program with all its stacks and a bad exit code.
"""

import argparse
import faulthandler
import json
import sys
import tempfile
import time
from collections import deque
from itertools import count
from pathlib import Path
from typing import Final

import psutil
import trio

from arena import wire
from arena.launcher import Grounds, Launcher
from arena.process import _reap, adopt_orphans
from arena.records import BotEntry, Limits
from arena.rulebook import load
from arena.sandbox import Sandbox, probe
from arena.server import Server, open_server
from arena.session import Session
from arena.wire import Question
from engine.rules import new_deal
from engine.view import observe

_ROOT: Final = Path(__file__).parent.parent
_SAMPLE_BOT: Final = BotEntry(
    name="random",
    version="1",
    command=(sys.executable, "random_bot.py"),
    folder=str(_ROOT / "sample_bots" / "python"),
    digest="",
)
_LIGHT_BOT: Final = BotEntry(
    name="light",
    version="1",
    command=(sys.executable, "-I", "-S", str(_ROOT / "tests" / "bots" / "light_bot.py")),
    folder=str(_ROOT / "tests" / "bots"),
    digest="",
)
_SAMPLE_EVERY: Final = 20
"""One launch in so many is of the sample bot."""
_REAPED_EVERY: Final = 100
"""Launches; a sandbox's inner processes become this program's children when they have ended."""
_STARTUP_MS: Final = 30_000
_HANGS_AFTER_S: Final = 60
"""So long without a single launch, or without an answer, is a hang."""
_BATCH: Final = 16
_PAUSE_S: Final = 0.005
"""Between two asks of a busy stream, so that launches get a share of the machine."""
_HANDS: Final = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)


class Bench:
    """Counts what goes on beside what."""

    def __init__(self, server: Server, nursery: trio.Nursery, scratch: Path) -> None:
        limits = Limits(startup_ms=_STARTUP_MS)
        socket = Path(server.address.removeprefix("unix:"))
        self._grounds = Grounds(server, socket, limits, Sandbox(probe().level))
        self._nursery = nursery
        self._scratch = scratch
        self._question = Question(1, 1, observe(new_deal(load("online"), _HANDS, 0)))
        self.launches = 0
        self.answers = 0

    def launcher(self, name: str, bot: BotEntry) -> Launcher:
        place = self._scratch / name
        return Launcher(self._nursery, self._grounds, bot, place, place / "log")

    async def welcomed(self, launcher: Launcher) -> Session:
        session = await launcher.start()
        session.send(
            wire.welcome(
                seat=0, rule_set_json="{}", limits=Limits(decision_ms=1000), max_batch=_BATCH
            )
        )
        return session

    async def asked(self, session: Session, ask_id: int) -> None:
        """Put a batch of questions and wait for the answer."""
        session.send(wire.ask(ask_id, 1000, [self._question] * _BATCH))
        with trio.fail_after(_HANGS_AFTER_S):
            data, _ = await session.receive()
        answer = wire.read_answer(data)
        assert answer.ask_id == ask_id
        assert len(answer.actions) == _BATCH
        self.answers += 1

    async def stay_busy(self, number: int, ready: trio.Event) -> None:
        """Keep one stream busy for ever."""
        launcher = self.launcher(f"busy{number}", _SAMPLE_BOT)
        try:
            session = await self.welcomed(launcher)
            ready.set()
            for ask_id in count(1):
                await self.asked(session, ask_id)
                await trio.sleep(_PAUSE_S)
        finally:
            await launcher.stop()

    async def launch_once(self, launcher: Launcher, turn: int) -> None:
        session = await self.welcomed(launcher)
        if turn % 3 == 0:
            await self.asked(session, 1)
            session.close(wire.goodbye("finished", "enough"))
        elif turn % 3 == 1:
            session.send(wire.ask(1, 1000, [self._question] * _BATCH))

    async def launch_again_and_again(self, number: int, coming: deque[int]) -> None:
        """Launch bots and end them: politely, in the middle of a question, or at once."""
        light, sample = (
            self.launcher(f"{bot.name}{number}", bot) for bot in (_LIGHT_BOT, _SAMPLE_BOT)
        )
        while coming:
            turn = coming.popleft()
            launcher = light if turn % _SAMPLE_EVERY else sample
            try:
                await self.launch_once(launcher, turn)
            finally:  # without this a failure would look like a hang
                await launcher.stop()
            self.launches += 1
            if self.launches % _REAPED_EVERY == 0:
                _reap(())
            faulthandler.dump_traceback_later(_HANGS_AFTER_S, exit=True)


async def run(launches: int, streams: int, at_once: int) -> dict[str, float]:
    """Return what was seen; raises when something doesn't come in time."""
    me = psutil.Process()
    with tempfile.TemporaryDirectory(prefix="launches-") as name:
        async with (
            open_server(f"unix:{name}/s") as server,
            trio.open_nursery() as bots,
            trio.open_nursery() as busy,
        ):
            bench = Bench(server, bots, Path(name))
            for number in range(streams):
                ready = trio.Event()
                busy.start_soon(bench.stay_busy, number, ready)
                await ready.wait()
            before, begun = me.num_fds(), time.monotonic()
            coming = deque(range(launches))
            async with trio.open_nursery() as brief:
                for number in range(at_once):
                    brief.start_soon(bench.launch_again_and_again, number, coming)
            await trio.sleep(1)  # the ends of the last streams arrive
            seen = {
                "launches": bench.launches,
                "seconds": round(time.monotonic() - begun, 1),
                "answers": bench.answers,
                "descriptors_more": me.num_fds() - before,
            }
            busy.cancel_scope.cancel()
    left = [each for each in me.children(recursive=True) if each.status() != psutil.STATUS_ZOMBIE]
    return {**seen, "processes_left": len(left)}


def main() -> None:
    options = _options()
    adopt_orphans()
    faulthandler.dump_traceback_later(_HANGS_AFTER_S, exit=True)
    print(json.dumps(trio.run(run, options.launches, options.streams, options.at_once)))
    faulthandler.cancel_dump_traceback_later()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.launches", description=__doc__)
    parser.add_argument("--launches", type=int, default=10_000, help="how many (10000)")
    parser.add_argument("--streams", type=int, default=3, help="busy streams beside them (3)")
    parser.add_argument("--at-once", type=int, default=8, help="bots launched at once (8)")
    return parser.parse_args()


if __name__ == "__main__":
    main()

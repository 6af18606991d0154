"""A bot that behaves badly on demand, and well at every other moment.

It speaks to the arena in bytes, so that it can say what no library would let it say.
"""

import argparse
import contextlib
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import grpc
from excesses import EXCESSES, polite

from arena.v1.arena_pb2 import ACTION_PASS, Answer, Ask, Hello, PlayRequest, PlayResponse

IGNORES_SIGTERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep"
HUNDRED_MEGABYTES = 100 << 20


class Bot:
    """One stream: what it says goes through a queue, so that it may also say nothing."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.asks = 0

    def say(self, message: bytes) -> None:
        self.requests.put(message)

    def introduce(self) -> None:
        token = os.environ["ARENA_TOKEN"]
        hello = Hello(
            token="wrong" if self.misbehaves("wrong_token") else token,
            name=self.arguments.name,
            version="1",
            protocol=1,
            max_batch=self.arguments.max_batch,
            want_deal_ended=True,
        )
        self.say(PlayRequest(hello=hello).SerializeToString())

    def answer(self, ask_id: int, actions: bytes) -> None:
        answer = Answer(ask_id=ask_id, actions=actions)
        self.say(PlayRequest(answer=answer).SerializeToString())

    def misbehaves(self, vice: str) -> bool:
        return bool(self.arguments.vice == vice)

    def play(self) -> None:
        options = [("grpc.max_send_message_length", -1)]
        with grpc.insecure_channel(os.environ["ARENA_ADDRESS"], options=options) as channel:
            call = channel.stream_stream("/arena.v1.ArenaService/Play")
            if self.misbehaves("silent"):
                list(call(iter(self.requests.get, None)))
                return
            if self.misbehaves("garbage_first"):
                self.say(b"\xff\xff\xff")
            self.introduce()
            for data in call(iter(self.requests.get, None)):
                self.hear(PlayResponse.FromString(data))

    def hear(self, response: PlayResponse) -> None:
        kind = response.WhichOneof("kind")
        if kind == "ask":
            self.asks += 1
            vice = VICES.get(self.arguments.vice)
            if vice is not None and self.arguments.at in {None, self.asks}:
                vice(self, response.ask)
            else:
                self.answer(response.ask.ask_id, polite(response.ask))
        elif kind in {"fault", "goodbye"}:
            print(response, flush=True)


def mute(bot: Bot, ask: Ask) -> None:
    pass


def twice(bot: Bot, ask: Ask) -> None:
    for _ in range(2):
        bot.answer(ask.ask_id, polite(ask))


def old(bot: Bot, ask: Ask) -> None:
    bot.answer(ask.ask_id - 1, polite(ask))
    bot.answer(ask.ask_id, polite(ask))


def half(bot: Bot, ask: Ask) -> None:
    bot.answer(ask.ask_id, polite(ask)[: len(ask.decisions) // 2])


def illegal(bot: Bot, ask: Ask) -> None:
    """Plays a card that isn't in its hand."""
    bot.answer(
        ask.ask_id,
        bytes(next(a for a in range(1, 33) if a not in each.legal) for each in ask.decisions),
    )


def unknown(bot: Bot, ask: Ask) -> None:
    bot.answer(ask.ask_id, bytes([200]) * len(ask.decisions))


def passes(bot: Bot, ask: Ask) -> None:
    """Passes, whatever it is asked."""
    bot.answer(ask.ask_id, bytes([ACTION_PASS]) * len(ask.decisions))


def garbage(bot: Bot, ask: Ask) -> None:
    bot.say(b"\xff\xff\xff\xff")


def huge(bot: Bot, ask: Ask) -> None:
    bot.answer(ask.ask_id, bytes(HUNDRED_MEGABYTES))


def floods(bot: Bot, ask: Ask) -> None:
    """Prints much, in one endless line and in many."""
    os.write(1, b"x" * 100_000)
    os.write(2, b"many lines\n" * 10_000)
    bot.answer(ask.ask_id, polite(ask))


def closes(bot: Bot, ask: Ask) -> None:
    """Ends the stream, but not itself."""
    bot.requests.put(None)
    time.sleep(1000)


def crashes(bot: Bot, ask: Ask) -> None:
    print("an error that nobody foresaw", file=sys.stderr, flush=True)
    os._exit(3)


def dies_namelessly(bot: Bot, ask: Ask) -> None:
    os.kill(os.getpid(), 40)  # a real-time signal, which has no name


def squats(bot: Bot, ask: Ask) -> None:
    """Take the names that the next launch's scratch folder may want, and go."""
    seat = Path(os.environ["ARENA_SCRATCH"]).parent
    for number in range(9):
        (seat / f"launch{number}").mkdir(exist_ok=True)
    os._exit(0)


def exits(bot: Bot, ask: Ask) -> None:
    os._exit(0)


def stops(bot: Bot, ask: Ask) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def kills_the_shard(bot: Bot, ask: Ask) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1000)


def slow(bot: Bot, ask: Ask) -> None:
    """Takes a second more than it has."""
    time.sleep(ask.budget_ms / 1000 + 1)
    bot.answer(ask.ask_id, polite(ask))


def burns(bot: Bot, ask: Ask) -> None:
    """Computes for most of a second before it answers."""
    until = time.process_time() + 0.8
    while time.process_time() < until:
        pass
    bot.answer(ask.ask_id, polite(ask))


def naps(bot: Bot, ask: Ask) -> None:
    """Does nothing for a twentieth of a second before it answers."""
    time.sleep(0.05)
    bot.answer(ask.ask_id, polite(ask))


def dozes(bot: Bot, ask: Ask) -> None:
    """Does nothing for two seconds before it answers."""
    time.sleep(2)
    bot.answer(ask.ask_id, polite(ask))


def answer_flood(bot: Bot, ask: Ask) -> None:
    for _ in range(100_000):
        bot.answer(4_000_000_000, b"")


VICES: dict[str, Callable[[Bot, Ask], None]] = {
    vice.__name__: vice
    for vice in (
        mute, twice, old, half, illegal, unknown, garbage, huge, floods, closes, crashes, exits,
        stops, slow, kills_the_shard, answer_flood, dies_namelessly, squats, burns, naps,
        dozes, passes,
        *EXCESSES,
    )
}  # fmt: skip


def has_children() -> None:
    """Starts one child that stays in the session and one that leaves it; both are stubborn."""
    for apart in (False, True):
        command = [sys.executable, "-c", f"{IGNORES_SIGTERM}(1000)"]
        subprocess.Popen(command, start_new_session=apart)


def wait_to_be_let_in(folder: Path) -> None:
    """Take the next free number in a folder and wait until a file lets that number in."""
    for number in count(1):
        with contextlib.suppress(FileExistsError):
            (folder / f"launch{number}").mkdir()
            break
    while not (folder / f"let-in{number}").exists():
        time.sleep(0.02)


def before_the_stream(bot: Bot) -> Iterator[None]:
    """Yield unless the bot never gets so far."""
    if bot.arguments.let_in is not None:
        wait_to_be_let_in(bot.arguments.let_in)
    if bot.misbehaves("fails"):
        print("no model file\nfatal: giving up", file=sys.stderr, flush=True)
        os._exit(1)
    if bot.misbehaves("never_connects"):
        time.sleep(1000)
    if bot.misbehaves("children"):
        has_children()
    if bot.misbehaves("deaf"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    yield


def parse(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """Read the arguments, and then those that are for this seat alone."""
    arguments = parser.parse_args(words)
    for vice_of_seat in arguments.vice_of_seat:
        seat, _, vice = vice_of_seat.partition("=")
        if f"/seat{seat}/" in os.environ["ARENA_SCRATCH"]:
            arguments = parser.parse_args([*words, "--vice", *vice.split()])
    return arguments


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--vice", default="none")
    parser.add_argument("--at", type=int, help="only at this ask, not at every one")
    parser.add_argument("--vice-of-seat", action="append", default=[], help="as 2=mute --at 3")
    parser.add_argument("--let-in", type=Path, help="wait to be let in by files in this folder")
    parser.add_argument("--name", default="scripted")
    parser.add_argument("--max-batch", type=int, default=8)
    bot = Bot(parse(parser, sys.argv[1:]))
    for _ in before_the_stream(bot):
        try:
            bot.play()
        except grpc.RpcError as error:
            print(f"the stream broke: {error.code()}", file=sys.stderr, flush=True)
    if bot.misbehaves("deaf"):
        time.sleep(1000)
    os._exit(0)  # a thread of gRPC's may hang in a queue


if __name__ == "__main__":
    main()

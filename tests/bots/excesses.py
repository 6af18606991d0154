"""More vices of the scripted bot: numbers that mean nothing, and taking more than its share."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import grpc

from arena.v1.arena_pb2 import Ask, PlayResponse

MEAL = 300 << 20
"""Bytes."""


def polite(ask: Ask) -> bytes:
    """Plays by its seeds alone, so that a deal always goes the same way."""
    return bytes(each.legal[each.seed % len(each.legal)] for each in ask.decisions)


def zero(bot: Any, ask: Ask) -> None:
    """Says the one number that stands for no action."""
    bot.answer(ask.ask_id, bytes(len(ask.decisions)))


def too_many(bot: Any, ask: Ask) -> None:
    bot.answer(ask.ask_id, polite(ask) * 2 + b"\x21")


def just_before(bot: Any, ask: Ask) -> None:
    """Uses most of its time."""
    time.sleep(ask.budget_ms / 1000 * 0.6)
    bot.answer(ask.ask_id, polite(ask))


def just_after(bot: Any, ask: Ask) -> None:
    time.sleep(ask.budget_ms / 1000 + 0.01)
    bot.answer(ask.ask_id, polite(ask))


def torrent(bot: Any, ask: Ask) -> None:
    """Prints for ever from now on, in lines of a megabyte, while it plays on politely."""

    def pour(descriptor: int) -> None:
        while True:
            os.write(descriptor, b"x" * (1 << 20) + b"\n")

    for descriptor in (1, 2):
        threading.Thread(target=pour, args=(descriptor,), daemon=True).start()
    bot.answer(ask.ask_id, polite(ask))


def eats_memory(bot: Any, ask: Ask) -> None:
    bot.eaten = b"x" * MEAL
    bot.answer(ask.ask_id, polite(ask))


def spins(bot: Any, ask: Ask) -> None:
    """Thinks in others' turns, too, with two processes."""
    for _ in range(2):
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
    bot.answer(ask.ask_id, polite(ask))


def dials_twice(bot: Any, ask: Ask) -> None:
    """Opens a second stream with the same token while the first one plays."""
    second = type(bot)(bot.arguments)
    second.introduce()
    with grpc.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
        call = channel.stream_stream("/arena.v1.ArenaService/Play")
        with contextlib.suppress(grpc.RpcError):  # refused, which is how it ends
            for data in call(iter(second.requests.get, None)):
                print("second stream:", PlayResponse.FromString(data), flush=True)
    bot.answer(ask.ask_id, polite(ask))


def edits_itself(bot: Any, ask: Ask) -> None:
    with Path(sys.argv[0]).open("a", encoding="utf-8") as file:
        file.write("# wiser now\n")
    bot.answer(ask.ask_id, polite(ask))


EXCESSES = (
    zero, too_many, just_before, just_after, torrent, eats_memory, spins, dials_twice,
    edits_itself,
)  # fmt: skip

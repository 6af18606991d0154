"""A bot that plays by the rules and, when it is asked for the second time, takes too much.

Each greed has an end, for the sake of the machine that a test runs on.
"""

import argparse
import errno
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from scripted_bot import Bot, polite

from arena.v1.arena_pb2 import PlayResponse

MEGABYTE = bytes(1 << 20)
BOMB = Path(__file__).with_name("bomb.sh")


def memory() -> None:
    kept = []
    for _ in range(20):
        kept.append(bytearray(os.urandom(1 << 10) * (50 << 10)))
        time.sleep(0.1)
    time.sleep(60)


def processes() -> None:
    """Each process starts two more, each in a session of its own, and stays."""
    subprocess.Popen(["sh", BOMB, "stay", "6"])
    time.sleep(60)


def orphans() -> None:
    """The same, but whoever has started two leaves them to nobody.

    It waits for them to be noticed.
    """
    subprocess.Popen(["sh", BOMB, "leave", "6"])
    time.sleep(10)


def refused(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "nothing"


def goods() -> None:
    """Whatever is refused here is only told; a bot may live with it."""
    scratch = Path(os.environ["ARENA_SCRATCH"])
    kept = []

    print("one large file:", refused(lambda: (scratch / "large").write_bytes(MEGABYTE * 8)))
    (scratch / "large").unlink()
    print("open files:", refused(lambda: kept.extend(map(open, ["/dev/null"] * 500))), flush=True)


def many_files() -> None:
    """Each of them is small enough."""
    scratch = Path(os.environ["ARENA_SCRATCH"])

    def write() -> None:
        for number in range(8):
            (scratch / str(number)).write_bytes(MEGABYTE)

    print("many files:", refused(write), flush=True)
    time.sleep(60)


def empty_files() -> None:
    folder = Path(os.environ["ARENA_SCRATCH"]) / "folder"
    folder.mkdir()
    for number in range(3000):
        (folder / str(number)).touch()
    time.sleep(60)


def files_without_a_name() -> None:
    scratch = Path(os.environ["ARENA_SCRATCH"])
    kept = []
    for number in range(8):
        kept.append((scratch / str(number)).open("wb"))
        (scratch / str(number)).unlink()
        print(f"file {number}:", refused(lambda: kept[-1].write(MEGABYTE)), flush=True)
        print(refused(kept[-1].flush))
    time.sleep(60)


def shared_file() -> None:
    """One file without a name and with two, open many times in many processes, is one file."""
    scratch = Path(os.environ["ARENA_SCRATCH"])
    with (scratch / "kept").open("wb") as kept, (scratch / "gone").open("wb") as gone:
        (scratch / "also kept").hardlink_to(scratch / "kept")
        (scratch / "gone").unlink()
        for file in (kept, gone):
            file.write(MEGABYTE + MEGABYTE)
            file.flush()
        openings = [os.dup(gone.fileno()) for _ in range(9)]
        sleepers = [subprocess.Popen(["sleep", "6"], pass_fds=openings) for _ in range(3)]
        for sleeper in sleepers:
            sleeper.wait()


class GreedyBot(Bot):
    def hear(self, response: PlayResponse) -> None:
        greedy = f"/seat{self.arguments.seat}/" in os.environ["ARENA_SCRATCH"]
        if response.WhichOneof("kind") == "ask" and self.asks == 1 and greedy:
            self.asks += 1
            GREEDS[self.arguments.greed]()
            self.answer(response.ask.ask_id, polite(response.ask))
        else:
            super().hear(response)


GREEDS = {
    greed.__name__: greed
    for greed in (
        *(memory, processes, orphans, goods),
        *(many_files, empty_files, files_without_a_name, shared_file),
    )
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("greed", choices=GREEDS)
    parser.add_argument("--seat", type=int, default=1)
    parser.set_defaults(vice="none", at=None, name="greedy", max_batch=8)
    GreedyBot(parser.parse_args()).play()
    os._exit(0)  # a thread of gRPC's may hang in a queue

"""A bot that plays by the rules and, when it is asked for the second time, attacks the arena.

What it tries stands in `ATTEMPTS`; `targets.json` in its folder says where things are, as if
it had guessed well. It prints a line of JSON for each attempt.
"""

import argparse
import ctypes
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripted_bot import Bot, polite
from whispers import WHISPERS

from arena.v1.arena_pb2 import Ask, PlayResponse

PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
MOUNTS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000 | 0x00020000) == 0, "unshare"
assert libc.mount(b"none", b"/usr", b"tmpfs", 0, None) == 0, "mount"
"""
Targets = dict[str, Any]
Attempt = Callable[[Targets], object]


def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def shard(_: Targets) -> int:
    """In a world of its own a bot's parent is only what holds that world."""
    if os.getppid() == 1:
        raise ProcessLookupError("the shard is not in sight")
    return os.getppid()


def outer_scratch() -> Path:
    return Path(os.environ["ARENA_SCRATCH"]).parent.parent


def other_seat() -> Path:
    own = Path(os.environ["ARENA_SCRATCH"]).parent
    return next(each for each in outer_scratch().glob("seat*") if each != own)


def reads(name: str, inner: str = "") -> Attempt:
    return lambda targets: (Path(targets[name]) / inner).read_bytes()[:1] or 1 / 0


def tcp(targets: Targets) -> None:
    socket.create_connection(("127.0.0.1", targets["tcp"]), 2).close()


def udp(targets: Targets) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(1)
        sender.sendto(b"name?", ("127.0.0.1", targets["udp"]))
        sender.recv(1)


def unix(name: str) -> Attempt:
    def connect(targets: Targets) -> None:
        with socket.socket(socket.AF_UNIX) as end:
            end.connect(targets[name])

    return connect


def parents_memory(_: Targets) -> None:
    pid = os.getppid()
    maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
    readable = next(line for line in maps if line.split()[1].startswith("r"))
    descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    assert os.pread(descriptor, 1, int(readable.split("-")[0], 16))


def traces(_: Targets) -> None:
    checked(libc().ptrace(PTRACE_SEIZE, os.getppid(), None, None))
    libc().ptrace(PTRACE_DETACH, os.getppid(), None, None)


def looks_at_others(targets: Targets) -> None:
    assert targets["marker"].encode() in Path(f"/proc/{targets['pid']}/cmdline").read_bytes()


def stops_the_shard(targets: Targets) -> None:
    pid = shard(targets)
    os.kill(pid, signal.SIGSTOP)
    os.kill(pid, signal.SIGCONT)


def kills_the_shard(targets: Targets) -> None:
    os.kill(shard(targets), 0 if targets["mild"] else signal.SIGKILL)


def limits_the_shard(targets: Targets) -> None:
    pid = shard(targets)
    resource.prlimit(pid, resource.RLIMIT_CORE, resource.prlimit(pid, resource.RLIMIT_CORE))


def slows_the_shard(targets: Targets) -> None:
    pid = shard(targets)
    os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid))


def deletes_the_socket(_: Targets) -> None:
    """Aside and back again: the same right, and the other seats' relaunches need it."""
    place = os.environ["ARENA_ADDRESS"].removeprefix("unix:")
    Path(place).rename(place + ".away")
    Path(place + ".away").rename(place)


def mounts(_: Targets) -> None:
    subprocess.run([sys.executable, "-c", MOUNTS], check=True, capture_output=True, timeout=20)


def writes(name: str, inner: str) -> Attempt:
    return lambda targets: (Path(targets[name]) / inner).write_text("was here")


def changes_the_journals_mode(targets: Targets) -> None:
    (Path(targets["league"]) / "journal.jsonl").chmod(0o644)


ATTEMPTS: dict[str, Attempt] = {
    "read the journal": reads("league", "journal.jsonl"),
    "read the deals' secret": reads("league", "secret"),
    "list the league's folder": lambda targets: next(Path(targets["league"]).iterdir()),
    "read the league's file": reads("file"),
    "read another bot's files": reads("other", "weights.bin"),
    "read the key to the lobby": reads("arena_home", "serve.key"),
    "read the registry": reads("arena_home", "registry.sqlite"),
    "read in the operator's home": reads("home", "key.pem"),
    "read another seat's scratch": lambda _: next(other_seat().iterdir()),
    **WHISPERS,
    "connect over TCP": tcp,
    "ask over UDP, as for a name": udp,
    "connect to an abstract socket": unix("abstract"),
    "connect to a socket in a folder": unix("socket"),
    "read the parent's memory": parents_memory,
    "trace the parent": traces,
    "read the parent's environment": lambda _: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
    "look at other processes": looks_at_others,
    "signal another process": lambda targets: os.kill(targets["pid"], signal.SIGCONT),
    "stop the shard": stops_the_shard,
    "set the shard's limits": limits_the_shard,
    "lower the shard's priority": slows_the_shard,
    "move the shard's socket": deletes_the_socket,
    "delete another seat's scratch": lambda _: shutil.rmtree(other_seat()),
    "write in its scratch": lambda _: (Path(os.environ["ARENA_SCRATCH"]) / "own").write_text("!"),
    "write beside the arena": writes("outside", "evil"),
    "write in its own folder": writes("own", "evil"),
    "write in the league's folder": writes("league", "evil"),
    "change the journal's mode": changes_the_journals_mode,
    "mount in a namespace of its own": mounts,
    "use root's privileges": lambda _: os.chroot("/"),
    "kill the shard": kills_the_shard,
}


class HostileBot(Bot):
    def hear(self, response: PlayResponse) -> None:
        if response.WhichOneof("kind") == "ask" and self.asks == 1:
            self.asks += 1
            attack()
            self.obey(response.ask)
        else:
            super().hear(response)

    def obey(self, ask: Ask) -> None:
        self.answer(ask.ask_id, polite(ask))


def attack() -> None:
    targets: Targets = json.loads(Path("targets.json").read_bytes())
    for name, attempt in ATTEMPTS.items():
        try:
            attempt(targets)
        except Exception as error:  # noqa: BLE001  # it goes on, whatever stopped it
            said = [name, False, f"{type(error).__name__}: {error}"]
        else:
            said = [name, True, ""]
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    HostileBot(argparse.Namespace(vice="none", at=None, name="hostile", max_batch=8)).play()
    os._exit(0)  # a thread of gRPC's may hang in a queue

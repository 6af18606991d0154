"""A hostile bot in a real league, at each level of isolation: what it can do and what it can't."""

import contextlib
import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from arena import confine
from arena.records import Level
from arena.verify import Status, verify
from tests.arena.runs import (
    ROOT,
    arena,
    bot,
    deals,
    faults,
    footer,
    incidents,
    left_over,
    scripted,
    write_league,
)
from tests.machine import short_folder

HOSTILE_BOT = str(ROOT / "tests" / "bots" / "hostile_bot.py")
MARKER = "987654321"
SCOPES = 6
"""Version of landlock that forbids signals and abstract sockets."""
EITHER = None


class Row(NamedTuple):
    attempt: str
    bubblewrap: bool
    landlock: bool
    limits: bool | None
    """Whether it succeeds; None where that hangs on who runs the arena and on the kernel."""
    because: str


OPEN = (False, False, True)
"""Refused by both sandboxes, and by nobody where there is none."""
ROWS = [
    Row("read the journal", *OPEN, "the league's folder is hidden, even within the bot's own"),
    Row("read the deals' secret", *OPEN, "it lies there too"),
    Row("list the league's folder", False, True, True, "landlock lists a folder with all below"),
    Row("read the league's file", *OPEN, "a seed may stand in it"),
    Row("read another bot's files", *OPEN, "its folder is hidden, even within the bot's own"),
    Row("read the registry", *OPEN, "the operator's data is hidden"),
    Row("read in the operator's home", *OPEN, "no home is shown"),
    Row("read another seat's scratch", *OPEN, "only the own one is shown"),
    Row("connect over TCP", *OPEN, "no network, or none that landlock lets it use"),
    Row("ask over UDP, as for a name", *OPEN, "landlock knows TCP alone, so a filter of calls"),
    Row("connect to an abstract socket", *OPEN, "they belong to the network's namespace"),
    Row("connect to a socket in a folder", False, True, True, "landlock doesn't guard connecting"),
    Row("lock a file that all see", *OPEN, "a bit for each file, past every namespace"),
    Row("lock a file of its own", *OPEN, "nobody can tell a filter whose a file is"),
    Row("lock a part of a file that all see", *OPEN, "the same by parts of files"),
    Row("lock a part by the open file", *OPEN, "and by open files"),
    Row("lease a file that others open", *OPEN, "who opens it would wait, and be called late"),
    Row("watch who opens files", *OPEN, "opening a file that all see is a message, too"),
    Row("share memory by a number", *OPEN, "it would outlive the league"),
    Row("leave a key", False, False, EITHER, "the operator's keys are everybody's"),
    Row("hold memory in no account", *OPEN, "files without a name count for nobody"),
    Row("read the key to the lobby", *OPEN, "so that reaching the lobby's socket isn't enough"),
    Row("read the parent's memory", False, False, EITHER, "a sealed process traces none outside"),
    Row("trace the parent", False, False, EITHER, "nor so"),
    Row("read the parent's environment", False, False, EITHER, "which takes the same right"),
    Row("look at other processes", *OPEN, "they have no numbers there, or /proc is closed"),
    Row("signal another process", *OPEN, "out of sight, or out of the domain"),
    Row("stop the shard", *OPEN, "likewise"),
    Row("kill the shard", *OPEN, "likewise"),
    Row("set the shard's limits", *OPEN, "the filter's business, too"),
    Row("lower the shard's priority", False, False, EITHER, "nor root's without its might"),
    Row("move the shard's socket", *OPEN, "it is mounted, or its folder can't be changed"),
    Row("delete another seat's scratch", *OPEN, "out of sight, or not to be changed"),
    Row("write in its scratch", True, True, EITHER, "unless another bot has deleted it"),
    Row("write beside the arena", *OPEN, "nothing but its scratch can be written"),
    Row("write in its own folder", *OPEN, "not even that"),
    Row("write in the league's folder", *OPEN, "least of all that"),
    Row("change the journal's mode", False, True, True, "landlock doesn't guard modes and owners"),
    Row("mount in a namespace of its own", False, False, EITHER, "landlock forbids mounts"),
    Row("use root's privileges", False, False, False, "given up at every level"),
]


@contextlib.contextmanager
def listeners() -> Iterator[dict[str, object]]:
    """What a bot could reach over a network or a socket, and all that answers."""
    abstract = f"\0arena-test-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(short_folder())
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        for name in (abstract, str(folder / "socket")):
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(name)
            listener.listen(100)

        def answer() -> None:
            while True:
                data, sender = udp.recvfrom(100)
                if data == b"end":
                    return
                udp.sendto(b"!", sender)

        answering = threading.Thread(target=answer)
        answering.start()
        try:
            yield {
                "tcp": tcp.getsockname()[1],
                "udp": udp.getsockname()[1],
                "abstract": abstract,
                "socket": str(folder / "socket"),
            }
        finally:
            udp.sendto(b"end", udp.getsockname())
            answering.join()


@contextlib.contextmanager
def stranger() -> Iterator[dict[str, object]]:
    """A process that is none of the arena's business."""
    with subprocess.Popen(["sleep", MARKER]) as process:
        try:
            yield {"pid": process.pid, "marker": MARKER}
        finally:
            process.kill()


def prepared(folder: Path, arena_home: Path) -> dict[str, object]:
    """Everything lies where it is hardest to hide: within the hostile bot's own folder."""
    own = folder / "bots"
    places = {
        "own": own,
        "league": own / "league",
        "file": own / "league.toml",
        "other": own / "other",
        "arena_home": arena_home,
        "home": folder / "home",
        "outside": folder / "outside",
    }
    for name in ("own", "other", "arena_home", "home", "outside"):
        places[name].mkdir(exist_ok=True)
    for name, file in (
        ("other", "weights.bin"),
        ("arena_home", "registry.sqlite"),
        ("arena_home", "serve.key"),
    ):
        (places[name] / file).write_text("secret")
    (places["home"] / "key.pem").write_text("secret")
    return {name: str(place) for name, place in places.items()}


def test_what_a_hostile_bot_can_do(
    level: Level, tmp_path: Path, arena_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if level == "landlock" and confine.landlock_version() < SCOPES:
        pytest.skip("this kernel's landlock can't forbid signals")
    targets = prepared(tmp_path, arena_home)
    monkeypatch.setenv("HOME", str(targets["home"]))
    own = tmp_path / "bots"
    hostile = bot("hostile", command=[scripted()[0], HOSTILE_BOT])
    other = {**bot("other"), "folder": "other"}
    file = write_league(
        own / "league.toml",
        bots=[hostile, other],
        limits={"startup_ms": 30_000, "decision_ms": 30_000},
        deals=1,
    )
    with listeners() as reachable, stranger() as process:
        found = {**targets, **reachable, **process, "mild": level == "limits"}
        (own / "targets.json").write_text(json.dumps(found))
        run = arena("run", file, "--sandbox", level)
    assert (run.returncode, run.stderr) == (0, "")
    reports = attempts(own / "league" / "logs" / "bots")
    succeeded = {name for name, success, _ in reports if success}
    assert {name for name, _, _ in reports} == {row.attempt for row in ROWS}
    surprises = [
        (row, [said for name, _, said in reports if name == row.attempt])
        for row in ROWS
        if getattr(row, level) not in {EITHER, row.attempt in succeeded}
    ]
    assert not surprises
    assert_played(own / "league")


def attempts(logs: Path) -> list[tuple[str, bool, str]]:
    return [
        tuple(json.loads(line))
        for log in logs.iterdir()
        for line in log.read_text(encoding="utf-8").splitlines()
        if line.startswith('["')
    ]


def assert_played(folder: Path) -> None:
    """Every deal is there, and nobody was at fault, the hostile bot least of all."""
    assert deals(folder)
    assert footer(folder).missing == ()
    assert not faults(deals(folder))
    assert not incidents(folder)
    assert verify(folder, lambda done, total: None).status is Status.COMPLETE
    assert not left_over(folder)

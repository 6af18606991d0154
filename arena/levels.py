"""The words before a bot's command that keep it apart, level by level."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.programs import trace
from arena.records import Level, Limits
from arena.surroundings import CONFINE, SETTINGS, SYSTEM, Surroundings, interpreter
from arena.tether import tethered

_MEGABYTE: Final = 1 << 20
_DATA_BESIDE_MB: Final = 1024
"""Room for what runtimes set aside and never touch. What counts is what the watchdog sees; this
only stops a process that takes much at once."""
_DEVICES: Final = ("null", "zero", "full", "random", "urandom")
_OF_PROC: Final = (
    "cpuinfo", "filesystems", "loadavg", "meminfo", "self", "stat", "sys", "uptime", "version",
)  # fmt: skip
_CORES: Final = frozenset(os.sched_getaffinity(0))
"""What this process was given when it started, before it was pinned."""


def prefix(level: Level, limits: Limits, around: Surroundings) -> list[str]:
    """Return the words before a bot's command that confine it."""
    own = [str(interpreter()), "-I", "-S", str(CONFINE), *_limits(level, limits)]
    if level == "bubblewrap":
        return [*tethered(), *_bubblewrap(limits, around), *own, "seal", "--"]
    words = [*own, f"parent={os.getpid()}"]
    if level == "landlock":
        words += _landlock(around)
    return [*words, "--"]


def _limits(level: Level, limits: Limits) -> Iterator[str]:
    yield "cores=" + ",".join(map(str, sorted(_CORES)))
    yield "CORE=0"
    yield f"NOFILE={limits.open_files}"
    yield f"FSIZE={limits.disk_mb * _MEGABYTE}"
    yield f"DATA={(2 * limits.memory_mb + _DATA_BESIDE_MB) * _MEGABYTE}"
    if level == "bubblewrap":  # elsewhere it counts all that the arena's user runs
        yield f"NPROC={limits.processes}"


def _bubblewrap(limits: Limits, around: Surroundings) -> Iterator[str]:
    """Yield the command that makes a small world of its own; later mounts cover earlier ones."""
    size = str(limits.disk_mb * _MEGABYTE)
    yield shutil.which("bwrap") or "bwrap"
    yield from ("--unshare-all", "--unshare-user", "--die-with-parent", "--hostname", "bot")
    for folder in SYSTEM:
        if Path(folder).is_symlink():
            yield from ("--symlink", str(Path(folder).readlink()), folder)
    for setting in SETTINGS:
        yield from ("--ro-bind-try", setting, setting)
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev")  # noqa: S108
    yield from ("--size", size, "--tmpfs", "/tmp")  # noqa: S108
    covers: list[str] = []
    for path, seen in around.words():
        if seen:
            yield from ("--ro-bind", str(path), str(path))
        elif path.is_dir():
            yield from ("--tmpfs", str(path))
            covers.append(str(path))
        else:
            yield from ("--ro-bind", os.devnull, str(path))
    for link, held in around.links:
        if not around.seen(link) and str(link) not in SYSTEM:
            yield from ("--symlink", held, str(link))
    yield from ("--size", size, "--tmpfs", str(around.scratch))
    yield from ("--ro-bind", str(around.socket), str(around.socket))
    for cover in (*covers, "/"):
        yield from ("--remount-ro", cover)
    yield from ("--chdir", str(around.folder), "--")


def _landlock(around: Surroundings) -> Iterator[str]:
    for setting in SETTINGS:
        yield f"read={setting}"
    for name in _OF_PROC:
        yield f"read=/proc/{name}"
    for name in _DEVICES:
        yield f"use=/dev/{name}"
    for path, seen in around.words():
        if seen:
            for each, in_full in around.open_to(path):
                yield f"{'read' if in_full else 'list'}={each}"
    for folder in around.listed():
        yield f"list={folder}"
    yield f"write={trace(around.scratch)[1]}"

"""What a machine must offer to leagues: each check tells what it found and what to do."""

import contextlib
import os
import platform
import shlex
import socket
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from shutil import disk_usage
from tempfile import NamedTemporaryFile
from typing import Final, Literal

import msgspec
import psutil

from arena import descriptors
from arena.names import shown
from arena.sandbox import BEST, probe
from arena.scratch import scratch_folder

Level = Literal["ok", "warning", "problem"]

_OLDEST: Final = (3, 11)
_BORDER: Final = ("grpc", "arena.v1.arena_pb2_grpc", "trio", "numpy", "structlog")
"""What fails on import when it doesn't fit together."""
_TABLE_BYTES: Final = 220 << 20
"""Resident memory of a shard and four Python bots."""
_LEAST_FREE: Final = 200 << 20
_SLOW_SYNC_MS: Final = 100
_COARSE_S: Final = 0.001
"""A clock that counts in larger steps can't judge limits of some milliseconds."""
_LATE_MS: Final = 10
_STEP_S: Final = 0.05
_WATCHED_S: Final = 0.3
_FUTURE_S: Final = 60
_MADE: Final = 1_760_000_000
"""Seconds since the epoch; a clock before this was never set."""
_SYNCS: Final = 5
_COMMAND: Final = 60
"""Characters of a command that are shown."""


class Check(msgspec.Struct, frozen=True):
    """One finding."""

    name: str
    level: Level
    found: str
    remedy: str = ""
    """What to do; empty where all is well or what was found says it."""


def python(version: tuple[int, int] = sys.version_info[:2]) -> Check:
    """Check the interpreter."""
    found = f"{platform.python_implementation()} {platform.python_version()}"
    if version < _OLDEST:
        return Check("python", "problem", found, "use Python {}.{} or newer".format(*_OLDEST))
    return Check("python", "ok", found)


def packages(distribution: str = "schafkopf-arena") -> Check:
    """Check that what the arena needs is there, new enough, and fits together."""
    from packaging.requirements import Requirement

    remedy = "install the arena anew with the versions of constraints.txt"
    try:
        needed = [Requirement(each) for each in metadata.requires(distribution) or ()]
    except metadata.PackageNotFoundError:
        return Check("packages", "problem", f"{distribution} isn't installed", remedy)
    wrong = []
    for each in needed:
        if each.marker is not None and not each.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(each.name)
        except metadata.PackageNotFoundError:
            version = "missing"
        if version == "missing" or not each.specifier.contains(version, prereleases=True):
            wrong.append(f"{each.name} is {version}, needed is {each.specifier}")
    for module in _BORDER:
        try:
            import_module(module)
        except Exception as error:  # noqa: BLE001  # whatever a broken installation raises
            wrong.append(f"{module} can't be imported: {error}")
    if wrong:
        return Check("packages", "problem", "; ".join(wrong), remedy)
    return Check("packages", "ok", f"grpcio {metadata.version('grpcio')} and the others fit")


def sandbox() -> Check:
    """Check what keeps bots from each other and from the arena's files."""
    found = probe()
    if found.level == BEST:
        return Check("sandbox", "ok", found.level)
    what = "bots run with your rights" if found.level == "limits" else f"only {found.level}"
    return Check("sandbox", "warning", what, "; ".join(found.hints))


def files(tables: int) -> Check:
    """Check the limit of open files for so many tables at once."""
    _, hard = descriptors.limit()
    fitting = descriptors.tables_for(hard)
    found = f"{hard} files suffice for {fitting} tables"
    remedy = f"ulimit -n {descriptors.files_for(tables)}, or the service's LimitNOFILE"
    if fitting == 0:
        return Check("open files", "problem", found, remedy)
    if fitting < tables:
        return Check("open files", "warning", f"{found}, {tables} are wanted", remedy)
    return Check("open files", "ok", found)


def sockets() -> Check:
    """Check that bots could reach the arena by a Unix socket and by loopback."""
    try:
        with scratch_folder() as folder, socket.socket(socket.AF_UNIX) as unix:
            inner = folder / "12345678"  # as deep as a shard's
            inner.mkdir()
            unix.bind(str(inner / "arena.sock"))
            unix.listen()
    except OSError as error:
        return Check(
            "sockets",
            "problem",
            f"no Unix socket in the temporary folder: {error}",
            "set TMPDIR to a folder with a short path on a disk that holds sockets",
        )
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError as error:
        return Check(
            "sockets",
            "warning",
            f"no loopback connection: {error}",
            "bring up the interface lo; metrics need it",
        )
    return Check("sockets", "ok", "Unix sockets and loopback work")


def listening(process: int) -> list[tuple[str, int]]:
    """Return the hosts and TCP ports that a process listens on, as far as we may know."""
    with contextlib.suppress(psutil.Error):
        found = psutil.Process(process).net_connections("tcp")
        places = {(each.laddr.ip, each.laddr.port) for each in found if _listens(each.status)}
        return sorted(places)
    return []


def listener(port: int) -> str:
    """Say who listens on a TCP port, as far as we may know; empty where nobody seems to."""
    with contextlib.suppress(psutil.Error):
        for each in psutil.net_connections("tcp"):
            if _listens(each.status) and each.laddr and each.laddr.port == port:
                return "a program of another user" if each.pid is None else _command(each.pid)
    return ""


def _listens(status: str) -> bool:
    return status == psutil.CONN_LISTEN


def _command(process: int) -> str:
    words = shlex.join(psutil.Process(process).cmdline())
    return f"process {process}, {shown(words[:_COMMAND])}{'...' if len(words) > _COMMAND else ''}"


def clock(
    folder: Path,
    now: Callable[[], float] = time.time,
    steady: Callable[[], float] = time.monotonic,
    resolution: float = time.get_clock_info("monotonic").resolution,
) -> Check:
    """Check that limits can be measured and that times in journals will be true."""
    if resolution > _COARSE_S:
        found = f"the steady clock counts in steps of {resolution * 1000:.1f} ms"
        return Check("clock", "problem", found, "use a machine or a kernel with a finer clock")
    begun, begun_steady = now(), steady()
    late_ms = _lateness_ms()
    step = (now() - begun) - (steady() - begun_steady)
    if now() < _MADE:
        found = f"it says {time.strftime('%Y-%m-%d', time.gmtime(now()))}"
        return Check("clock", "warning", found, "set the clock; journals hold times")
    if abs(step) > _STEP_S:
        found = f"it stepped by {step:+.2f} s while it was watched"
        return Check("clock", "warning", found, "let the time service slew instead of step")
    newest = _newest(folder)
    if newest > now() + _FUTURE_S:
        found = f"files in {folder} are {newest - now():.0f} s in the future: it was set back"
        return Check("clock", "warning", found, "set the clock; limits are not affected")
    if late_ms > _LATE_MS:
        found = f"a sleep of 1 ms takes {late_ms:.0f} ms more"
        return Check("clock", "warning", found, "end other programs, or allow bots more time")
    return Check("clock", "ok", f"steps of {resolution * 1e9:.0f} ns, sleeps {late_ms:.1f} ms late")


def _lateness_ms() -> float:
    late = []
    end = time.monotonic() + _WATCHED_S
    while time.monotonic() < end:
        begun = time.monotonic()
        time.sleep(0.001)
        late.append((time.monotonic() - begun) * 1000 - 1)
    return statistics.median(late)


def _newest(folder: Path) -> float:
    """Return when the newest file of a folder was changed; 0 where none can be looked at."""
    newest = 0.0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for each in entries:
            with contextlib.suppress(OSError):  # a running league renames and removes files
                newest = max(newest, each.stat().st_mtime if each.is_file() else 0.0)
    return newest


def disk(name: str, folder: Path, needed_bytes: int = 0) -> Check:
    """Check space and speed where `folder` is or would be made."""
    place = folder
    remedy = "free space, or choose another folder"
    try:
        place = next(each for each in (folder, *folder.parents) if each.exists())
        free = disk_usage(place).free
        took_ms = _sync_ms(place)
    except OSError as error:
        return Check(name, "problem", f"{place} can't be written: {error.strerror}", remedy)
    found = f"{free >> 20} MB free, a write takes {took_ms:.1f} ms"
    if free < max(needed_bytes, _LEAST_FREE):
        wanted = max(needed_bytes, _LEAST_FREE) >> 20
        return Check(name, "problem", f"{found}; {wanted} MB are needed", remedy)
    if took_ms > _SLOW_SYNC_MS:
        return Check(
            name, "warning", found, "choose a local disk; a crash loses what isn't written"
        )
    return Check(name, "ok", f"{found}, in {place}")


def _sync_ms(folder: Path) -> float:
    took = []
    with NamedTemporaryFile(dir=folder, prefix=".arena-") as file:
        for _ in range(_SYNCS):
            begun = time.monotonic()
            file.write(bytes(1 << 16))
            file.flush()
            os.fsync(file.fileno())
            took.append((time.monotonic() - begun) * 1000)
    return statistics.median(took)


def cores(tables: int) -> Check:
    """Check the cores that this process may use, and what else runs on them."""
    allowed, there = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    load = os.getloadavg()[0]
    found = [f"{allowed} of {there}, load {load:.1f}"]
    remedies = []
    if load > allowed / 2:
        remedies.append("end other programs; bots lose time that isn't theirs")
    if tables > 2 * allowed:
        found.append(f"for {tables} tables")
        remedies.append("use fewer workers")
    level: Level = "warning" if remedies else "ok"
    return Check("cores", level, ", ".join(found), "; ".join(remedies))


def memory(tables: int) -> Check:
    """Check the memory for so many tables at once."""
    free = psutil.virtual_memory().available
    wanted = tables * _TABLE_BYTES
    found = f"{free >> 20} MB, {tables} tables of Python bots take {wanted >> 20} MB"
    if free < _TABLE_BYTES:
        return Check("memory", "problem", found, "free memory; not even one table fits")
    if free < wanted:
        return Check("memory", "warning", found, "use fewer workers")
    return Check("memory", "ok", found)

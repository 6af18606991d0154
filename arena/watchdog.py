"""What processes take of the machine, read from the kernel as cheaply as can be."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psutil

from arena.records import Limits

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_MEGABYTE: Final = 1 << 20
_RESIDENT: Final = 1
"""Index of the field in `statm`."""
_MOST_BYTES: Final = 1 << 16
_TOLD: Final = Path(f"/proc/self/task/{os.getpid()}/children").exists()


def family(pid: int, most: int = 1 << 20) -> list[int]:
    """Return a process and its descendants, parents first; no more once there are `most`."""
    found = [pid]
    for each in found:
        if len(found) >= most:
            break
        found += children(each)
    return found


def children(pid: int) -> list[int]:
    """Return a process's children; none when it has ended.

    The kernel mostly tells them; looking through all processes costs far more.
    """
    found: list[int] = []
    if not _TOLD:
        with contextlib.suppress(psutil.NoSuchProcess):
            found += (each.pid for each in psutil.Process(pid).children())
        return found
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def excess(pids: Sequence[int], limits: Limits) -> str | None:
    """Say what these processes and their descendants take too much of, if anything."""
    memory = tasks = 0
    for pid in pids:
        for each in family(pid, limits.processes + 1):
            with contextlib.suppress(OSError):
                tasks += os.stat(f"/proc/{each}/task").st_nlink - 2  # noqa: PTH116
                memory += int(_read(f"/proc/{each}/statm").split()[_RESIDENT])
    if memory * _PAGE > limits.memory_mb * _MEGABYTE:
        return f"used more than {limits.memory_mb} MB"
    if tasks > limits.processes:
        return f"had more than {limits.processes} processes and threads"
    return None


def _read(path: str) -> bytes:
    """Read a file of the kernel's whole, of which it may give but a page at a time."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        content = chunk = os.read(descriptor, _MOST_BYTES)
        while chunk:
            chunk = os.read(descriptor, _MOST_BYTES)
            content += chunk
        return content
    finally:
        os.close(descriptor)

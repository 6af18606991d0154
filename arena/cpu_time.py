"""What a bot's processes have used of the CPU, read from outside."""

import contextlib
import os
import time
from pathlib import Path
from typing import Final

from arena.watchdog import children

_TICK_NS: Final = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_ENDED_CHILDREN: Final = (13, 14)
"""Where the CPU time of children that were waited for stands, after a process's name."""


def tree_cpu_ns(root: int) -> int:
    """Return what a process and all its descendants have used so far, in nanoseconds.

    Children that have ended count as exactly as the kernel keeps them, in its ticks. A process
    that has left the tree for a new parent is not found. 0 for a process that is gone.
    """
    total = 0
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        # A process may end between any two of these lines.
        with contextlib.suppress(OSError):
            total += time.clock_gettime_ns(_clock_of(pid)) + _ended_ns(pid)
            waiting.extend(children(pid))
    return total


def _clock_of(pid: int) -> int:
    """Return the kernel's number for the CPU clock of all threads of a process."""
    return ~pid << 3 | 2


def _ended_ns(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return sum(int(fields[place]) for place in _ENDED_CHILDREN) * _TICK_NS

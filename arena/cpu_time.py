"""What a bot's processes have used of the CPU, read from outside."""

import contextlib
import os
import time
from pathlib import Path
from typing import Final

from arena.watchdog import family

_TICK_NS: Final = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_ENDED_CHILDREN: Final = (13, 14)
"""Where the CPU time of children that were waited for stands, after a process's name."""


class CpuMeter:
    """Adds up what a bot's processes use. Nobody can lower it by having processes end.

    Two things stay unseen: what a process used since the last reading when it ends without
    being waited for, and a process that has left the tree for a new parent.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._own: dict[int, int] = {}
        """What each process had used by itself when it was last seen."""
        self._waited: dict[int, int] = {}
        """What those had used that it had waited for."""
        self._used_ns = 0

    def used_ns(self) -> int:
        """Return what was used so far, in nanoseconds; never less than before.

        Children that have ended count as exactly as the kernel keeps them, in its ticks.
        """
        own, waited = _reading(self._root)
        grown = sum(max(0, used - self._own.get(pid, 0)) for pid, used in own.items())
        ended = sum(max(0, used - self._waited.get(pid, 0)) for pid, used in waited.items())
        known = sum(used for pid, used in self._own.items() if pid not in own)
        known += sum(used for pid, used in self._waited.items() if pid not in waited)
        self._own, self._waited = own, waited
        self._used_ns += grown + max(0, ended - known)
        return self._used_ns


def _reading(root: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return what each process of a tree has used itself, and what those it waited for had."""
    own, waited = {}, {}
    for pid in family(root):
        # A process may end between any two of these lines.
        with contextlib.suppress(OSError):
            used = time.clock_gettime_ns(_clock_of(pid))
            waited[pid] = _ended_ns(pid)
            own[pid] = used
    return own, waited


def _clock_of(pid: int) -> int:
    """Return the kernel's number for the CPU clock of all threads of a process."""
    return ~pid << 3 | 2


def _ended_ns(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return sum(int(fields[place]) for place in _ENDED_CHILDREN) * _TICK_NS

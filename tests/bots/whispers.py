"""What a bot may try to talk with its sisters by, or to hoard memory in, past all folders."""

import ctypes
import fcntl
import os
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

SHARED = os.__file__
"""A file that every bot sees, and none may write."""
SHMGET, SHMCTL, ADD_KEY = {"x86_64": (29, 31, 248), "aarch64": (194, 195, 217)}.get(
    os.uname().machine, (-1, -1, -1)
)
CREATE, REMOVE, SESSION_KEYRING = 0o1000, 0, -3
LIBC = ctypes.CDLL(None, use_errno=True)


def succeeded(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def locks(_: dict[str, Any]) -> None:
    with Path(SHARED).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def locks_a_record(command: int) -> Callable[[dict[str, Any]], None]:
    def attempt(_: dict[str, Any]) -> None:
        with Path(SHARED).open("rb") as file:
            fcntl.fcntl(file, command, struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 1, 0))

    return attempt


def leases(_: dict[str, Any]) -> None:
    """Whoever opens the file then waits until the lease is given up."""
    with Path("targets.json").open("rb") as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)


def watches(_: dict[str, Any]) -> None:
    os.close(succeeded(LIBC.inotify_init1(0)))


def shares_memory(_: dict[str, Any]) -> None:
    segment = succeeded(LIBC.syscall(SHMGET, 0x5AFE, 4096, CREATE | 0o600))
    LIBC.syscall(SHMCTL, segment, REMOVE, None)


def leaves_a_key(_: dict[str, Any]) -> None:
    succeeded(LIBC.syscall(ADD_KEY, b"user", b"hand", b"EO", 2, SESSION_KEYRING))


def hides_memory(_: dict[str, Any]) -> None:
    os.close(os.memfd_create("hoard"))


def locks_its_own(_: dict[str, Any]) -> None:
    """What isn't open to others is refused as well; a filter can't know whose a file is."""
    with tempfile.TemporaryFile() as file:
        fcntl.flock(file, fcntl.LOCK_EX)


WHISPERS = {
    "lock a file that all see": locks,
    "lock a file of its own": locks_its_own,
    "lock a part of a file that all see": locks_a_record(fcntl.F_SETLK),
    "lock a part by the open file": locks_a_record(37),  # F_OFD_SETLK
    "lease a file that others open": leases,
    "watch who opens files": watches,
    "share memory by a number": shares_memory,
    "leave a key": leaves_a_key,
    "hold memory in no account": hides_memory,
}

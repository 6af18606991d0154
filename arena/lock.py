"""A folder's lock: one process holds it, and the system frees it at that one's death."""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.errors import OperatorError

_TRIES: Final = 5
_PAUSE_S: Final = 0.02
"""Whoever looks whether a lock is held holds it for a moment."""


def locked(folder: Path, name: str, held: Callable[[str], str]) -> int:
    """Return the descriptor that holds the lock of this name; closing it gives the lock up.

    Raises OperatorError; where another process has it, `held` makes the text from its number.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise OperatorError(f"cannot write in the folder {folder}: {error.strerror}") from None
    try:
        _take(lock)
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    except BlockingIOError:
        holder = os.pread(lock, 20, 0).decode(errors="replace").strip() or "unknown"
        os.close(lock)
        raise OperatorError(held(holder)) from None
    except OSError as error:
        os.close(lock)
        raise OperatorError(f"cannot lock the folder {folder}: {error.strerror}") from None
    return lock


def _take(lock: int) -> None:
    """Lock for writing. Raises BlockingIOError when another process has the lock."""
    for _ in range(_TRIES - 1):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_PAUSE_S)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_held(file: Path) -> bool:
    """Return whether a process holds the lock in this file."""
    try:
        lock = os.open(file, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False

"""What a bot keeps in files, as far as nothing but looking can limit it."""

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

import trio

from arena.records import Limits
from arena.watchdog import family

_MEGABYTE: Final = 1 << 20
_SECTOR: Final = 512
_LEAST: Final = 4096
"""What even an empty file counts, for it takes memory of the kernel's."""
_EVERY: Final = 4
"""Looking through files takes longer than other looks, so it is done so seldom."""
_OWN_FOLDERS: Final = ("tmp", "dev/shm")
"""Where a bot in a world of its own can write beside its scratch folder."""


class Hoard:
    """Adds up what one bot keeps in its scratch folder, and in open files without a name."""

    def __init__(self, scratch: Path, limits: Limits, *, apart: bool) -> None:
        """`apart` says that the bot has folders of a limited size in a world of its own."""
        self._scratch = scratch
        self._most_mb = limits.disk_mb
        self._apart = apart
        self._looks = 0

    async def excess(self, pid: int) -> str | None:
        """Say what the bot, whose first process this is, keeps too much of, if anything."""
        self._looks += 1
        if self._looks % _EVERY:
            return None
        # On a thread: looking through many thousands of files would hold up the whole table.
        too_much = await trio.to_thread.run_sync(self._exceeds, pid, abandon_on_cancel=True)
        return f"kept more than {self._most_mb} MB in files" if too_much else None

    def _exceeds(self, pid: int) -> bool:
        most = self._most_mb * _MEGABYTE
        if self._apart:
            return any(files * _LEAST > most for files in self._counts(family(pid)[-1], most))
        return _exceed(self._sizes(pid), most)

    def _counts(self, pid: int, size: int) -> Iterator[int]:
        """Yield how many files each folder of this size has; in a world half made it is another."""
        root = Path(f"/proc/{pid}/root")
        for folder in (*_OWN_FOLDERS, str(self._scratch).lstrip("/")):
            with contextlib.suppress(OSError):  # it has just ended
                told = os.statvfs(root / folder)
                if told.f_blocks * told.f_frsize == size:
                    yield told.f_files - told.f_ffree

    def _sizes(self, pid: int) -> Iterator[int]:
        """Yield what each file takes, once, however many names and openings it has."""
        seen: set[tuple[int, int]] = set()
        for found in chain(_beneath(str(self._scratch)), *map(_nameless, family(pid))):
            file = found.st_dev, found.st_ino
            if file not in seen:
                seen.add(file)
                yield max(found.st_blocks * _SECTOR, _LEAST)


def _exceed(sizes: Iterable[int], most: int) -> bool:
    """Look no further than must be."""
    kept = 0
    for size in sizes:
        kept += size
        if kept > most:
            return True
    return False


def _beneath(folder: str) -> Iterator[os.stat_result]:
    """Yield each file and folder beneath a folder, but for what vanishes meanwhile."""
    folders = [folder]
    for each in folders:
        with contextlib.suppress(OSError), os.scandir(each) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    yield entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)


def _nameless(pid: int) -> Iterator[os.stat_result]:
    """Yield each open file that is in no folder any more."""
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                found = entry.stat()
                if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                    yield found

"""Folders for bots' and sockets' short lives: made, held by a lock, and removed after a crash."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil
import structlog

_PREFIX: Final = "arena-"
_BUBBLEWRAP: Final = "bwrap"
_OWNER: Final = "owner"
"""File within a scratch folder that its owner holds locked."""
_LONGEST_PATH: Final = 60
"""Leaves room for a socket's name within the system's limit for its path."""


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Hold a new folder with a short path while the context is open. Raises OSError."""
    hidden = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}", dir=_parent()))
    folder = hidden.with_name(hidden.name.removeprefix("."))
    try:
        with (hidden / _OWNER).open("wb") as owner:
            fcntl.flock(owner, fcntl.LOCK_EX)
            hidden.rename(folder)  # whoever sees it by that name finds its lock
            yield folder
    finally:
        remove_tree(hidden)
        remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder, whatever a bot has made of it; what stays is a warning in the log.

    Locked folders and names nested by the thousand are left to programs that manage those.
    """
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            with contextlib.suppress(OSError):
                subprocess.run([*command, "--", folder], check=False, stderr=subprocess.DEVNULL)
    if folder.exists():
        structlog.get_logger().warning("scratch folder left", folder=str(folder))


def remove_abandoned(folder: Path) -> None:
    """Remove a scratch folder whose owner was killed; anything else is left alone."""
    if folder.parent != Path(_parent()) or not folder.name.startswith(_PREFIX):
        return
    with contextlib.suppress(OSError), (folder / _OWNER).open("rb") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(owner.fileno()).st_uid == os.getuid():
            _end_stuck(folder)
            remove_tree(folder)


def _end_stuck(folder: Path) -> None:
    """End what bubblewrap leaves when it is killed in the midst of making a world for a bot.

    Its child waits for a word from it then, and isn't tied to anybody yet.
    """
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            ours = process.name() == _BUBBLEWRAP and process.uids().real == os.getuid()
            if ours and any(word.startswith(f"{folder}/") for word in process.cmdline()):
                process.kill()


def remove_forgotten() -> None:
    """Remove what arenas that were killed left."""
    for folder in Path(_parent()).glob(f"{_PREFIX}*"):
        remove_abandoned(folder)


def _parent() -> str:
    usual = tempfile.gettempdir()
    return usual if len(usual) <= _LONGEST_PATH else "/tmp"  # noqa: S108  # private by mkdtemp

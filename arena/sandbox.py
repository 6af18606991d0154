"""Which level of isolation this machine offers, found out by trying; and what to do for more."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena import confine
from arena.errors import OperatorError
from arena.levels import prefix
from arena.records import LEVELS, BotEntry, Level, Limits
from arena.scratch import scratch_folder
from arena.surroundings import surroundings

BEST: Final[Level] = LEVELS[-1]
_TRIAL_S: Final = 60.0
"""A machine may be very busy; a weaker level because of that would be a pity."""
_TOO_SLOW: Final = f"it took longer than {_TRIAL_S:.0f} seconds; look what keeps the machine busy"
_NETWORK_VERSION, _SCOPES_VERSION = 4, 6
"""Of landlock."""
_INSTALL: Final = "install bubblewrap: apt-get install bubblewrap"


class Sandbox(msgspec.Struct, frozen=True):
    """What keeps all bots of a run apart."""

    level: Level
    secrets: tuple[str, ...] = ()
    """Folders and files that no bot may see: the league's and the operator's."""
    others: tuple[str, ...] = ()
    """All bots' folders; each bot sees its own."""


class Probe(msgspec.Struct, frozen=True):
    """What was found out about this machine."""

    level: Level
    """The best that works here."""
    hints: tuple[str, ...]
    """Why it is no better, and what to do; empty where it is the best."""

    @property
    def text(self) -> str:
        """What the operator is told; loudly where there is no sandbox."""
        hints = "; ".join(self.hints)
        if self.level == "limits":
            loud = "WARNING: NO SANDBOX, bots can read and do all that you can."
            return f"{loud} {hints}".strip()
        return f"isolation: {self.level}{f' ({hints})' if hints else ''}"


def probe(best: Level = BEST) -> Probe:
    """Start a process in each level, from `best` down, until one works."""
    hints: list[str] = []
    if best == "bubblewrap":
        problem = _try("bubblewrap")
        if problem is None:
            return Probe("bubblewrap", tuple(_filter_hints(os.uname().machine)))
        hints += _bubblewrap_hints(problem)
    if best in {"bubblewrap", "landlock"}:
        version = confine.landlock_version()
        problem = _try("landlock") if version else "the kernel has none, or it is switched off"
        if problem is None:
            unfiltered = _filter_hints(os.uname().machine)
            return Probe("landlock", (*hints, *_landlock_hints(version), *unfiltered))
        hints.append(f"landlock doesn't work: {problem}; it needs Linux 5.13 and lsm=landlock")
    return Probe("limits", tuple(hints))


def choose(wanted: Level | None, *, least: Level) -> Probe:
    """Return what to use: the wanted level, or the best. Raises OperatorError if it can't be."""
    if wanted is not None and LEVELS.index(wanted) < LEVELS.index(least):
        raise OperatorError(f"the sandbox {wanted!r} was chosen, but {least!r} is required")
    found = probe(wanted or BEST)
    lacking = wanted or least
    if LEVELS.index(found.level) < LEVELS.index(lacking):
        raise OperatorError(
            f"the sandbox {lacking!r} doesn't work here, only {found.level!r}: "
            + "; ".join(found.hints)
        )
    return found


def _try(level: Level) -> str | None:
    """Start a process that must not see a file, and return why that failed, if it did."""
    with scratch_folder() as place:
        folder = place.resolve()
        for each in ("bot", "scratch", "league"):
            (folder / each).mkdir()
        secret = folder / "league" / "secret"
        secret.write_text("seen\n", encoding="ascii")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "socket"))
            bot = BotEntry("probe", "", ("true",), str(folder / "bot"), "")
            around = surroundings(
                bot, folder / "scratch", folder / "socket", secrets=[str(secret)], others=()
            )
            command = ["sh", "-c", 'cat "$0" 2>/dev/null; echo started', str(secret)]
            return _started([*prefix(level, Limits(), around), *command])


def _started(command: list[str]) -> str | None:
    try:
        run = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TRIAL_S,
        )
    except OSError as error:
        return str(error)
    except subprocess.TimeoutExpired:
        return _TOO_SLOW
    if "seen" in run.stdout:
        return "it shows what it should hide"
    if run.returncode == 0 and "started" in run.stdout:
        return None
    return (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[-1]


_SWITCHES: Final = (
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "unprivileged user namespaces are switched off: sysctl kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "user namespaces are switched off: sysctl user.max_user_namespaces=10000",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor is in bubblewrap's way: give /usr/bin/bwrap a profile with 'userns,'",
    ),
)
"""Files of the kernel, what stands in them when they are in the way, and what to do."""
_CONTAINERS: Final = ("/.dockerenv", "/run/.containerenv")


def _landlock_hints(version: int) -> Iterator[str]:
    if version < _NETWORK_VERSION:
        yield f"landlock is at version {version} here and forbids neither TCP nor signals"
    elif version < _SCOPES_VERSION:
        yield f"landlock is at version {version} here and forbids no signals"


def _filter_hints(machine: str) -> Iterator[str]:
    if not confine.can_filter_calls(machine):
        yield (
            f"system calls can't be filtered on {machine} here: bots of a table may talk by "
            "locks on files, and use UDP where only landlock keeps them apart"
        )


def _bubblewrap_hints(problem: str) -> Iterator[str]:
    if shutil.which("bwrap") is None:
        yield _INSTALL
        return
    yield f"bubblewrap doesn't work: {problem}"
    if problem == _TOO_SLOW:
        return
    for file, hindering, remedy in _SWITCHES:
        if _content(file) == hindering:
            yield remedy
    if any(map(os.path.exists, _CONTAINERS)):
        yield (
            "this is a container, which mostly may not start another: run it with "
            "--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined, or be content with landlock"
        )


def _content(file: str) -> str:
    try:
        return Path(file).read_text(encoding="ascii").strip()
    except OSError:
        return ""

"""Which files a bot may see. Of two words about a path, that about the longer path holds."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena import confine
from arena.programs import importable, needs, too_wide, trace
from arena.records import BotEntry

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
"""Folders of programs and libraries, with nothing of anybody's own."""
SETTINGS: Final = (
    "/etc/alternatives", "/etc/group", "/etc/host.conf", "/etc/hosts", "/etc/ld.so.cache",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd",
    "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/timezone", "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage", *map(str, sorted(Path("/etc").glob("java*"))),
)  # fmt: skip
"""What libraries and interpreters read of the machine's settings."""
CONFINE: Final = Path(confine.__file__).absolute()


class Surroundings(msgspec.Struct, frozen=True):
    """What a bot may see beside the system; all paths are real ones, without links."""

    folder: Path
    """Where its command runs."""
    scratch: Path
    """The only place to write to."""
    socket: Path
    visible: frozenset[Path]
    hidden: frozenset[Path]
    links: tuple[tuple[Path, str], ...]
    """Symbolic links on the way to what is visible, with what they hold."""

    def words(self) -> Iterator[tuple[Path, bool]]:
        """Yield paths and whether they may be seen, the shorter ones first."""
        for path in sorted(self.visible | self.hidden, key=lambda path: (len(path.parts), path)):
            seen = path in self.visible
            if seen != self.seen(path.parent):
                yield path, seen

    def listed(self) -> Iterator[Path]:
        """Yield folders that programs look through for packages, and of which they see no more."""
        for path in self.visible:
            if importable(path) and not self.seen(path.parent) and not too_wide(path.parent):
                yield path.parent

    def seen(self, path: Path) -> bool:
        """Return whether a path may be seen, by the word about the nearest path above it."""
        for each in (path, *path.parents):
            if each in self.visible:
                return True
            if each in self.hidden:
                return False
        return False

    def open_to(self, path: Path) -> Iterator[tuple[Path, bool]]:
        """Yield all that may be seen of a visible folder, piece by piece where some may not.

        With each comes whether it may be read in full, or only be listed.
        """
        hidden = self.hidden - self.visible
        if not any(each.is_relative_to(path) for each in hidden):
            yield path, True
            return
        yield path, False
        for entry in path.iterdir():
            if entry not in hidden and not entry.is_symlink():  # a link may lead anywhere
                yield from self.open_to(entry)


def surroundings(
    bot: BotEntry, scratch: Path, socket: Path, *, secrets: Iterable[str], others: Iterable[str]
) -> Surroundings:
    """Return what a bot may see: what it needs and what its owner says, but no secrets.

    Of the folders of others it sees only what its own command names in there.
    Raises OSError when something can't be looked at.
    """
    folder, search = Path(bot.folder), os.environ.get("PATH", os.defpath)
    wanted = {folder, *map(Path, bot.readable), *needs(bot.command, folder, search), *_own()}
    links: dict[Path, str] = {}
    visible = set(_real(SYSTEM))
    secret = frozenset(_real(secrets))
    for path in wanted:
        on_the_way, place = trace(path)
        links |= on_the_way
        if place.exists() and not any(place.is_relative_to(each) for each in secret):
            visible.add(place)
    return Surroundings(
        folder=folder,
        scratch=scratch,
        socket=socket,
        visible=frozenset(visible),
        hidden=secret.union(_real(others)),
        links=tuple(sorted(links.items())),
    )


def _real(paths: Iterable[str]) -> Iterator[Path]:
    return (trace(Path(each))[1] for each in paths if Path(each).exists())


def _own() -> set[Path]:
    """What the arena's own small program needs in there."""
    return {CONFINE, Path(sys.base_prefix), interpreter()}


def interpreter() -> Path:
    """Return the Python that the arena runs on, without its environment."""
    return Path(sys.executable).resolve()


def refusal(bot: BotEntry, secrets: Iterable[str]) -> str | None:
    """Say what of a bot's folders no bot may be shown; None when all is well."""
    readable = ((each, "wants to read") for each in bot.readable)
    for name, what in ((bot.folder, "runs in"), *readable):
        path = trace(Path(name))[1]
        if too_wide(path):
            return f"{what} {path}, which holds too much; give it a folder of its own"
        for secret in _real(secrets):
            if path.is_relative_to(secret):
                return f"{what} {path}, within {secret}, which no bot may see; move one of them"
    return None

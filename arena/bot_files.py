"""Notices when a bot's files change while its league is played."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from arena import registry
from arena.errors import OperatorError
from arena.records import BotEntry

_Mark = tuple[tuple[str, int, int, int, int], ...]
"""Per file its name, number, size and times; whoever changes a file can't keep all of them."""


class BotFiles:
    """What the bots of a league consisted of when it began, and whether they still do."""

    def __init__(self, bots: Sequence[BotEntry], named: Sequence[Sequence[str]] = ()) -> None:
        """`named` are, for each bot, the globs that the league file gives for its files."""
        self._bots = bots
        self._named = named or [()] * len(bots)
        self._digests = [bot.digest for bot in bots]
        """The last known, by bot; at first the header's."""
        self._marks: dict[int, _Mark | None] = {}

    def changed(self, numbers: Sequence[int], *, thorough: bool = False) -> Iterator[BotEntry]:
        """Yield which of these bots have other files than when they were looked at last.

        Files are read again only where the file system says that they were touched,
        or always when `thorough`.
        """
        for number in sorted(set(numbers)):
            bot = self._bots[number]
            mark = _mark(bot, self._named[number])
            if mark is not None and mark == self._marks.get(number) and not thorough:
                continue
            self._marks[number] = mark
            digest = _digest(bot, self._named[number])
            if digest != self._digests[number]:
                self._digests[number] = digest
                yield bot

    def digest(self, bot: BotEntry) -> str:
        """Return the last known digest; empty where the files can't be read any more."""
        return self._digests[self._bots.index(bot)]


def _registered(bot: BotEntry) -> registry.Bot:
    return registry.Bot(bot.name, bot.version, bot.command, bot.folder, "")


def _digest(bot: BotEntry, named: Sequence[str]) -> str:
    try:
        return registry.digest(_registered(bot), named)[0]
    except OperatorError:
        return ""


def _mark(bot: BotEntry, named: Sequence[str]) -> _Mark | None:
    try:
        return tuple(_look(path) for path in registry.files(_registered(bot), named))
    except (OperatorError, OSError):
        return None


def _look(path: Path) -> tuple[str, int, int, int, int]:
    seen = path.stat()
    return str(path), seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns

"""The operator's list of bots: what they are called, how they are started, what they consist of."""

import hashlib
import shlex
import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.errors import OperatorError
from arena.names import checked, composed, meant
from arena.paths import is_file, is_folder, matches, toml, written

MANIFEST: Final = "bot.toml"


class Bot(msgspec.Struct, frozen=True):
    """One bot as it is started."""

    name: str
    version: str
    command: tuple[str, ...]
    folder: str
    """Working directory of the command, absolute."""
    registered: str
    """UTC, ISO 8601."""

    @property
    def remote(self) -> bool:
        """Whether the bot dials in by itself, so that it has neither command nor folder."""
        return not self.command


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a bot's folder says of it."""

    name: str
    command: tuple[str, ...]
    version: str = "0"
    files: tuple[str, ...] = ()
    """Globs within the folder: what the bot consists of beside its command's words."""
    readable: tuple[str, ...] = ()
    """Files and folders that a sandbox shows beside this one; relative to it."""


def make(name: str, command: Sequence[str], folder: Path, version: str = "0") -> Bot:
    """Return the bot that is started so, not yet registered.

    Raises OperatorError when a part of it can't be used.
    """
    if not is_folder(folder):
        raise OperatorError(f"{folder} is no folder; a bot's command runs in a folder")
    bot = Bot(
        name=checked(name, "name"),
        version=checked(version, "version"),
        command=tuple(command),
        folder=str(folder.resolve()),
        registered=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    for word in (*bot.command, bot.folder):
        if any(unicodedata.category(character) == "Cs" or character == "\0" for character in word):
            raise OperatorError(f"{word!r} can't be kept; commands and folders must be valid UTF-8")
    executable(bot.command, Path(bot.folder))
    return bot


def make_remote(name: str, version: str = "0") -> Bot:
    """Return a bot that dials in by itself, not yet registered. Raises OperatorError."""
    registered = datetime.now(UTC).isoformat(timespec="seconds")
    return Bot(checked(name, "name"), checked(version, "version"), (), "", registered)


def from_folder(folder: Path) -> Bot:
    """Return the bot that a folder's manifest describes, not yet registered.

    Raises OperatorError naming the file, the key and what is allowed.
    """
    manifest = _manifest(folder)
    try:
        return make(manifest.name, manifest.command, folder, manifest.version)
    except OperatorError as error:
        raise OperatorError(f"{folder / MANIFEST}: {error}") from error


def executable(command: Sequence[str], folder: Path) -> Path:
    """Return the program that a command starts. Raises OperatorError when it can't."""
    if not command or not command[0]:
        raise OperatorError("command: empty; the first word must name a program")
    word = command[0]
    # A word with a slash is meant from the bot's folder, where the command runs.
    found = shutil.which(folder / word if "/" in word else word)
    if found is None:
        raise OperatorError(f"command: {_obstacle(word, folder)}")
    return Path(found)


def _obstacle(word: str, folder: Path) -> str:
    """Say why a word starts no program, and what to do."""
    if not is_file(folder / word):
        where = f"in {folder}" if "/" in word else "on PATH"
        return (
            f"no executable program {word!r} {where}; install or build it, "
            f"or write the command so that it can be started from {folder}"
        )
    if "/" not in word:
        return f"{word!r} is in {folder}, but not on PATH; write ./{word}"
    interpreted = f", or write: python3 {word}" if word.endswith(".py") else ""
    return f"{word!r} is there, but not executable; chmod +x {word}{interpreted}"


def digest(bot: Bot, more: Sequence[str] = ()) -> tuple[str, dict[str, str]]:
    """Return one SHA-256 over all that the bot consists of, and those of its files.

    The files are the program, those that the command names, and those that the folder's
    manifest and the globs `more` name, each under the name it has there; digests are
    hexadecimal. Nothing is known of a remote bot's. Raises OperatorError when one can't be read.
    """
    if bot.remote:
        return "", {}
    files: dict[str, str] = {}
    for name, path in _parts(bot, more):
        try:
            with path.open("rb") as file:
                files[name] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise OperatorError(f"{path} can't be read: {error.strerror}") from error
    content = msgspec.json.encode((bot.command, sorted(files.items())))
    return hashlib.sha256(content).hexdigest(), files


def files(bot: Bot, more: Sequence[str] = ()) -> Iterator[Path]:
    """Yield the files that `digest` reads. Raises OperatorError as it does."""
    for _, path in _parts(bot, more):
        yield path


def readable(bot: Bot, more: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what a sandbox shows of other places, `more` and what the folder's manifest says.

    Raises OperatorError when there is no such file.
    """
    folder = Path(bot.folder)
    said = [(word, f"{folder / MANIFEST}: ") for word in _described(folder).readable]
    places = (*said, *((word, "") for word in more))
    return tuple(str(written(word, folder, f"{where}readable")) for word, where in places)


def register(bot: Bot, *, replace: bool = False) -> bool:
    """Add a bot; a bot that is known with the same content is left as it is, and False returned.

    Raises OperatorError when the name is known with other content and `replace` isn't set.
    """
    from arena import store

    row = msgspec.to_builtins(bot)
    with store.transaction("write") as connection:
        known = _found(connection, bot.name)
        if known is not None and _content(known) == _content(bot):
            return False
        if known is not None and not replace:
            raise _taken(known, bot)
        connection.execute(store.BOTS.delete().where(store.BOTS.c.name == bot.name))
        connection.execute(store.TOKENS.delete().where(store.TOKENS.c.bot == bot.name))
        connection.execute(store.BOTS.insert().values(row))
    return True


def refuse_namesake(bot: Bot) -> None:
    """Raise OperatorError when the bot's name is known with other content."""
    from arena import store

    with store.transaction("read") as connection:
        known = _found(connection, bot.name)
    if known is not None and _content(known) != _content(bot):
        raise _taken(known, bot)


def remove(name: str) -> None:
    """Forget a bot. Raises OperatorError when there is none of this name."""
    from arena import store

    wanted = _wanted(name)
    with store.transaction("write") as connection:
        if _found(connection, wanted) is None:
            raise _unknown(wanted, connection)
        connection.execute(store.BOTS.delete().where(store.BOTS.c.name == wanted))
        connection.execute(store.TOKENS.delete().where(store.TOKENS.c.bot == wanted))


def get(name: str) -> Bot:
    """Return the bot of this name. Raises OperatorError when there is none."""
    from arena import store

    wanted = _wanted(name)
    with store.transaction("read") as connection:
        bot = _found(connection, wanted)
        if bot is None:
            raise _unknown(wanted, connection)
    return bot


def listing() -> tuple[Bot, ...]:
    """Return all bots, sorted by name."""
    from arena import store

    with store.transaction("read") as connection:
        return _all(connection)


def _wanted(name: str) -> str:
    """Return a name to look for; one that was accepted by an older arena can still be found."""
    wanted = composed(name)
    if any(unicodedata.category(character) == "Cs" for character in wanted):
        raise _unknown(wanted)  # no text that could be kept
    return wanted


def _all(connection: Any) -> tuple[Bot, ...]:
    from arena import store

    return tuple(store.rows(connection, store.BOTS.select().order_by("name"), Bot))


def _found(connection: Any, name: str) -> Bot | None:
    from arena import store

    found = store.rows(connection, store.BOTS.select().where(store.BOTS.c.name == name), Bot)
    return found[0] if found else None


def _content(bot: Bot) -> tuple[object, ...]:
    return (bot.version, bot.command, bot.folder)


def _taken(known: Bot, new: Bot) -> OperatorError:
    return OperatorError(
        f"a bot named {new.name!r} is registered already ({_difference(known, new)}); "
        "choose another name, or give --replace"
    )


def _difference(known: Bot, new: Bot) -> str:
    fields = ("version", "command", "folder")
    return "; ".join(
        f"{field} {_said(getattr(known, field))}, now {_said(getattr(new, field))}"
        for field in fields
        if getattr(known, field) != getattr(new, field)
    )


def _said(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else shlex.join(value) or "none"


def _unknown(name: str, connection: Any = None) -> OperatorError:
    hint = "" if connection is None else meant(name, (bot.name for bot in _all(connection)))
    return OperatorError(
        f"no bot named {name!r} is registered; {hint + ' ' if hint else ''}"
        "`arena bots` lists those that are"
    )


def _manifest(folder: Path) -> _Manifest:
    path = folder / MANIFEST
    content = toml(path)
    try:
        return msgspec.convert(content, _Manifest)
    except msgspec.ValidationError as error:
        raise OperatorError(f"{path}: {error}; {_keys_meant(content)}") from error


def _keys_meant(content: Iterable[str]) -> str:
    allowed = _Manifest.__struct_fields__
    hints = (meant(key, allowed) for key in content if key not in allowed)
    return f"{next(filter(None, hints), '')} allowed keys: {', '.join(allowed)}".lstrip()


def _described(folder: Path) -> _Manifest:
    """Return what the folder's manifest says; nothing where there is none."""
    return _manifest(folder) if is_file(folder / MANIFEST) else _Manifest("", ())


def _parts(bot: Bot, more: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files of a bot with their names; a file may come twice."""
    if bot.remote:
        return
    folder = Path(bot.folder)
    yield bot.command[0], executable(bot.command, folder)
    for word in bot.command[1:]:
        if is_file(folder / word):
            yield word, folder / word
    for pattern in _described(folder).files:
        yield from matches(folder, pattern, f"{folder / MANIFEST}: files")
    for pattern in more:
        yield from matches(folder, pattern, "files")

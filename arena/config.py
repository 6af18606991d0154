"""The league file: TOML, strict, checked in full before anything is started."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from arena import registry, schedule
from arena.errors import OperatorError
from arena.names import checked, meant
from arena.paths import is_file, is_folder, toml, written
from arena.records import Deals, Limits, Recording, Schedule, SessionDeals, SliceDeals

MOST_WORKERS: Final = 1024
_SLICE_DEALS: Final = (60, 600)
"""Bounds of the deals per shard where the file doesn't say: worth four launches, and little
enough that a league shows something early."""
_SLICES: Final = 6
"""As many slices where the file doesn't say, so that each arrangement gets its turn."""
_MANY_LINEUPS: Final = 500
"""More lineups than this must have been asked for."""


class BotSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that can be launched."""

    name: str
    command: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]
    version: str = "0"
    folder: str = "."
    """Working directory of the command; in a league file relative to that file."""
    files: tuple[str, ...] = ()
    """Globs within the folder: what the bot consists of beside its command's words."""
    readable: tuple[str, ...] = ()
    """Files and folders that a sandbox shows beside it; relative to the folder."""


class RemoteSpec(msgspec.Struct, frozen=True):
    """A bot that dials in by itself; only registered ones can, since they need a token."""

    name: str
    version: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    bots: Annotated[tuple[str | BotSpec, ...], Meta(min_length=1, max_length=1000)]
    deals: Deals
    rules: Annotated[str, Meta(min_length=1)] = "online"
    slice_deals: SliceDeals | None = None
    session_deals: SessionDeals = 1
    lineups: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    workers: Annotated[int, Meta(ge=1, le=MOST_WORKERS)] | None = None
    open_deals: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    limits: Limits = Limits()
    journal: Recording = Recording()
    seed: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")] | None = None
    pin: bool = True


class League(msgspec.Struct, frozen=True):
    """A league as its file describes it, every default filled in."""

    path: Path
    name: str
    rules: str
    """Name of a shipped rule set, or the absolute path of a file."""
    bots: tuple[BotSpec | RemoteSpec, ...]
    """Their folders are absolute."""
    schedule: Schedule
    limits: Limits
    recording: Recording
    open_deals: int | None
    """Deals in play at once at a table; None leaves it to what fills the batches."""
    workers: int | None
    """Shards at once; None leaves it to the machine."""
    secret: bytes | None
    """Chosen by the operator, which makes the league an open one; mostly None."""
    pin: bool
    """Whether each shard is kept on one core."""


def load(path: Path, resolve: Callable[[str], BotSpec | RemoteSpec]) -> League:
    """Read a league file; `resolve` finds a registered bot by its name.

    Raises OperatorError, also whatever `resolve` raises.
    """
    file = _read(path)
    bots = tuple(_bot(path, number, bot, resolve) for number, bot in enumerate(file.bots))
    _refuse_namesakes(path, bots)
    return League(
        path=path.absolute(),
        name=checked(file.name, f"{path}: name"),
        rules=_rules(path, file.rules),
        bots=bots,
        schedule=_schedule(path, file),
        limits=_sensible(path, file.limits),
        recording=file.journal,
        open_deals=file.open_deals,
        workers=file.workers,
        secret=None if file.seed is None else bytes.fromhex(file.seed),
        pin=file.pin,
    )


def _read(path: Path) -> _File:
    content = toml(path)
    _refuse_unknown(path, "", content, _File)
    _refuse_unknown(path, "limits.", content.get("limits"), Limits)
    _refuse_unknown(path, "journal.", content.get("journal"), Recording)
    bots = content.get("bots")
    for number, bot in enumerate(bots if isinstance(bots, list) else ()):
        _refuse_unknown(path, f"bots[{number}].", bot, BotSpec)
    try:
        return msgspec.convert(content, _File)
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at `$")
        key = where.strip(".`")
        raise OperatorError(f"{path}: {key + ': ' if key else ''}{_plain(problem)}") from error


def _sensible(path: Path, limits: Limits) -> Limits:
    """Return the limits unless they contradict each other."""
    if limits.increment_ms and limits.bank_ms is None:
        raise OperatorError(f"{path}: limits.increment_ms needs limits.bank_ms, which it adds to")
    return limits


def _plain(problem: str) -> str:
    if "regex" in problem:
        return "expected 64 hexadecimal digits, small letters"
    return problem.replace("Object missing required field", "missing key").replace("`", "'")


def _refuse_unknown(path: Path, prefix: str, table: object, kind: type[msgspec.Struct]) -> None:
    known = kind.__struct_fields__
    for key in table if isinstance(table, Mapping) else ():
        if key not in known:
            hint = meant(key, known) or f"allowed are {', '.join(known)}"
            raise OperatorError(f"{path}: unknown key {prefix + key!r}; {hint}")


def _bot(
    path: Path,
    number: int,
    bot: str | BotSpec,
    resolve: Callable[[str], BotSpec | RemoteSpec],
) -> BotSpec | RemoteSpec:
    if isinstance(bot, str):
        try:
            spec = resolve(bot)
        except OperatorError as error:
            raise OperatorError(f"{path}: bots[{number}]: {error}") from error
    else:
        spec = bot
    if isinstance(spec, RemoteSpec):
        return spec
    name = checked(spec.name, f"{path}: bots[{number}].name")
    version = checked(spec.version, f"{path}: bots[{number}].version")
    where = f"{path}: bots[{number}] ({name})"
    folder = written(spec.folder, path.absolute().parent, f"{where}: folder")
    if not is_folder(folder):
        raise OperatorError(f"{where}: folder: {folder} is no folder")
    try:
        registry.executable(spec.command, folder)
    except OperatorError as error:
        raise OperatorError(f"{where}: {error}") from error
    return msgspec.structs.replace(spec, name=name, version=version, folder=str(folder))


def _refuse_namesakes(path: Path, bots: tuple[BotSpec | RemoteSpec, ...]) -> None:
    first: dict[str, int] = {}
    for number, bot in enumerate(bots):
        earlier = first.setdefault(bot.name, number)
        if earlier != number:
            raise OperatorError(
                f"{path}: bots[{earlier}] and bots[{number}] are both called {bot.name!r};"
                " give one of them another name"
            )


def _rules(path: Path, rules: str) -> str:
    if os.sep not in rules and not rules.endswith(".toml"):
        return rules
    file = written(rules, path.absolute().parent, f"{path}: rules")
    if not is_file(file):
        raise OperatorError(f"{path}: rules: {file} is no file")
    return str(file)


def _schedule(path: Path, file: _File) -> Schedule:
    session = file.session_deals
    per_slice = file.slice_deals or _usual_slice(file.deals, session)
    for key, value in (("deals", file.deals), ("slice_deals", per_slice)):
        if value % session:
            raise OperatorError(
                f"{path}: {key} = {value} must be a multiple of session_deals = {session};"
                f" the nearest are {value - value % session or session}"
                f" and {value + session - value % session}"
            )
    count = schedule.lineup_count(len(file.bots))
    if file.lineups is None and count > _MANY_LINEUPS:
        raise OperatorError(
            f"{path}: {len(file.bots)} bots make {count} lineups of four;"
            f" say with 'lineups' how many of them to play (at least {len(file.bots)} is sensible)"
        )
    return Schedule(
        deals=file.deals,
        slice_deals=per_slice,
        session_deals=session,
        lineups=schedule.lineups(len(file.bots), file.lineups),
    )


def _usual_slice(deals: int, session: int) -> int:
    """Deals per shard where the file doesn't say, in whole sessions."""
    least, most = _SLICE_DEALS
    wanted = min(max(-(-deals // _SLICES), least), most)
    return max(session, wanted - wanted % session)

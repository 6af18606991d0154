"""A league that was checked in full: what `arena run` plays and `--dry-run` tells."""

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from arena import config, dealing, registry, rulebook, schedule
from arena.executor import cores
from arena.records import FORMAT, BotEntry, Header
from arena.wire import PROTOCOL

_DEAL_S: Final = 0.002
"""A deal's time on one core and a half with the sample bots."""
_SHARD_S: Final = 1.5
"""What starting and ending four Python bots takes."""
_DEAL_BYTES: Final = 1500


class Plan(msgspec.Struct, frozen=True):
    """A league that was checked in full and can be played."""

    league: config.League
    header: Header
    secret: bytes
    folder: Path
    workers: int
    pin: bool
    """Whether each shard is kept on one core, where cores are left over."""


def default_folder(file: Path) -> Path:
    """Return where a league is kept unless the operator says otherwise."""
    return file.with_suffix("")


def make_plan(file: Path, folder: Path | None, workers: int | None, *, pin: bool = True) -> Plan:
    """Check everything that the operator could have got wrong. Raises OperatorError."""
    league = config.load(file, _registered)
    where = (folder or default_folder(file)).absolute()
    secret = _secret(where, league)
    header = Header(
        format=FORMAT,
        league=league.name,
        created=now(),
        arena=version("schafkopf-arena"),
        protocol=PROTOCOL,
        rules=rulebook.effective(league.rules),
        bots=tuple(map(_entry, league.bots)),
        schedule=league.schedule,
        limits=league.limits,
        commitment=dealing.commitment(secret),
        open=league.secret is not None,
        isolation="none",
    )
    chosen = workers or league.workers or len(cores())
    return Plan(league, header, secret, where, chosen, pin and league.pin)


def _registered(name: str) -> config.BotSpec:
    bot = registry.get(name)
    return config.BotSpec(
        name=bot.name, version=bot.version, command=bot.command, folder=bot.folder
    )


def _entry(spec: config.BotSpec) -> BotEntry:
    bot = registry.make(spec.name, spec.command, Path(spec.folder), spec.version)
    digest, _ = registry.digest(bot)
    return BotEntry(bot.name, bot.version, bot.command, bot.folder, digest)


def _secret(folder: Path, league: config.League) -> bytes:
    """Return the secret of a league that has begun, or a new one that isn't stored yet.

    The operator's own comes first, so that changing it doesn't go unnoticed.
    """
    if league.secret is not None:
        return league.secret
    file = folder / dealing.FILE_NAME
    return dealing.load_secret(file) if file.exists() else dealing.new_secret()


def now() -> str:
    """Return the time for a journal: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Estimate(msgspec.Struct, frozen=True):
    """What a league will take, by the sample bots' measure."""

    seconds: float
    megabytes: float


def estimate(plan: Plan) -> Estimate:
    """Return a rough idea of time and disk; slow bots take longer."""
    totals = schedule.totals(plan.header.schedule)
    busy = totals.deals * _DEAL_S + totals.shards * _SHARD_S
    return Estimate(busy / plan.workers, totals.deals * _DEAL_BYTES / 1e6)

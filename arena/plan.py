"""A league that was checked in full: what `arena run` plays and `--dry-run` tells."""

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from arena import config, dealing, descriptors, journal_read, registry, rulebook, schedule
from arena.errors import OperatorError
from arena.executor import cores
from arena.home import home
from arena.paths import refuse_irregular
from arena.records import FORMAT, BotEntry, Header, Level, Schedule
from arena.sandbox import Probe, Sandbox, choose
from arena.surroundings import refusal
from arena.wire import PROTOCOL
from engine.model import RuleSet
from engine.ruleset import to_mapping

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
    probe: Probe
    """What isolation the machine offers; the header's is that."""
    lobby: Path | None
    """Data folder of the `arena serve` that remote bots dial in at; None without any."""
    pin: bool
    """Whether each shard is kept on one core, where cores are left over."""
    wanted_workers: int
    """More than `workers` where the limit of open files doesn't suffice for all."""


def remote_bots(plan: Plan) -> tuple[str, ...]:
    """Return the names of the bots that have to dial in."""
    return tuple(bot.name for bot in plan.header.bots if bot.remote)


def most_streams(plan: Plan) -> int:
    """Return how many streams one remote bot may need at once."""
    return plan.workers * max(
        lineup.count(number)
        for lineup in plan.header.schedule.lineups
        for number, bot in enumerate(plan.header.bots)
        if bot.remote
    )


def default_folder(file: Path) -> Path:
    """Return where a league is kept unless the operator says otherwise."""
    return file.with_suffix("")


def make_plan(
    file: Path,
    folder: Path | None,
    workers: int | None,
    *,
    pin: bool = True,
    sandbox: Level | None = None,
    least: Level = "limits",
) -> Plan:
    """Check everything that the operator could have got wrong. Raises OperatorError.

    `sandbox` is the level of isolation to use, by default the best that the machine offers;
    less than `least` is refused.
    """
    if workers is not None and not 1 <= workers <= config.MOST_WORKERS:
        raise OperatorError(f"--workers {workers}: from 1 to {config.MOST_WORKERS} are possible")
    league = config.load(file, _registered)
    where = (folder or default_folder(file)).absolute()
    refuse_irregular(where)
    rules = _rules(file, league)
    _refuse_single_deals(file, rules, league.schedule)
    _refuse_cpu_time_from_afar(file, league)
    secret = _secret(where, league)
    probe = choose(sandbox, least=least)
    header = Header(
        format=FORMAT,
        league=league.name,
        created=now(),
        arena=version("schafkopf-arena"),
        protocol=PROTOCOL,
        rules=to_mapping(rules),
        bots=tuple(_entry(file, *each) for each in enumerate(league.bots)),
        schedule=msgspec.structs.replace(
            league.schedule, fixed_partners=rulebook.fixed_partners(rules)
        ),
        limits=league.limits,
        commitment=dealing.commitment(secret),
        open=league.secret is not None,
        isolation=probe.level,
        recording=league.recording,
        open_deals=league.open_deals,
    )
    chosen = workers or league.workers or len(cores())
    fitting = descriptors.fit(chosen)
    plan = Plan(
        league, header, secret, where, fitting, probe, _lobby(header), pin and league.pin, chosen
    )
    _refuse_exposed(plan)
    return plan


def confinement(plan: Plan) -> Sandbox:
    """Return what keeps the league's bots apart."""
    secrets = (plan.folder, plan.league.path, home())
    others = {bot.folder for bot in plan.header.bots if not bot.remote}
    return Sandbox(plan.probe.level, tuple(map(str, secrets)), tuple(sorted(others)))


def _refuse_exposed(plan: Plan) -> None:
    """A bot that lives where secrets are couldn't be kept from them."""
    if plan.probe.level == "limits":
        return
    for bot in plan.header.bots:
        problem = None if bot.remote else refusal(bot, confinement(plan).secrets)
        if problem is not None:
            hint = _way_out(plan, bot)
            raise OperatorError(f"{plan.league.path}: the bot {bot.name!r} {problem}{hint}")


def _way_out(plan: Plan, bot: BotEntry) -> str:
    """Say so where it is the league's own folder that is in the way."""
    if refusal(bot, ()) is not None or refusal(bot, (str(plan.folder),)) is None:
        return ""
    usual = plan.folder == default_folder(plan.league.path)
    named = ", by default called like its file" if usual else ""
    return f"; the second is the league's own folder{named}: choose another with --folder"


def files_warning(plan: Plan) -> str | None:
    """Say so where the limit of open files lowers the number of tables."""
    if plan.workers == plan.wanted_workers:
        return None
    return (
        f"a process may open {descriptors.limit()[0]} files here, which suffices for"
        f" {plan.workers} tables at once instead of {plan.wanted_workers}; for all of them:"
        f" ulimit -n {descriptors.files_for(plan.wanted_workers)}"
    )


def pairings_warning(plan: Plan) -> str | None:
    """Say so where partners are fixed and the slices are too few for all pairings."""
    planned = plan.header.schedule
    most = max(len(schedule.pairings(lineup)) for lineup in planned.lineups)
    if not planned.fixed_partners or schedule.slices(planned) >= most:
        return None
    sessions = planned.deals // planned.session_deals // most
    remedy = f"set slice_deals to {sessions * planned.session_deals} at most"
    return (
        f"partners are fixed, and with {schedule.slices(planned)} slices of "
        f"{planned.slice_deals} deals not all {most} pairings of each lineup are played, so "
        f"only teams can be compared; {remedy if sessions else 'play more deals'}"
    )


def _refuse_single_deals(file: Path, rules: RuleSet, planned: Schedule) -> None:
    """A session of one deal would drop whatever the rules carry on to the next one."""
    if rules.session.carries and planned.session_deals == 1:
        raise OperatorError(
            f"{file}: the rules {rules.name!r} carry something from deal to deal, but each deal "
            "is a session of its own; set session_deals to the number of deals that belong "
            "together, for example 16 (and deals and slice_deals to multiples of it)"
        )


def _refuse_cpu_time_from_afar(file: Path, league: config.League) -> None:
    remote = [bot.name for bot in league.bots if isinstance(bot, config.RemoteSpec)]
    if remote and league.limits.cpu_ms is not None:
        raise OperatorError(
            f"{file}: limits.cpu_ms can't be measured at bots that run elsewhere, as"
            f" {remote[0]!r} does; leave it out"
        )


def _lobby(header: Header) -> Path | None:
    if not any(bot.remote for bot in header.bots):
        return None
    return home()


def _registered(name: str) -> config.BotSpec | config.RemoteSpec:
    bot = registry.get(name)
    if bot.remote:
        return config.RemoteSpec(bot.name, bot.version)
    return config.BotSpec(
        name=bot.name, version=bot.version, command=bot.command, folder=bot.folder
    )


def _rules(file: Path, league: config.League) -> RuleSet:
    try:
        return rulebook.load(league.rules)
    except OperatorError as error:
        raise OperatorError(f"{file}: rules: {error}") from error


def _entry(file: Path, number: int, spec: config.BotSpec | config.RemoteSpec) -> BotEntry:
    if isinstance(spec, config.RemoteSpec):
        return BotEntry(spec.name, spec.version, (), "", "", remote=True)
    try:
        bot = registry.make(spec.name, spec.command, Path(spec.folder), spec.version)
        digest, _ = registry.digest(bot, spec.files)
        readable = registry.readable(bot, spec.readable)
    except OperatorError as error:
        raise OperatorError(f"{file}: bots[{number}] ({spec.name}): {error}") from error
    return BotEntry(bot.name, bot.version, bot.command, bot.folder, digest, readable)


def files_named(plan: Plan) -> list[tuple[str, ...]]:
    """Return the globs that the league file gives for each bot's files."""
    return [() if isinstance(bot, config.RemoteSpec) else bot.files for bot in plan.league.bots]


def _secret(folder: Path, league: config.League) -> bytes:
    """Return the secret of a league that has begun, or a new one that isn't stored yet.

    The operator's own comes first, so that changing it doesn't go unnoticed. A secret
    without a journal is never used again: a journal that is gone may have told it.
    """
    if league.secret is not None:
        return league.secret
    if journal_read.has_begun(folder):
        return dealing.load_secret(folder / dealing.FILE_NAME)
    return dealing.new_secret()


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

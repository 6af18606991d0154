"""`arena run`: plays a league with a progress bar, a dry run, or in silence."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from arena.commands import remote_bots
from arena.commands.durations import duration
from arena.commands.places import named_folder
from arena.commands.progress import progress
from arena.endings import CancelAtOne, endings
from arena.errors import ArenaError, OperatorError, single
from arena.exits import STOPPED

if TYPE_CHECKING:
    from arena.league import Coordinator
    from arena.metrics import Metrics
    from arena.plan import Plan
    from arena.records import Level
    from arena.status import Snapshot

_ANEW = "for a new league, name a new --folder"


def run(  # noqa: PLR0913  # a command has as many options as its users need
    file: Path,
    /,
    *,
    folder: Annotated[Path | None, Parameter(converter=named_folder)] = None,
    workers: Annotated[int | None, Parameter(name=["--workers", "-w"])] = None,
    pin: Annotated[bool, Parameter(negative="--no-pin")] = True,
    sandbox: Literal["limits", "landlock", "bubblewrap"] | None = None,
    require_sandbox: bool = False,
    dry_run: bool = False,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"])] = False,
    metrics: str | None = None,
) -> int:
    """Play a league, or go on with it: exactly the deals that are missing are played.

    Ctrl-C stops at once and loses nothing but what remote bots have open. Exit codes: 0 all
    deals are played (where a bot doesn't come to it, by the house, which is told), 1 some could
    not be, 2 something must be put right first, 130 stopped.

    For example:
      arena run league.toml
      arena run league.toml --dry-run
      arena run league.toml --workers 4 --quiet

    Parameters
    ----------
    file
        The league file.
    folder
        Where journal, secret and logs are kept; by default a folder named as the file.
    workers
        Shards played at once; by default one per core.
    pin
        Keep each shard's process on a core of its own where a core is left over.
    sandbox
        How bots are kept apart from the machine and each other; by default the best that
        works here.
    require_sandbox
        Play with bubblewrap, or not at all.
    dry_run
        Tell what would be played, and play nothing.
    quiet
        Print nothing but errors, and whether there is no sandbox; for cron.
    metrics
        [HOST:]PORT where figures are told to Prometheus; loopback unless a host is given.
    """
    from arena import logs
    from arena.opening import changes, deals_there, opened, refuse_changes, refuse_lost
    from arena.plan import files_warning, make_plan

    least: Level = "bubblewrap" if require_sandbox else "limits"
    plan = make_plan(file, folder, workers, pin=pin, sandbox=sandbox, least=least)
    if dry_run:
        refuse_lost(plan)
        refuse_changes(plan)
        _tell(plan, deals_there(plan))
        return 0
    remote_bots.require(plan)
    try:
        with (
            _metrics(plan, metrics, quiet=quiet) as measured,
            opened(plan) as coordinator,
        ):
            if coordinator is None:
                since = "".join(f"\n  {change}" for change in changes(plan))
                changed = f", and began differently from what is asked for now:{since}\n"
                _say(quiet, f"{plan.folder} is finished{changed if since else '; '}" + _ANEW)
                return 0
            told = not quiet and sys.stderr.isatty()
            logs.to_file(plan.folder / "logs" / "arena.log", terminal=told)
            _say(quiet, f"league {plan.header.league!r} in {plan.folder}")
            _say(quiet, plan.probe.text)
            remote_bots.tell(plan, lambda text: _say(quiet, text))
            if quiet and plan.probe.level == "limits" != sandbox:
                print(plan.probe.text, file=sys.stderr)
            few_files = files_warning(plan)
            if few_files is not None:
                coordinator.status.warn(few_files)
            coordinator.metrics = measured
            return _play(coordinator, quiet=quiet)
    except OSError as error:
        raise _refusal(error, plan.folder) from error


@contextmanager
def _metrics(plan: "Plan", address: str | None, *, quiet: bool) -> "Iterator[Metrics | None]":
    if address is None:
        yield None
        return
    from arena.journal_read import FILE_NAME
    from arena.metrics import Metrics, served

    metrics = Metrics(plan.header, plan.folder / FILE_NAME)
    with served(metrics, address) as url:
        _say(quiet, f"metrics: {url}")
        yield metrics


def _play(coordinator: "Coordinator", *, quiet: bool) -> int:
    before = coordinator.status.done
    with progress(coordinator.status, quiet=quiet) as on_tick:
        complete = _run_until_signal(coordinator, on_tick)
    status = coordinator.status
    if complete is None:
        _say(quiet, f"stopped; {status.done} of {status.total} deals are in the journal")
        but = "" if coordinator.plan.lobby is None else ", without what remote bots had open"
        _say(quiet, f"the same command goes on from here{but}")
        return STOPPED
    played, faults = status.done - before, status.faults.total()
    earlier = f" now, {before} earlier" if before else ""
    _say(quiet, f"{played} deals played{earlier}, {faults} faults")
    _tell_misconduct(coordinator, quiet=quiet)
    if not complete:
        lost = "arena: some deals could not be played; `arena log show --incidents` tells why"
        print(lost, file=sys.stderr)
    return 0 if complete else 1


def _tell_misconduct(coordinator: "Coordinator", *, quiet: bool) -> None:
    """Print a line per bot that had faults or was stood down, the latter also for cron."""
    absent = False
    for bot in coordinator.status.misconduct():
        kinds = ", ".join(f"{kind} {count}" for kind, count in bot.faults.items())
        faults = f"{sum(bot.faults.values())} faults ({kinds})" if kinds else ""
        house = f"the house played {bot.stood_down} of its {bot.deals} hands"
        line = f"{bot.name}: {', '.join(filter(None, (faults, house if bot.stood_down else '')))}"
        _say(quiet, f"  {line}")
        if quiet and bot.stood_down:
            with suppress(OSError):
                print(f"arena: {line}", file=sys.stderr)
        absent = absent or bot.stood_down > 0
    outputs = coordinator.plan.folder / "logs" / "bots"
    if absent:
        where = f"; what bots print is in {outputs}" if outputs.exists() else ""
        _say(quiet, f"`arena status` tells why{where}")


def _run_until_signal(
    coordinator: "Coordinator", on_tick: Callable[["Snapshot"], None]
) -> bool | None:
    """Return whether the league is complete, or None when a signal stopped it."""
    import trio

    async def main(cancel_at_one: CancelAtOne) -> bool | None:
        with trio.CancelScope() as scope:
            cancel_at_one(scope)
            return await coordinator.run(_while_heard(on_tick))
        return None

    problem: Exception
    try:
        with endings() as cancel_at_one:
            return trio.run(main, cancel_at_one)
    except* ArenaError as errors:
        problem = single(errors)
    except* OSError as errors:
        problem = _refusal(single(errors), coordinator.plan.folder)
    raise problem  # not above: some Pythons would wrap it into a group again


def _refusal(error: OSError, folder: Path) -> OperatorError:
    from arena.journal_read import FILE_NAME
    from arena.paths import is_file

    if not is_file(folder / FILE_NAME):
        return OperatorError(f"{folder} was removed or moved while the league was played ({error})")
    return OperatorError(f"the machine refuses: {error}; mend that, and the same command goes on")


def _while_heard(on_tick: Callable[["Snapshot"], None]) -> Callable[["Snapshot"], None]:
    """Return a teller of progress that falls silent when nobody listens any more."""
    heard = True

    def told(status: "Snapshot") -> None:
        nonlocal heard
        if heard:
            try:
                on_tick(status)
            except OSError:  # the terminal or the pipe is gone; the league goes on
                heard = False

    return told


def _say(quiet: bool, text: str) -> None:
    if not quiet:
        with suppress(OSError):  # nobody listens; the league matters more
            print(text, flush=True)


def _tell(plan: "Plan", there: int) -> None:
    """Print what a league is, of which so many deals are there already."""
    from arena import schedule
    from arena.plan import estimate, files_warning, pairings_warning

    totals = schedule.totals(plan.header.schedule)
    names = [bot.name for bot in plan.header.bots]
    expected = estimate(plan)
    print(f"league     {plan.header.league!r} in {plan.folder}")
    print(f"rules      {plan.header.rules['name']}")
    print(f"bots       {len(names)}")
    if (remote := remote_bots.describe(plan)) is not None:
        print(remote)
    print(f"lineups    {totals.lineups}")
    for lineup in plan.header.schedule.lineups[:10]:
        print(f"             {' | '.join(names[bot] for bot in lineup)}")
    if totals.lineups > 10:
        print(f"             and {totals.lineups - 10} more")
    different = plan.header.schedule.deals
    print(f"deals      {totals.deals} in {totals.shards} shards")
    print(f"           ({different} different ones per lineup, each in every seating)")
    if there:
        left = totals.deals - there
        print(f"           {there} of them are there already, {left or 'none'} are left to play")
    print(f"launches   {totals.launches}{' for all deals' if there else ''}")
    print(f"isolation  {plan.header.isolation}")
    share_left = 1 - there / totals.deals
    took, workers = duration(expected.seconds * share_left), plan.workers
    print(f"time       about {took} with {workers} workers, if bots are as fast as the sample bots")
    print(f"disk       about {expected.megabytes * share_left:.0f} MB")
    for warning in filter(None, (pairings_warning(plan), files_warning(plan))):
        print(f"warning    {warning}")

"""Looks a machine over, and a league file with it, before anything is played."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import trio

from arena import checkup, tokens
from arena.checkup import Check
from arena.errors import OperatorError
from arena.executor import cores
from arena.plan import Plan, estimate, make_plan, pairings_warning, remote_bots
from arena.remote import require_lobby


def examine(league: Path | None) -> Iterator[Check]:
    """Yield all findings, the league's last where one is given; takes about a second."""
    plan, of_league = (None, []) if league is None else _league(league)
    tables = len(cores()) if plan is None else plan.wanted_workers
    folder = Path.cwd() if plan is None else plan.folder
    yield checkup.python()
    yield checkup.packages()
    yield checkup.sandbox()
    yield checkup.files(tables)
    yield checkup.sockets()
    yield checkup.clock(folder)
    yield checkup.disk("disk", folder, _bytes(plan))
    yield checkup.disk("registry", _home())
    yield checkup.cores(tables)
    yield checkup.memory(tables)
    yield from of_league


def _league(file: Path) -> tuple[Plan | None, list[Check]]:
    try:
        plan = make_plan(file, None, None)
    except OperatorError as error:
        # Its sentence says what to do: the file may be right and the machine wrong.
        return None, [Check("league", "problem", str(error))]
    warning = pairings_warning(plan)
    found = f"{plan.header.league!r}, {len(plan.header.bots)} bots, {plan.workers} workers"
    if warning is not None:
        return plan, [Check("league", "warning", found, warning), *_remote(plan)]
    return plan, [Check("league", "ok", found), *_remote(plan)]


def _remote(plan: Plan) -> Iterator[Check]:
    """Check that the league's remote bots could come."""
    if plan.lobby is None:
        return
    names = remote_bots(plan)
    known = tokens.states()
    barred = [name for name in names if name not in known]
    if barred:
        remedy = f"they have no token; for each: arena token new {shlex.quote(barred[0])}"
        yield Check("tokens", "problem", ", ".join(barred), remedy)
    try:
        trio.run(require_lobby, plan.lobby)
    except OperatorError:
        found = f"no `arena serve` works for {plan.lobby}"
        yield Check("remote bots", "problem", found, "start it")
        return
    never = [name for name in names if name in known and known[name].last_seen is None]
    if never:
        remedy = "start them, each with its token"
        yield Check("remote bots", "warning", f"never seen: {', '.join(never)}", remedy)
    else:
        yield Check("remote bots", "ok", "`arena serve` runs")


def _bytes(plan: Plan | None) -> int:
    return 0 if plan is None else round(estimate(plan).megabytes * 1e6)


def _home() -> Path:
    from arena.home import home

    return home()

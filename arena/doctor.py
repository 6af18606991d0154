"""Looks a machine over, and a league file with it, before anything is played."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena import checkup, registry, store, tokens
from arena.checkup import Check, Level
from arena.errors import OperatorError
from arena.executor import cores
from arena.home import home
from arena.metrics import address as metrics_address
from arena.plan import Plan, estimate, make_plan, pairings_warning, remote_bots
from arena.public_address import checked_address, refuse_taken
from arena.remote import require_lobby
from arena.serving import server_of

_USUAL_ADDRESS: Final = "127.0.0.1:5000"
"""Where `arena serve` listens in what the operator has read."""


class Questions(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be looked at beside the machine."""

    league: Path | None = None
    folder: Path | None = None
    """Where the league is to be kept, unless by default."""
    address: str | None = None
    """Where `arena serve` is to listen."""
    metrics: str | None = None
    """Where metrics are to be served, [HOST:]PORT."""


def examine(asked: Questions) -> Iterator[Check]:
    """Yield all findings, the league's last where one is given; takes about a second.

    Raises OperatorError for addresses that are none.
    """
    ports = [_serve_port(asked.address), *_metrics_port(asked.metrics)]
    plan, of_league = (None, []) if asked.league is None else _league(asked.league, asked.folder)
    tables = len(cores()) if plan is None else plan.wanted_workers
    place = Path.cwd() if plan is None else plan.folder
    yield checkup.python()
    yield checkup.packages()
    yield checkup.sandbox()
    yield checkup.files(tables)
    yield checkup.sockets()
    yield from ports
    yield checkup.clock(place)
    yield checkup.disk("disk", place, _bytes(plan))
    yield _registry()
    yield checkup.cores(tables)
    yield checkup.memory(tables)
    yield from of_league


def _registry() -> Check:
    """Check where the registry is or will be, and that it can be read if it is there."""
    found = checkup.disk("registry", home())
    if found.level == "problem" or not (home() / store.FILE).exists():
        return found
    try:
        known, _ = registry.listing(), tokens.states()
    except OperatorError as error:
        return Check("registry", "problem", str(error))
    return msgspec.structs.replace(found, found=f"{found.found}, {len(known)} bots")


def _serve_port(address: str | None) -> Check:
    """Check that `arena serve` could listen, or does so already."""
    if address is not None:
        checked_address(address, plain=False)
    process = server_of(home())
    if process is not None:
        places = checkup.listening(process)
        if address is None or int(address.rpartition(":")[2]) in {port for _, port in places}:
            where = ", ".join(f"{host}:{port}" for host, port in places) or "a port of its own"
            return Check("ports", "ok", f"your `arena serve`, process {process}, has {where}")
    if address is None:
        return _port("ports", _USUAL_ADDRESS, "warning", "have `arena serve` listen elsewhere")
    return _port("ports", address, "problem", "choose another port")


def _metrics_port(text: str | None) -> Iterator[Check]:
    if text is not None:
        host, port = metrics_address(text)
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        yield _port("metrics", place, "problem", "choose another port")


def _port(name: str, address: str, level: Level, remedy: str) -> Check:
    try:
        refuse_taken(address)
    except OperatorError as error:
        who = checkup.listener(int(address.rpartition(":")[2]))
        there = f": there is {who}" if who else ""
        return Check(
            name, level, f"{error}{there}", f"end that program, or {remedy}" if who else remedy
        )
    return Check(name, "ok", f"{address} is free")


def _league(file: Path, folder: Path | None) -> tuple[Plan | None, list[Check]]:
    try:
        plan = make_plan(file, folder, None)
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

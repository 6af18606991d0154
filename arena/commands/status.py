"""`arena status`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.commands.durations import duration
from arena.commands.for_programs import Json, print_json

if TYPE_CHECKING:
    from arena.status import Snapshot

_MOST_LINES: Final = 3
"""What a bot printed before it failed is told so far; its log has the rest."""


def status(league: Path, /, *, json_output: Json = False) -> None:
    """Tell how far a league is; from any terminal, also while it runs.

    For example:
      arena status league.toml
      arena status leagues/night --json

    Parameters
    ----------
    league
        The league file or its folder.
    json_output
        Print a JSON object.
    """
    from arena.commands.places import folder_of
    from arena.status import read_status

    folder = folder_of(league)
    snapshot = read_status(folder)
    if json_output:
        print_json(snapshot)
        return
    for label, text in (*_rows(snapshot), *_warnings(snapshot, folder)):
        print(f"{label:<8} {text}")


def _rows(snapshot: "Snapshot") -> Iterator[tuple[str, str]]:
    source = " (read from the journal)" if snapshot.from_journal else ""
    yield "league", f"{snapshot.league!r}, {snapshot.state}{source}"
    lost = f", {snapshot.missing} could not be played" if snapshot.missing else ""
    yield "deals", f"{snapshot.done} of {snapshot.total}{lost}"
    if snapshot.state == "running":
        yield from _running(snapshot)
    faults = ", ".join(f"{name} {count}" for name, count in sorted(snapshot.faults.items()))
    yield "faults", faults or "none"
    for name, hands in sorted(snapshot.stood_down.items()):
        yield "house", f"played {hands} hands in place of {name}"
    yield "leader", snapshot.leader or "not known yet"


def _running(snapshot: "Snapshot") -> Iterator[tuple[str, str]]:
    if snapshot.pid is not None:
        stop = f"Ctrl-C in its terminal or `kill -TERM {snapshot.pid}`"
        yield "process", f"{snapshot.pid}; {stop} stops it, and the same command goes on"
    if not snapshot.from_journal:
        yield "speed", f"{snapshot.deals_per_s:.0f} deals/s"
    if snapshot.left_s is not None:
        yield "left", duration(snapshot.left_s)


def _warnings(snapshot: "Snapshot", folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the warnings line by line, of each bot's no more than a few."""
    by_bot: dict[str | None, list[tuple[str, str]]] = {}
    for warning in snapshot.warnings:
        named = [name for name in snapshot.bots if warning.startswith(f"{name}: ")]
        first, *further = warning.splitlines() or [""]
        rows = [("warning", first), *(("", line) for line in further)]
        by_bot.setdefault(max(named, key=len, default=None), []).extend(rows)
    yield from by_bot.pop(None, [])
    for name, rows in by_bot.items():
        yield from rows[:_MOST_LINES]
        if more := len(rows[_MOST_LINES:]):
            where = _output(folder, snapshot.bots.index(str(name)))
            yield "", f"{more} more line{'s' * (more > 1)}; {where}"


def _output(folder: Path, bot: int) -> str:
    """Say where the rest of what is told of a bot can be read."""
    pattern = f"bot{bot}-*.log"
    outputs = folder / "logs" / "bots"
    if not any(outputs.glob(pattern)):
        return "`arena status --json` has them all"
    return f"all that it printed is in {outputs / pattern}"

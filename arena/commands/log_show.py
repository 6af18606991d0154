"""`arena log show`."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING

from arena.commands.for_programs import Json, print_json
from arena.errors import OperatorError

if TYPE_CHECKING:
    from arena.records import Line


def show(  # noqa: PLR0913  # a command has as many options as its users need
    league: Path,
    /,
    *,
    deal: int | None = None,
    bot: str | None = None,
    worst: int | None = None,
    faults: bool = False,
    incidents: bool = False,
    last: int | None = None,
    json_output: Json = False,
) -> None:
    """Show a journal's lines for people, or as they are with --json.

    For example:
      arena log show league.toml --last 5
      arena log show league.toml --deal 17
      arena log show league.toml --bot dice --worst 3
      arena log show league.toml --faults --json
      arena log show league.toml --incidents

    Parameters
    ----------
    league
        The league file, its folder, or a journal.
    deal
        Only lines of the deal with this number.
    bot
        Only deals in which this bot sat, and what it was there.
    worst
        Only so many deals that cost that bot most, the dearest first.
    faults
        Only deals with a bot's fault; with --bot, with one of that bot's.
    incidents
        Only what befell the league and its bots: failed starts, lost shards, resumes.
    last
        Only so many lines from the end.
    json_output
        Print JSON lines.
    """
    from arena import journal_read, log_text
    from arena.commands.places import folder_of
    from arena.records import DealLine

    _refuse_contradictions(deal, bot, worst, last, faults=faults, incidents=incidents)
    place = folder_of(league)
    header = journal_read.header(place)
    choice = log_text.Choice(
        deal=deal,
        bot=None if bot is None else log_text.bot_number(bot, header),
        faults=faults,
        incidents=incidents,
    )
    lines = (line for _, line in journal_read.read(place) if choice.takes(line, header))
    shown = explained = False
    for line in _kept(lines, choice.bot, worst, last):
        shown = True
        if json_output:
            print_json(line)
            continue
        if not explained and isinstance(line, DealLine):
            explained = True
            print(log_text.LEGEND)
        print(log_text.text(line, header, choice.bot))
    if not shown:
        print("no such lines", file=sys.stderr)


def _refuse_contradictions(
    deal: int | None,
    bot: str | None,
    worst: int | None,
    last: int | None,
    *,
    faults: bool,
    incidents: bool,
) -> None:
    for option, count in (("--last", last), ("--worst", worst)):
        if count is not None and count < 1:
            raise OperatorError(f"{option} {count}: at least one line can be shown")
    if incidents and (faults or deal is not None or worst is not None):
        raise OperatorError("--incidents shows no deals; leave out what asks for some, or it")
    if worst is None:
        return
    if bot is None:
        raise OperatorError("--worst asks what cost one bot most; say which with --bot NAME")
    if last is not None:
        raise OperatorError("--worst and --last both choose lines; leave out one of them")


def _kept(
    lines: "Iterator[Line]", bot: int | None, worst: int | None, last: int | None
) -> "Iterable[Line]":
    """Return those of the lines that are shown, in the order in which they are."""
    from arena.log_text import gain
    from arena.records import DealLine

    if worst is not None and bot is not None:
        deals = (line for line in lines if isinstance(line, DealLine))
        return nsmallest(worst, deals, key=lambda line: (gain(line, bot), line.key))
    return lines if last is None else deque(lines, maxlen=last)

"""`arena ratings`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from arena.errors import OperatorError

if TYPE_CHECKING:
    from arena.records import DealLine, Header


def ratings(
    league: Path,
    /,
    *,
    rules: str | None = None,
    json_output: Annotated[bool, Parameter(name="--json")] = False,
    csv: bool = False,
    pairs: bool = False,
) -> None:
    """Rate the bots of a league from its journal alone, also while it runs.

    Points are tariff units per deal against three average bots, with a 95 % interval.

    For example:
      arena ratings league.toml
      arena ratings leagues/night --json
      arena ratings league.toml --rules my-rules.toml

    Parameters
    ----------
    league
        The league file, its folder, or a journal.
    rules
        Settle the deals by this rule set or file first, as `arena log rescore` does.
    json_output
        Print a JSON object.
    csv
        Print comma-separated values, a row per bot.
    pairs
        Print comma-separated values, a row per pair of bots.
    """
    from arena import report
    from arena.commands.places import folder_of
    from arena.rating import rate

    if json_output and (csv or pairs):
        raise OperatorError("--json has everything; leave out --csv and --pairs, or --json")
    place = folder_of(league)
    rated = rate(*(_played(place) if rules is None else _rescored(place, rules)))
    if json_output:
        sys.stdout.write(report.as_json(rated) + "\n")
    elif pairs:
        sys.stdout.write(report.pairs_as_csv(rated))
    elif csv:
        sys.stdout.write(report.as_csv(rated))
    else:
        report.show(rated, sys.stdout)


def _played(place: Path) -> "tuple[Header, Iterator[DealLine]]":
    from arena import journal_read
    from arena.records import DealLine

    lines = (line for _, line in journal_read.read(place) if isinstance(line, DealLine))
    return journal_read.header(place), lines


def _rescored(place: Path, rules: str) -> "tuple[Header, Iterator[DealLine]]":
    from arena import rulebook
    from arena.rescoring import Rescorer

    rescorer = Rescorer(place, rulebook.load(rules))
    return rescorer.header, (line for _, line in rescorer.deals())

"""`arena ratings`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from arena.commands.for_programs import Json, print_data, print_json
from arena.errors import OperatorError

if TYPE_CHECKING:
    from arena.records import DealLine, Header


def ratings(
    league: Path,
    /,
    *,
    rules: str | None = None,
    json_output: Json = False,
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

    if json_output + csv + pairs > 1:
        raise OperatorError("one of --json, --csv and --pairs can be had; --json has everything")
    place = folder_of(league)
    rated = rate(*(_played(place) if rules is None else _rescored(place, rules)))
    if json_output:
        print_json(rated, indented=True)
    elif pairs:
        print_data(report.pairs_as_csv(rated).encode())
    elif csv:
        print_data(report.as_csv(rated).encode())
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

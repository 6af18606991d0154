"""`arena ratings`."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def ratings(
    league: Path,
    /,
    *,
    json_output: Annotated[bool, Parameter(name="--json")] = False,
    csv: bool = False,
) -> None:
    """Rate the bots of a league from its journal alone, also while it runs.

    Points are tariff units per deal against three average bots, with a 95 % interval.

    For example:
      arena ratings league.toml
      arena ratings leagues/night --json

    Parameters
    ----------
    league
        The league file, its folder, or a journal.
    json_output
        Print a JSON object.
    csv
        Print comma-separated values, a row per bot.
    """
    from arena import journal_read, report
    from arena.commands.places import folder_of
    from arena.rating import rate
    from arena.records import DealLine

    place = folder_of(league)
    header = journal_read.header(place)
    deals = (line for _, line in journal_read.read(place) if isinstance(line, DealLine))
    rated = rate(header, deals)
    if json_output:
        sys.stdout.write(report.as_json(rated) + "\n")
    elif csv:
        sys.stdout.write(report.as_csv(rated))
    else:
        report.show(rated, sys.stdout)

"""`arena doctor`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from arena.commands.for_programs import Json, print_json
from arena.commands.places import named_folder
from arena.errors import OperatorError


def doctor(
    league: Path | None = None,
    /,
    *,
    folder: Annotated[Path | None, Parameter(converter=named_folder)] = None,
    address: str | None = None,
    metrics: str | None = None,
    json_output: Json = False,
) -> int:
    """Look this machine over: what would keep leagues from running well, and what to do.

    Exit codes: 0 nothing is a problem, 2 something is.

    For example:
      arena doctor
      arena doctor league.toml --json
      arena doctor --address 0.0.0.0:5000 --metrics 9100

    Parameters
    ----------
    league
        A league file to check as well; nothing of it is played.
    folder
        Where that league will be kept, if not in the folder that is named like its file.
    address
        HOST:PORT that `arena serve` will listen on.
    metrics
        [HOST:]PORT that `arena run` will serve metrics at.
    json_output
        Print a JSON array.
    """
    from arena.doctor import Questions, examine

    if folder is not None and league is None:
        raise OperatorError("--folder is a league's; name the league file, too")
    asked = Questions(league=league, folder=folder, address=address, metrics=metrics)

    found = []
    for check in examine(asked):
        found.append(check)
        if not json_output:
            print(f"{check.level:<8} {check.name:<10} {check.found}", flush=True)
            if check.remedy:
                print(f"{'':<19} -> {check.remedy}", flush=True)
    if json_output:
        print_json(found)
    problems = any(check.level == "problem" for check in found)
    return OperatorError.exit_code if problems else 0

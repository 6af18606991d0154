"""`arena doctor`."""

from pathlib import Path

from arena.commands.for_programs import Json, print_json
from arena.errors import OperatorError


def doctor(league: Path | None = None, /, *, json_output: Json = False) -> int:
    """Look this machine over: what would keep leagues from running well, and what to do.

    Exit codes: 0 nothing is a problem, 2 something is.

    For example:
      arena doctor
      arena doctor league.toml --json

    Parameters
    ----------
    league
        A league file to check as well; nothing of it is played.
    json_output
        Print a JSON array.
    """
    from arena.doctor import examine

    found = []
    for check in examine(league):
        found.append(check)
        if not json_output:
            print(f"{check.level:<8} {check.name:<10} {check.found}", flush=True)
            if check.remedy:
                print(f"{'':<19} -> {check.remedy}", flush=True)
    if json_output:
        print_json(found)
    problems = any(check.level == "problem" for check in found)
    return OperatorError.exit_code if problems else 0

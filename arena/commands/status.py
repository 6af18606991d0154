"""`arena status`."""

from pathlib import Path

from arena.commands.durations import duration
from arena.commands.for_programs import Json, print_json


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

    snapshot = read_status(folder_of(league))
    if json_output:
        print_json(snapshot)
        return
    print(f"league   {snapshot.league!r}, {snapshot.state}")
    lost = f", {snapshot.missing} could not be played" if snapshot.missing else ""
    print(f"deals    {snapshot.done} of {snapshot.total}{lost}")
    if snapshot.state == "running":
        print(f"speed    {snapshot.deals_per_s:.0f} deals/s")
        if snapshot.left_s is not None:
            print(f"left     {duration(snapshot.left_s)}")
    faults = ", ".join(f"{name} {count}" for name, count in sorted(snapshot.faults.items()))
    print(f"faults   {faults or 'none'}")
    for name, hands in sorted(snapshot.stood_down.items()):
        print(f"house    played {hands} hands in place of {name}")
    print(f"leader   {snapshot.leader or 'not known yet'}")
    for warning in snapshot.warnings:
        print(f"warning  {warning}")

"""League files of the sample bots, for the programs that play real leagues."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

ARENA: Final = (sys.executable, "-c", "import sys; from arena.cli import main; sys.exit(main())")
"""The `arena` command, whether or not it is on the PATH."""

_BOTS: Final = Path(__file__).parent.parent / "sample_bots" / "python"


def league_file(
    folder: Path,
    *,
    bots: Sequence[str],
    deals: int,
    slice_deals: int,
    limits: Mapping[str, int] | None = None,
) -> Path:
    """Write a league of these programs, which may repeat, and return its file."""
    lines = ['name = "league"', f"deals = {deals}", f"slice_deals = {slice_deals}", "[limits]"]
    lines += [f"{key} = {value}" for key, value in (limits or {}).items()]
    for number, program in enumerate(bots):
        lines += [
            "[[bots]]",
            f'name = "{Path(program).stem} {number}"',
            f"folder = '{_BOTS}'",
            f"command = ['{sys.executable}', '{program}']",
        ]
    file = folder / "league.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file

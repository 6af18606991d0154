"""League files of the sample bots, for the programs that play real leagues."""

import json
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
    bots: Sequence[str | Sequence[str]],
    deals: int,
    slice_deals: int,
    limits: Mapping[str, int] | None = None,
    journal: Mapping[str, bool] | None = None,
) -> Path:
    """Write a league of these bots, which may repeat, and return its file.

    A bot is one of the sample programs, or what Python is called with beside them.
    """
    lines = ['name = "league"', f"deals = {deals}", f"slice_deals = {slice_deals}", "[limits]"]
    lines += [f"{key} = {value}" for key, value in (limits or {}).items()]
    lines += ["[journal]", *(f"{key} = {json.dumps(on)}" for key, on in (journal or {}).items())]
    for number, bot in enumerate(bots):
        words = (bot,) if isinstance(bot, str) else tuple(bot)
        lines += [
            "[[bots]]",
            f"name = {json.dumps(f'{Path(words[0]).stem} {number}')}",
            f"folder = {json.dumps(str(_BOTS))}",
            f"command = {json.dumps([sys.executable, *words])}",
        ]
    file = folder / "league.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file

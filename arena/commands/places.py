"""Where a league that the operator names is kept."""

from pathlib import Path

from arena.plan import default_folder


def folder_of(league: Path) -> Path:
    """Return the folder of a league that is named by its file or its folder."""
    return default_folder(league) if league.suffix == ".toml" else league

"""The levels of isolation that this machine offers, for tests that want them all."""

import functools

from arena.records import LEVELS, Level
from arena.sandbox import probe

ALL = LEVELS[1:]


@functools.cache
def lacking(level: Level) -> str | None:
    """Why a level can't be tested here, if it can't."""
    found = probe(level)
    return None if found.level == level else f"{level} doesn't work here: {found.hints}"

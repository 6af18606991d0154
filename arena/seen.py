"""Which deals remote bots were shown, kept on disk so that a crash can't have them dealt again.

A shard writes, before it opens a session; the coordinator reads when the shard was lost.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec

from arena.errors import OperatorError
from arena.records import Key

FOLDER: Final = "seen"
"""Name of the folder within a league's."""

_decoder: Final = msgspec.json.Decoder(Key)


class _Keyed(Protocol):
    key: Key


Opening = TypeVar("Opening", bound=_Keyed)


def noting(path: str, openings: Iterator[Opening], shown: Callable[[], bool]) -> Iterator[Opening]:
    """Yield sessions' first deals, each noted in the file before; with no path noting is off.

    Only those are noted that are opened while some remote bot is `shown` what is played. What
    is noted outlives this process. Raises OSError when the disk fails.
    """
    if not path:
        yield from openings
        return
    with Path(path).open("ab", buffering=0) as file:
        for opening in openings:
            line = msgspec.json.encode(opening.key) + b"\n" if shown() else b""
            if file.write(line) != len(line):
                raise OSError("a line was written in part; the disk is full")
            yield opening


def path_of(league: Path, shard_id: str) -> Path:
    """Return a shard's file."""
    return league / FOLDER / shard_id


def noted(path: Path) -> Iterator[Key]:
    """Yield the sessions in a shard's file, by their first deals."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from None
    for line in content.split(b"\n")[:-1]:  # a torn line was of a session that wasn't opened
        try:
            yield _decoder.decode(line)
        except msgspec.DecodeError:
            raise OperatorError(
                f"{path} is damaged, and it tells which deals remote bots have seen;"
                " remove it to have those deals played again"
            ) from None


def shards(league: Path) -> list[str]:
    """Return the shards that left a file."""
    return sorted(path.name for path in (league / FOLDER).glob("*"))

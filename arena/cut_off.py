"""Deals that remote bots saw and nobody finished: told in the journal, and dealt no more."""

from collections.abc import Container, Sequence
from pathlib import Path

from arena import seen
from arena.journal import Writer
from arena.plan import Plan, now
from arena.records import IncidentLine, Key
from arena.schedule import Shard


def notes(plan: Plan, shard: Shard) -> str:
    """Return where a shard notes what remote bots see of it, or nothing without any."""
    if not any(plan.header.bots[bot].remote for bot in shard.seats):
        return ""
    path = seen.path_of(plan.folder, shard.id)
    path.parent.mkdir(exist_ok=True)
    return str(path)


def unseen(deals: Sequence[int], shard: Shard, given_up: Container[Key]) -> tuple[int, ...]:
    """Return those of a shard's deals whose session isn't given up, by its first deal."""
    span = shard.session_deals
    return tuple(deal for deal in deals if shard.key(deal - deal % span) not in given_up)


def give_up(folder: Path, shard_id: str, journal: Writer) -> None:
    """Give up for good what a shard that has ended showed to remote bots and didn't finish."""
    path = seen.path_of(folder, shard_id)
    known = (journal.done, journal.seen)
    noted = dict.fromkeys(seen.noted(path))  # each once, however often it was opened
    lost = tuple(key for key in noted if not any(key in each for each in known))
    if lost:
        detail = f"{len(lost)} sessions that remote bots saw were cut off; they aren't dealt again"
        journal.append(IncidentLine(now(), "seen_deals", detail, shard=shard_id, seen=lost))
        journal.sync()
    path.unlink(missing_ok=True)


def give_up_all(folder: Path, journal: Writer) -> None:
    """Do so for all shards of an earlier run."""
    for shard_id in seen.shards(folder):
        give_up(folder, shard_id, journal)

"""What must be the same for a league to go on."""

from collections.abc import Iterator

import msgspec

from arena.differences import Difference, differences
from arena.records import LEVELS, BotEntry, Header, Level


def compare_headers(old: Header, new: Header) -> list[str]:
    """Return a sentence per difference that forbids to go on; none means go on."""
    return [
        *map(_sentence, differences(_plain(old), _plain(new))),
        *_isolation(old.isolation, new.isolation),
        *_bots(old.bots, new.bots),
        *_schedule_lineups(old, new),
    ]


def _plain(header: Header) -> dict[str, object]:
    """What is compared key by key; the rest is compared as a whole or may change."""
    schedule, limits = header.schedule, header.limits
    return {
        "the league's name": header.league,
        "the arena's version": header.arena,
        "the protocol's revision": header.protocol,
        "the secret's commitment": header.commitment,
        "openness of the secret": header.open,
        "open_deals": header.open_deals,
        # By way of JSON, as the older header came.
        "rules": msgspec.json.decode(msgspec.json.encode(header.rules)),
        "schedule": {
            "deals": schedule.deals,
            "slice_deals": schedule.slice_deals,
            "session_deals": schedule.session_deals,
        },
        "journal": msgspec.structs.asdict(header.recording),
        "limits": {name: getattr(limits, name) for name in limits.__struct_fields__},
    }


def _sentence(found: Difference) -> str:
    return f"{found.key} was {_said(found.before)} and is now {_said(found.after)}."


def _said(value: object) -> str:
    return "not set" if value is None else repr(value)


def _isolation(old: Level, new: Level) -> Iterator[str]:
    """More is welcome; less would make the header's word untrue of what is played from now on."""
    if LEVELS.index(new) < LEVELS.index(old):
        yield (
            f"Bots were kept apart by {old} and would now be by {new} alone; make {old} work here"
            " again, or go on on a machine where it does."
        )


def _bots(old: tuple[BotEntry, ...], new: tuple[BotEntry, ...]) -> Iterator[str]:
    before = {bot.name: bot for bot in old}
    after = {bot.name: bot for bot in new}
    for name in sorted(before.keys() - after.keys()):
        yield f"Bot {name!r} no longer takes part."
    for name in sorted(after.keys() - before.keys()):
        yield f"Bot {name!r} is new."
    for name in sorted(before.keys() & after.keys()):
        yield from _bot(before[name], after[name])
    if before.keys() == after.keys() and list(before) != list(after):
        yield f"The bots stood in the order {', '.join(before)}."


def _bot(old: BotEntry, new: BotEntry) -> Iterator[str]:
    if old.remote != new.remote:
        yield f"Bot {old.name!r} was {_kind(old)} and is now {_kind(new)}."
    elif old.version != new.version:
        yield f"Bot {old.name!r} had version {old.version} and now has {new.version}."
    elif old.digest != new.digest:
        yield (
            f"Bot {old.name!r} was changed: its files had the digest {old.digest[:12]}..."
            f" and now have {new.digest[:12]}...."
        )
    elif old.readable != new.readable:
        yield f"Bot {old.name!r} could read {_listed(old)} and may now read {_listed(new)}."


def _listed(bot: BotEntry) -> str:
    return ", ".join(bot.readable) or "nothing beside its own"


def _kind(bot: BotEntry) -> str:
    return "remote" if bot.remote else "launched"


def _schedule_lineups(old: Header, new: Header) -> Iterator[str]:
    if old.schedule.lineups != new.schedule.lineups and len(old.bots) == len(new.bots):
        before, after = len(old.schedule.lineups), len(new.schedule.lineups)
        yield f"The lineups are others: {before} were planned, now {after}."

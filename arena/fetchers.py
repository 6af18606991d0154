"""What fetches the bots of a shard's four seats: some are launched, some dial in."""

from collections.abc import Callable, Sequence
from pathlib import Path

import trio

from arena.frames import BotReconnected, ShardSpec
from arena.launcher import Grounds, Launcher
from arena.remote import RemoteBot

Fetcher = Launcher | RemoteBot


def fetcher(nursery: trio.Nursery, grounds: Grounds, spec: ShardSpec, number: int) -> Fetcher:
    """Return what fetches the bot of this seat; nothing is started yet."""
    bot = spec.bots[number]
    if bot.remote:
        return RemoteBot(nursery, Path(spec.lobby), bot, spec.limits, spec.shard.id)
    scratch = Path(spec.scratch) / f"seat{number}"
    return Launcher(nursery, grounds, bot, scratch, Path(spec.outputs[number]))


def report_reconnects(
    fetchers: Sequence[Fetcher], report: Callable[[BotReconnected], None]
) -> None:
    """Report which bots' streams broke and came back in time."""
    for bot in fetchers:
        if isinstance(bot, RemoteBot) and bot.reconnects:
            report(BotReconnected(bot.name, bot.reconnects))


async def stop_all(fetchers: Sequence[Fetcher]) -> None:
    """See all bots off, whatever else is stopping."""
    with trio.CancelScope(shield=True):
        async with trio.open_nursery() as stopping:
            for bot in fetchers:
                stopping.start_soon(bot.stop)

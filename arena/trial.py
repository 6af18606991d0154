"""A trial of one bot: does it come up, and does it answer? Played for `register`."""

import os
import re
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena import dealing
from arena.dealer import Dealer
from arena.errors import OperatorError, single
from arena.launcher import Grounds, Launcher
from arena.open_deal import OpenDeal
from arena.paths import is_file, is_folder
from arena.process import adopt_orphans, kill_descendants
from arena.records import BotEntry, FaultLine, Limits
from arena.sandbox import Sandbox
from arena.schedule import Shard
from arena.scratch import scratch_folder
from arena.seat import BotFailedError, Seat
from arena.server import open_server
from arena.surroundings import refusal, surroundings
from arena.table import Table
from engine.model import RuleSet
from engine.ruleset import to_mapping

_DEALS: Final = 8
_BOT_SEAT: Final = 0
_PATH: Final = re.compile(r"[^\s'\":;,()]*/[^\s'\":;,()]+")
"""What may be a file's path in what programs print."""
_EVERYWHERE: Final = (("dev",), ("proc",))
"""Folders of which each sandbox has its own, with much the same in them."""


class Trial(msgspec.Struct, frozen=True):
    """What a bot did in its trial."""

    announced_name: str
    announced_version: str
    max_batch: int
    decisions: int
    faults: tuple[FaultLine, ...]
    played: int
    """Deals in which cards were played; where all pass, there may be none."""


def run_trial(bot: BotEntry, rules: RuleSet, limits: Limits, sandbox: Sandbox) -> Trial:
    """Play some deals with the bot and the house. Raises OperatorError if it doesn't come up."""
    problem = refusal(bot, sandbox.secrets)
    if problem is not None and sandbox.level != "limits":
        raise OperatorError(f"the bot {bot.name!r} {problem}")
    adopt_orphans()
    with scratch_folder() as scratch:
        try:
            return trio.run(_run, bot, rules, limits, sandbox, scratch)
        except* OperatorError as errors:
            failure = single(errors)
        finally:
            kill_descendants()
    raise failure  # not above: some Pythons would wrap it into a group again


async def _run(
    bot: BotEntry, rules: RuleSet, limits: Limits, sandbox: Sandbox, scratch: Path
) -> Trial:
    socket = scratch / "arena.sock"
    hello_s = limits.startup_ms / 1000
    async with (
        open_server(f"unix:{socket}", hello_s=hello_s) as server,
        trio.open_nursery() as nursery,
    ):
        grounds = Grounds(server, socket, limits, sandbox)
        launcher = Launcher(nursery, grounds, bot, scratch, scratch / "output.log")
        rule_set_json = msgspec.json.encode(to_mapping(rules)).decode()
        seats = [
            Seat(
                number,
                launcher.start,
                limits,
                rule_set_json,
                cpu_ns=launcher.cpu_ns,
                verdict=launcher.verdict,
            )
            for number in range(4)
        ]
        for seat in seats:
            seat.stood_down = seat.number != _BOT_SEAT
        try:
            return await _play(seats, rules, limits)
        except BotFailedError as error:
            await launcher.last_moments()
            what = "; ".join(filter(None, (str(error), launcher.last_words)))
            where = _where(bot, sandbox, scratch, what)
            raise OperatorError(f"the bot {bot.name!r} fails its trial: {what}{where}") from None
        finally:
            seats[_BOT_SEAT].close("finished", "the trial is over")
            await launcher.stop()


def _where(bot: BotEntry, sandbox: Sandbox, scratch: Path, what: str) -> str:
    """Name the sandbox where what a bot said last tells of a file that only the sandbox hides."""
    if sandbox.level == "limits":
        return ""
    around = surroundings(bot, scratch, scratch, secrets=sandbox.secrets, others=sandbox.others)
    for word in _PATH.findall(what):
        path = Path(os.path.realpath(Path(bot.folder, word)))
        usual = path.is_relative_to(scratch) or path.parts[1:2] in _EVERYWHERE
        if not usual and (is_file(path) or is_folder(path)) and not around.seen(path):
            return (
                f"\n(In the sandbox {sandbox.level!r} it doesn't see {word}; what it has to read"
                " outside of its folder is named under 'readable' in its bot.toml.)"
            )
    return ""


async def _play(seats: list[Seat], rules: RuleSet, limits: Limits) -> Trial:
    seat = seats[_BOT_SEAT]
    hello = await seat.start_once()
    faults: list[FaultLine] = []
    played: list[OpenDeal] = []

    def finished(open_deal: OpenDeal, _stood_down: tuple[int, ...]) -> OpenDeal | None:
        faults.extend(open_deal.faults)
        played.extend([open_deal] if open_deal.deal.plays else [])
        return None

    shard = Shard(0, 0, 0, first_deal=0, deals=_DEALS, session_deals=1, seats=(0, 0, 0, 0))
    dealer = Dealer(shard, rules, dealing.new_secret(), limits)
    fill = await Table(seats, dealer.openings(range(_DEALS)), finished).run()
    if seat.stood_down:
        raise BotFailedError(f"stood down: {seat.failure}")
    if 2 * len(faults) > fill.decisions:
        usable = fill.decisions - len(faults)
        few = f"only {usable} of {fill.decisions} answers" if usable else "no answer"
        first = f"the first fault was {faults[0].fault}: {faults[0].detail}"
        raise BotFailedError(f"{few} could be used; {first}")
    return Trial(
        announced_name=hello.name,
        announced_version=hello.version,
        max_batch=seat.batch_size,
        decisions=fill.decisions,
        faults=tuple(faults),
        played=len(played),
    )

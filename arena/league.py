"""A league from its file to its footer: the coordinator. Single writer of the journal."""

import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import structlog
import trio

from arena import cut_off, journal_read, schedule
from arena.bot_files import BotFiles
from arena.errors import OperatorError
from arena.executor import LocalPool, pinned_cores
from arena.frames import (
    Alive,
    BotFailed,
    BotReconnected,
    Message,
    Noticed,
    SessionDone,
    ShardDone,
    ShardGaveUp,
    ShardSpec,
)
from arena.journal import Writer
from arena.patience import Patience
from arena.plan import Plan, confinement, files_named, now
from arena.records import DealLine, Footer, IncidentLine
from arena.schedule import Shard
from arena.scratch import remove_tree
from arena.status import Snapshot, Status, write_status

if TYPE_CHECKING:
    from arena.metrics import Metrics

_ATTEMPTS: Final = 3
"""A shard's deals are tried this often, over all runs, before they count as missing."""
_TICK_S: Final = 1.0
_SHARD_LOG: Final = "shards.log"
_SERIOUS: Final = frozenset({"gone", "start failed", "relaunch failed", "stood down"})
"""Of what befalls bots, what people are shown while the league runs."""

_deal_decoder: Final = msgspec.json.Decoder(DealLine)

OnTick = Callable[[Snapshot], None]
"""Tells somebody, who may be slow to listen; runs on a thread of its own."""


class Coordinator:
    """Plays what a journal lacks. Made by `opened`; `run` may be cancelled at any time."""

    def __init__(self, plan: Plan, journal: Writer, scratch: Path) -> None:
        self.plan = plan
        self.status = Status(
            plan.header,
            os.getpid(),
            total=schedule.totals(plan.header.schedule).deals,
            done=len(journal.done),
        )
        self.metrics: Metrics | None = None
        """Where the operator asked for them; set before `run`."""
        self._journal = journal
        self._scratch = scratch
        kept = confinement(plan)
        self._sandbox = msgspec.structs.replace(kept, secrets=(*kept.secrets, str(scratch)))
        self._shards = schedule.shards(plan.header.schedule)
        self._again: list[Shard] = []
        self._losses_in_a_row = 0
        self._patience = Patience(plan.header.limits.failing_shards)
        self._remote = {bot.name for bot in plan.header.bots if bot.remote}
        """Bots that may be back at any time, and whose absence costs little."""
        self._files = BotFiles(plan.header.bots, files_named(plan))
        self._cpus = dict(enumerate(pinned_cores(plan.workers))) if plan.pin else {}
        self._log = structlog.get_logger(league=plan.header.league)  # its file is opened later

    def recall(self) -> None:
        """Fold the deals that were there already into the standings."""
        for _, line in journal_read.read(self._journal.file):
            if isinstance(line, DealLine):
                self.status.recall(line)

    async def run(self, on_tick: OnTick) -> bool:
        """Play until nothing is missing; return whether the league is complete."""
        logs = self.plan.folder / "logs"
        logs.mkdir(exist_ok=True)
        pool = LocalPool(self.plan.workers, logs / _SHARD_LOG)
        structlog.contextvars.bind_contextvars(league=self.plan.header.league)
        self.publish()  # also loads what standings need, so that it isn't taken for play
        cpu_s = time.process_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tick)
            nursery.start_soon(self._tell, on_tick)
            await pool.run(self._next_spec, self._heard, self._lost)
            nursery.cancel_scope.cancel()
        self._log.info("played", coordinator_cpu_s=time.process_time() - cpu_s)
        return self._finish()

    async def _tick(self) -> None:
        while True:
            self.publish()
            self._journal.check_alone()
            await trio.sleep(_TICK_S)
            await trio.to_thread.run_sync(self._journal.sync)

    async def _tell(self, on_tick: OnTick) -> None:
        while True:
            snapshot = self.status.snapshot()
            await trio.to_thread.run_sync(on_tick, snapshot, abandon_on_cancel=True)
            await trio.sleep(_TICK_S)

    def publish(self) -> None:
        """Refresh the status file."""
        self.status.refresh()
        write_status(self.plan.folder, self.status)

    def _next_spec(self, worker: int) -> ShardSpec | None:
        for shard in self._coming():
            deals = cut_off.unseen(self._journal.done.missing(shard), shard, self._journal.seen)
            if deals and self._journal.lost[shard.id] < _ATTEMPTS:
                return self._spec(shard, deals, worker)
        return None

    def _coming(self) -> Iterator[Shard]:
        while True:
            shard = self._again.pop(0) if self._again else next(self._shards, None)
            if shard is None:
                return
            yield shard

    def _spec(self, shard: Shard, deals: tuple[int, ...], worker: int) -> ShardSpec:
        bots = self.plan.header.bots
        a, b, c, d = shard.seats
        self._notice_changes(shard.seats, shard.id)
        outputs = self.plan.folder / "logs" / "bots"
        # A short name: a socket's path has to fit into about a hundred bytes.
        scratch = self._scratch / secrets.token_hex(4)
        scratch.mkdir()
        return ShardSpec(
            shard=shard,
            deals=deals,
            bots=(bots[a], bots[b], bots[c], bots[d]),
            rules=self.plan.header.rules,
            limits=self.plan.header.limits,
            sandbox=self._sandbox,
            league=self.plan.header.league,
            worker=worker,
            metered=self.metrics is not None,
            secret=self.plan.secret,
            scratch=str(scratch),
            outputs=(
                str(outputs / f"bot{a}-worker{worker}-seat0.log"),
                str(outputs / f"bot{b}-worker{worker}-seat1.log"),
                str(outputs / f"bot{c}-worker{worker}-seat2.log"),
                str(outputs / f"bot{d}-worker{worker}-seat3.log"),
            ),
            recording=self.plan.header.recording,
            suspended=tuple(self._patience.is_over(bots[bot].name) for bot in shard.seats),  # type: ignore[arg-type]
            open_deals=self.plan.header.open_deals,
            cpu=self._cpus.get(worker),
            lobby=str(self.plan.lobby or ""),
            seen=cut_off.notes(self.plan, shard),
        )

    def _heard(self, spec: ShardSpec, message: Message) -> None:
        match message:
            case SessionDone():
                self._losses_in_a_row = 0
                if self._journal.append_session(message.bodies, message.keys):
                    self._count([_deal_decoder.decode(body) for body in message.bodies])
            case BotFailed():
                self._failed(spec.shard.id, message)
            case Alive():
                if self.metrics is not None and message.measures is not None:
                    self.metrics.measured(spec, message.measures)
            case Noticed():
                self._notice(spec.shard.id, message)
            case BotReconnected():
                detail = f"its stream broke and came back in time, {message.times} times"
                self._incident("reconnected", detail, spec.shard.id, message.bot)
            case ShardGaveUp():
                raise OperatorError(message.problem)
            case ShardDone():
                taken = msgspec.structs.asdict(message)
                self._ended(spec, "done")
                self._suspend(self._patience.ended(spec.shard.id, [bot.name for bot in spec.bots]))
                self._log.info("shard done", table=spec.shard.id, **taken)
                cut_off.give_up(self.plan.folder, spec.shard.id, self._journal)  # none is left

    def _count(self, lines: list[DealLine]) -> None:
        for line in lines:
            self.status.count(line)
        if self.metrics is not None:
            self.metrics.played(lines)

    def _failed(self, shard: str, failed: BotFailed) -> None:
        self._incident("bot_failed", failed.detail, shard, failed.bot)
        self.status.warn(f"{failed.bot}: {failed.detail}")
        if failed.came or failed.bot not in self._remote:
            self._patience.failed(shard, failed.bot)

    def _suspend(self, bots: list[str]) -> None:
        for bot in bots:
            detail = "stood down in one shard after another; this run doesn't start it any more"
            self._incident("bot_suspended", detail, None, bot)
            self.status.warn(f"{bot}: {detail}")

    def _ended(self, spec: ShardSpec, how: str) -> None:
        if self.metrics is not None:
            self.metrics.ended(spec, how)

    def _notice(self, table: str, noticed: Noticed) -> None:
        facts = {key: value for key, value in msgspec.structs.asdict(noticed).items() if value}
        facts.update(table=table, seat=noticed.seat)
        if noticed.deal is not None:
            facts["deal"] = noticed.deal
        level = "warning" if facts.pop("what") in _SERIOUS else "info"
        getattr(self._log, level)(noticed.what, **facts)

    def _lost(self, spec: ShardSpec, how: str) -> None:
        self._ended(spec, "lost")
        self._patience.lost(spec.shard.id)
        self._incident("shard_lost", how, spec.shard.id, None)
        cut_off.give_up(self.plan.folder, spec.shard.id, self._journal)
        log = self.plan.folder / "logs" / _SHARD_LOG
        self.status.warn(f"shard {spec.shard.id} was lost: {how}; see {log}")
        self._log.warning("shard lost", table=spec.shard.id, how=how)
        remove_tree(Path(spec.scratch))
        self._again.append(spec.shard)
        self._losses_in_a_row += 1
        if self._losses_in_a_row > _ATTEMPTS * self.plan.workers:
            raise OperatorError(
                f"one shard after another is lost, the last one so: {how}. See {log}, mend what"
                " it tells, and go on with the same command."
            )

    def _notice_changes(self, bots: Sequence[int], shard: str | None = None) -> None:
        """Say so where bots no longer consist of what the header says; they play on."""
        for bot in self._files.changed(bots, thorough=shard is None):
            digest = self._files.digest(bot)
            now_is = f"have {digest[:12]}..." if digest else "can't be read"
            detail = f"its files had the digest {bot.digest[:12]}... and now {now_is}"
            self._incident("bot_changed", detail, shard, bot.name)
            self.status.warn(f"{bot.name} was changed while the league was played: {detail}")

    def _incident(self, what: str, detail: str, shard: str | None, bot: str | None) -> None:
        line = {"time": now(), "incident": what, "detail": detail, "shard": shard, "bot": bot}
        self._journal.append(msgspec.convert({**line, "kind": "incident"}, IncidentLine))

    def _finish(self) -> bool:
        """Write the footer when every key is there or was given up for good."""
        self._notice_changes(range(len(self.plan.header.bots)))
        missing = tuple(
            shard.key(deal)
            for shard in schedule.shards(self.plan.header.schedule)
            for deal in self._journal.done.missing(shard)
        )
        self._journal.append(
            Footer(
                time=now(),
                deals=len(self._journal.done),
                missing=missing,
                secret=self.plan.secret.hex(),
            )
        )
        self.status.finish(len(missing))
        self.publish()
        return not missing

"""One bot's place at a table: its queue of questions, its clock and its strikes.

Time is judged here and nowhere else. A bot's misbehaviour is a value, never an
exception above this module.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import trio
from msgspec.structs import replace

from arena import wire
from arena.clock import Budget, budget
from arena.open_deal import OpenDeal, record_fault, record_questions
from arena.records import Limits
from arena.reply import NO_STREAM, TOO_MANY_ANSWERS, Blame, Notice, Reply, unheard, untold
from arena.session import Arrival, Session

MOST_BATCH_MS: Final = 30_000
"""No ask gives more time than this; batches shrink to fit."""
_DELIVERY_SLACK_S: Final = 0.05
"""Waits this much longer for an answer that came in time but is still on its way to trio."""
_LAST_LOOK_S: Final = 0.02
"""The least time between two looks, so that an arena that was itself held up looks again."""
_NANOSECONDS: Final = 1_000_000_000
"""In a second."""
_RELAUNCHES: Final = 3


class BotFailedError(Exception):
    """A bot didn't come up; the text says how and what it printed last."""


Starter = Callable[[], Awaitable[Session]]
"""Ends the bot's process, if one runs, and returns the session of a new one.

Raises BotFailedError.
"""


class Seat:
    """The arena's end of one bot, through all its launches. Not shared between tasks."""

    def __init__(
        self,
        number: int,
        starter: Starter,
        limits: Limits,
        rule_set_json: str,
        now: Callable[[], int] = time.monotonic_ns,
        cpu_ns: Callable[[], int] | None = None,
        verdict: Callable[[], Awaitable[str | None]] = untold,
    ) -> None:
        """`cpu_ns` reads what the bot's processes used; `verdict` tells how a lost bot ended."""
        self.number = number
        self.pending: deque[OpenDeal] = deque()
        """Deals whose question is for this seat."""
        self.start_attempts = 2
        self.stood_down = False
        """Whether the house plays in this bot's place for good."""
        self.batch_size = 1
        self.strikes = 0
        self.asks = 0
        self.decisions = 0
        self.relaunches = 0
        self.record_sent = False
        """Whether deals are given digests of what is sent."""
        self.notice: Notice = unheard
        self.thought: Callable[[list[int]], None] | None = None
        """Takes the think times of each ask's decisions, in microseconds."""
        self.failure: str | None = None
        """Why the bot was stood down, for people."""
        self._starter = starter
        self._limits = limits
        self._rule_set_json = rule_set_json
        self._now = now
        self._cpu_ns = cpu_ns if limits.cpu_ms is not None else None
        self._batch: Sequence[OpenDeal] = ()
        """What was asked last."""
        self._verdict = verdict
        self._session: Session | None = None
        self._ask_id = 0
        self._given_up: set[int] = set()
        """Asks that were judged late; their answers may still come and are dropped."""
        self._wake = trio.Event()

    async def start(self) -> None:
        """Bring the bot up; after repeated failure the seat is stood down."""
        for attempt in range(self.start_attempts):
            try:
                await self.start_once()
            except BotFailedError as error:
                self.notice(self.number, "start failed", str(error), self.strikes, ())
                if attempt == self.start_attempts - 1:
                    self.stand_down(f"failed to start: {error}")
            else:
                return

    async def revive(self) -> None:
        """Bring a lost bot up again; past the limits the seat is stood down."""
        while not self.exhausted and self.relaunches < _RELAUNCHES:
            self.relaunches += 1
            try:
                await self.start_once()
            except BotFailedError as error:
                self.strikes += 1
                self.failure = str(error)
                self.notice(self.number, "relaunch failed", self.failure, self.strikes, ())
            else:
                self.notice(self.number, "relaunched", "", self.strikes, ())
                return
        self.stand_down(f"lost for good: {self.failure or 'the stream ended'}")

    async def start_once(self) -> wire.Hello:
        """Bring the bot up, with no second try. Raises BotFailedError."""
        session = await self._starter()
        hello = session.hello
        self.batch_size = max(
            1,
            min(
                hello.max_batch,
                self._limits.max_batch,
                MOST_BATCH_MS // self._limits.decision_ms,
            ),
        )
        session.send(
            wire.welcome(
                seat=self.number,
                rule_set_json=self._rule_set_json,
                limits=self._limits,
                max_batch=self.batch_size,
            )
        )
        self._session = session
        self._ask_id = 0
        self._given_up.clear()
        return hello

    @property
    def exhausted(self) -> bool:
        """Whether the bot has more strikes than the house allows."""
        return self.strikes > self._limits.strikes

    def stand_down(self, why: str) -> None:
        """Let the house play in this bot's place from now on."""
        self.stood_down = True
        self.failure = why
        self.notice(self.number, "stood down", why, self.strikes, ())
        self.close("stood_down", why)

    def close(self, reason: str, detail: str) -> None:
        """Say goodbye and end the stream."""
        if self._session is not None:
            self._session.close(wire.goodbye(reason, detail))
            self._session = None

    def enqueue(self, open_deal: OpenDeal) -> None:
        """Add a deal whose question is for this seat."""
        self.pending.append(open_deal)

    def wake(self) -> None:
        """Let the seat's task look at `pending`."""
        if self.pending and not self._wake.is_set():
            self._wake.set()

    async def next_batch(self) -> list[OpenDeal]:
        """Return the deals of the next ask, at least one, as many as are there and fit."""
        while not self.pending:
            await self._wake.wait()
            self._wake = trio.Event()
        pending = self.pending
        return [pending.popleft() for _ in range(min(len(pending), self.batch_size))]

    async def ask(self, batch: Sequence[OpenDeal]) -> Reply:
        """Put the questions of these deals and return what became of them."""
        sent = self._now()
        session = self._session
        if session is None:
            return Reply(b"", [0] * len(batch), sent, blame=Blame("gone", NO_STREAM))
        self._ask_id += 1
        self._batch = batch
        self.asks += 1
        self.decisions += len(batch)
        given = budget(self._limits, self.number, [each.bank for each in batch])
        message = wire.ask(self._ask_id, given.ms, [each.question() for each in batch])
        if self.record_sent:
            record_questions(batch, message, self._limits.decision_ms)
        used_before = 0 if self._cpu_ns is None else self._cpu_ns()
        sent = self._now()
        session.ask(message)
        reply = await self._await_answer(session, given, sent)
        if self._cpu_ns is None:
            return reply
        return self._judge_cpu_time(reply, self._cpu_ns() - used_before)

    async def _await_answer(self, session: Session, given: Budget, sent: int) -> Reply:
        while True:
            try:
                arrival = await self._next_arrival(session, given, sent)
            except trio.EndOfChannel:
                self._session = None
                return await self._lost(given, _began(session, sent), self._now())
            sent = _began(session, sent)
            if arrival is None or given.is_late(arrival[1] - sent):
                return self._late(given, sent, arrival)
            reply = self._judge(session, arrival, given, sent)
            if reply is not None:
                return reply

    async def _next_arrival(self, session: Session, given: Budget, sent: int) -> Arrival | None:
        """Return the bot's next message, or None when the time for one is over."""
        with trio.move_on_after(self._until(sent + given.allowed_ns) + _DELIVERY_SLACK_S):
            return await session.receive()
        # The stream may have got the question late, or this thread its turn.
        until = self._until(_began(session, sent) + given.allowed_ns)
        with trio.move_on_after(until + _LAST_LOOK_S):
            return await session.receive()
        return None

    def _until(self, moment: int) -> float:
        return max(0.0, (moment - self._now()) / _NANOSECONDS)

    def _judge(self, session: Session, arrival: Arrival, given: Budget, sent: int) -> Reply | None:
        """Return what became of the ask, or None when this was no answer to it."""
        data, arrived = arrival
        try:
            answer = wire.read_answer(data)
        except wire.GarbledError as error:
            return self._unusable(Blame("garbled", str(error)), given, sent, arrived)
        # What was there before the question can't be its answer.
        asked = session.handed_over is not None and session.handed_over <= arrived
        if asked and answer.ask_id == self._ask_id:
            asked_for = len(given.shares_ms)
            if len(answer.actions) == asked_for:
                return Reply(answer.actions, given.charges_us(arrived - sent), sent, arrived)
            detail = f"{len(answer.actions)} actions for {asked_for} decisions"
            return self._unusable(Blame("garbled", detail), given, sent, arrived)
        self._unasked(answer.ask_id)
        if self.exhausted:
            blame = Blame("garbled", TOO_MANY_ANSWERS)
            return Reply(b"", given.charges_us(max(0, arrived - sent)), sent, arrived, blame)
        return None

    def _late(self, given: Budget, sent: int, arrival: Arrival | None) -> Reply:
        self._given_up.add(self._ask_id)
        blame = Blame("late", f"no answer within {given.ms} ms")
        self.punish(blame)
        return Reply(b"", given.all_of_it_us(), sent, arrival[1] if arrival else None, blame)

    def _judge_cpu_time(self, reply: Reply, used_ns: int) -> Reply:
        assert self._limits.cpu_ms is not None
        judged = reply.with_cpu_time(used_ns, self._limits.cpu_ms)
        if judged.blame is not None and reply.blame is None:
            self.punish(judged.blame)
        return judged

    def _unasked(self, ask_id: int) -> None:
        """Drop an answer to an ask that was given up; anything else is worth a strike."""
        if ask_id in self._given_up:
            self._given_up.discard(ask_id)
            return
        self.punish(Blame("garbled", f"answers ask {ask_id}, which isn't open"), spoils=())

    async def _lost(self, given: Budget, sent: int, ended: int) -> Reply:
        blame = Blame("gone", await self._verdict() or "the stream ended")
        return replace(self._unusable(blame, given, sent, ended), received=None)

    def _unusable(self, blame: Blame, given: Budget, sent: int, arrived: int) -> Reply:
        self.punish(blame)
        return Reply(b"", given.charges_us(max(0, arrived - sent)), sent, arrived, blame)

    def punish(self, blame: Blame, spoils: Sequence[OpenDeal] | None = None) -> None:
        """Count a strike and tell the culprit; it spoils all asked last, or these, told by one."""
        self.strikes += 1
        deals = self._batch if spoils is None else spoils
        numbers = [each.key.deal for each in deals]
        self.notice(self.number, blame.kind, blame.detail, self.strikes, numbers)
        if self._session is not None:
            message = wire.fault(self._ask_id, blame.kind, blame.detail, self.strikes)
            self._session.send(message)
            if self.record_sent:
                record_fault(deals if spoils is None else deals[-1:], self.number, message)

    def report_end(self, ended: OpenDeal, payoff: int) -> None:
        """Tell a bot that asked for it how a deal ended."""
        if self._session is not None and self._session.hello.want_deal_ended:
            plays = bytes(ended.deal.plays)
            message = wire.deal_ended(ended.handles[self.number], payoff, plays)
            self._session.send(message)
            if self.record_sent:
                ended.record_sent(self.number, message)


def _began(session: Session, sent: int) -> int:
    """Return when the clock of the open ask began: with the stream, once it has the question."""
    return sent if session.handed_over is None else session.handed_over

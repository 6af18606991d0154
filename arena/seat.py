"""One bot's place at a table: its queue of questions, its clock and its strikes.

Time is judged here and nowhere else. A bot's misbehaviour is a value, never an
exception above this module.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal

import msgspec
import trio

from arena import wire
from arena.open_deal import OpenDeal
from arena.records import Limits
from arena.session import Session

MOST_BATCH_MS: Final = 30_000
"""No ask gives more time than this; batches shrink to fit."""
_DELIVERY_SLACK_S: Final = 0.05
"""Waits this much longer for an answer that came in time but is still on its way to trio."""
_EXIT_S: Final = 0.1
"""A bot's process ends a moment after its stream; then it is known how."""
_RELAUNCHES: Final = 3
_START_ATTEMPTS: Final = 2

FaultKind = Literal["late", "illegal", "garbled", "gone"]


class Blame(msgspec.Struct, frozen=True):
    """Why an answer could not be used."""

    kind: FaultKind
    detail: str


class Reply(msgspec.Struct, frozen=True):
    """What became of an ask: either actions, one per decision, or a blame for all."""

    actions: bytes
    think_us: int
    """Think time of one decision: a batch's time is shared evenly."""
    blame: Blame | None = None


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
    ) -> None:
        self.number = number
        self.pending: deque[OpenDeal] = deque()
        """Deals whose question is for this seat."""
        self.stood_down = False
        """Whether the house plays in this bot's place for good."""
        self.batch_size = 1
        self.strikes = 0
        self.asks = 0
        self.decisions = 0
        self.relaunches = 0
        self.failure: str | None = None
        """Why the bot was stood down, for people."""
        self._starter = starter
        self._limits = limits
        self._rule_set_json = rule_set_json
        self._now = now
        self._session: Session | None = None
        self._ask_id = 0
        self._given_up: set[int] = set()
        """Asks that were judged late; their answers may still come and are dropped."""
        self._wake = trio.Event()

    async def start(self) -> None:
        """Bring the bot up; after repeated failure the seat is stood down."""
        for attempt in range(_START_ATTEMPTS):
            try:
                await self.start_once()
            except BotFailedError as error:
                if attempt == _START_ATTEMPTS - 1:
                    self.stand_down(f"failed to start: {error}")
            else:
                return

    async def revive(self) -> None:
        """Bring a lost bot up again; past the limits the seat is stood down."""
        await trio.sleep(_EXIT_S)
        while not self.exhausted and self.relaunches < _RELAUNCHES:
            self.relaunches += 1
            try:
                await self.start_once()
            except BotFailedError as error:
                self.strikes += 1
                self.failure = str(error)
            else:
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
                decision_ms=self._limits.decision_ms,
                max_batch=self.batch_size,
                strike_limit=self._limits.strikes,
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
        session = self._session
        if session is None:
            return Reply(b"", 0, Blame("gone", "no stream"))
        self._ask_id += 1
        self.asks += 1
        self.decisions += len(batch)
        budget_ms = self._limits.decision_ms * len(batch)
        message = wire.ask(self._ask_id, budget_ms, [each.question() for each in batch])
        sent = self._now()
        session.send(message)
        with trio.move_on_after(budget_ms / 1000 + _DELIVERY_SLACK_S):
            return await self._await_answer(session, len(batch), sent, budget_ms)
        return self._late(budget_ms, len(batch))

    async def _await_answer(
        self, session: Session, decisions: int, sent: int, budget_ms: int
    ) -> Reply:
        while True:
            try:
                data, arrived = await session.receive()
            except trio.EndOfChannel:
                self._session = None
                return self._strike(Blame("gone", "the stream ended"), 0)
            think_us = max(0, arrived - sent) // (1000 * decisions)
            if arrived - sent > budget_ms * 1_000_000:
                return self._late(budget_ms, decisions)
            try:
                answer = wire.read_answer(data)
            except wire.GarbledError as error:
                return self._strike(Blame("garbled", str(error)), think_us)
            # What was there before the question can't be its answer.
            if answer.ask_id == self._ask_id and arrived >= sent:
                return self._judge(answer.actions, decisions, think_us)
            self._unasked(answer.ask_id)
            if self.exhausted:
                return Reply(b"", think_us, Blame("garbled", "too many answers to no question"))

    def _judge(self, actions: bytes, decisions: int, think_us: int) -> Reply:
        if len(actions) == decisions:
            return Reply(actions, think_us)
        return self._strike(
            Blame("garbled", f"{len(actions)} actions for {decisions} decisions"), think_us
        )

    def _late(self, budget_ms: int, decisions: int) -> Reply:
        self._given_up.add(self._ask_id)
        share_us = budget_ms * 1000 // decisions
        return self._strike(Blame("late", f"no answer within {budget_ms} ms"), share_us)

    def _unasked(self, ask_id: int) -> None:
        """Drop an answer to an ask that was given up; anything else is worth a strike."""
        if ask_id in self._given_up:
            self._given_up.discard(ask_id)
            return
        self._strike(Blame("garbled", f"answers ask {ask_id}, which isn't open"), 0)

    def _strike(self, blame: Blame, think_us: int) -> Reply:
        self.punish(blame)
        return Reply(b"", think_us, blame)

    def punish(self, blame: Blame) -> None:
        """Count a strike and tell the culprit."""
        self.strikes += 1
        if self._session is not None:
            self._session.send(wire.fault(self._ask_id, blame.kind, blame.detail, self.strikes))

    def report_end(self, handle: int, payoff: int, plays: bytes) -> None:
        """Tell a bot that asked for it how a deal ended."""
        if self._session is not None and self._session.hello.want_deal_ended:
            self._session.send(wire.deal_ended(handle, payoff, plays))

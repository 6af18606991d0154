"""A table: four seats play the deals of a shard, many at once."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import msgspec
import trio

from arena.open_deal import OpenDeal
from arena.reply import BANK_USED_UP, Blame, Reply
from arena.seat import Seat
from engine.actions import NAMES
from engine.errors import IllegalActionError
from engine.rules import house_action

_OPEN_PER_BATCH = 8
"""Open deals per decision of the largest batch: enough that batches fill by themselves."""

Finished = Callable[[OpenDeal, tuple[int, ...]], OpenDeal | None]
"""Takes a finished deal and the seats that are stood down; returns its session's next deal."""


class Fill(msgspec.Struct, frozen=True):
    """How full the asks were."""

    asks: int
    decisions: int


class Table:
    """Plays deals until none is left. Its seats must have been started."""

    def __init__(
        self,
        seats: Sequence[Seat],
        deals: Iterable[OpenDeal],
        finished: Finished,
        *,
        open_deals: int | None = None,
        now: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`open_deals` are played at once; None leaves it to what fills the batches."""
        self._seats = tuple(seats)
        self._most_open = open_deals
        self._now = now
        self._coming = iter(deals)
        self._finished = finished
        self._open = 0
        self._alone = False
        """Whether the house plays the rest without any bot."""
        self._done = trio.Event()

    async def run(self) -> Fill:
        """Play everything; a bot's fault never leaves this method as an exception."""
        self._open_deals()
        async with trio.open_nursery() as nursery:
            for seat in self._seats:
                nursery.start_soon(self._serve, seat)
            self._wake_all()
            await self._done.wait()
            nursery.cancel_scope.cancel()
        return self._fill()

    async def _play_alone(self) -> None:
        """Play what is left when every seat is stood down, and stay open to a stop."""
        for open_deal in self._coming:
            self._open += 1
            self._pass_on(open_deal)
            await trio.lowlevel.checkpoint()
        self._done.set()

    def _fill(self) -> Fill:
        return Fill(
            sum(seat.asks for seat in self._seats), sum(seat.decisions for seat in self._seats)
        )

    async def _serve(self, seat: Seat) -> None:
        """Ask one seat again and again; its bot is relaunched or stood down as needed."""
        playing = not seat.stood_down
        while playing:
            batch = await seat.next_batch()
            reply = await seat.ask(batch)
            if seat.thought is not None:
                seat.thought(reply.think_us)
            self._note(batch, reply)
            if reply.blame is None:
                self._take_answers(seat, batch, reply)
            else:
                self._take_house_actions(batch, reply.blame, reply.think_us)
            self._wake_all()
            playing = await self._keep(seat, reply.blame)
        self._play_for(seat)
        self._wake_all()
        if self._nobody_plays and not self._alone:
            self._alone = True
            await self._play_alone()

    @staticmethod
    async def _keep(seat: Seat, blame: Blame | None) -> bool:
        """Relaunch a lost bot, stand down a hopeless one; return whether it plays on."""
        if blame is not None and blame.kind == "gone":
            await seat.revive()
        elif seat.exhausted:
            seat.stand_down("too many strikes")
        return not seat.stood_down

    def _note(self, batch: Sequence[OpenDeal], reply: Reply) -> None:
        """Record what only some leagues record."""
        if reply.cpu_us:
            for open_deal in batch:
                open_deal.add_cpu_time(reply.cpu_us)
        if batch[0].timeline is not None:
            now = self._now()
            for open_deal in batch:
                assert open_deal.timeline is not None, "all deals of a table have one or none"
                open_deal.timeline.judged(reply.sent, reply.received, now)

    def _take_answers(self, seat: Seat, batch: Sequence[OpenDeal], reply: Reply) -> None:
        illegal: Blame | None = None
        spoilt: list[OpenDeal] = []
        for open_deal, action, think_us in zip(batch, reply.actions, reply.think_us, strict=True):
            try:
                open_deal.take(action, think_us)
            except IllegalActionError:
                illegal = Blame("illegal", _illegal_text(open_deal, action))
                spoilt.append(open_deal)
                self._take_house_action(open_deal, illegal, think_us)
            else:
                self._pass_on(open_deal)
        if illegal is not None:
            seat.punish(illegal, spoilt)
            for open_deal in spoilt:  # only now: a deal's line holds what was told of it
                self._pass_on(open_deal)

    def _take_house_actions(
        self, batch: Sequence[OpenDeal], blame: Blame, think_us: Sequence[int]
    ) -> None:
        for open_deal, each_us in zip(batch, think_us, strict=True):
            self._take_house_action(open_deal, blame, each_us)
            self._pass_on(open_deal)

    @staticmethod
    def _take_house_action(open_deal: OpenDeal, blame: Blame, think_us: int) -> None:
        open_deal.blame(blame.kind, blame.detail)
        open_deal.take(house_action(open_deal.deal), think_us)

    def _pass_on(self, open_deal: OpenDeal) -> None:
        """Queue a deal at the seat it waits for; one that has ended makes room for the next."""
        current: OpenDeal | None = open_deal
        while current is not None:
            if self._queue(current):
                return
            following = self._finished(current, self._stood_down())
            if following is None and not self._nobody_plays:
                following = next(self._coming, None)
            current = following
        self._open -= 1
        if self._open == 0 and not self._nobody_plays:
            self._done.set()

    @property
    def _nobody_plays(self) -> bool:
        return all(seat.stood_down for seat in self._seats)

    def _queue(self, open_deal: OpenDeal) -> bool:
        """Queue a deal at a bot's seat, the house answering for others; False if it ended."""
        deal = open_deal.deal
        while not deal.finished:
            seat = self._seats[deal.turn]
            if seat.stood_down:
                open_deal.take_from_house()
            elif open_deal.time_is_up:
                self._take_for_slow(open_deal, seat)
            else:
                seat.enqueue(open_deal)
                if open_deal.timeline is not None:
                    open_deal.timeline.queued(self._now())
                return True
        return False

    def _take_for_slow(self, open_deal: OpenDeal, seat: Seat) -> None:
        """Play the house's answer for a seat without time left; one strike for each deal."""
        assert open_deal.bank is not None
        blame = Blame("late", BANK_USED_UP)
        if seat.number not in open_deal.bank.told:
            open_deal.bank.told.add(seat.number)
            seat.punish(blame, [open_deal])
        if open_deal.timeline is not None:
            open_deal.timeline.not_asked()
        self._take_house_action(open_deal, blame, 0)

    def _stood_down(self) -> tuple[int, ...]:
        return tuple(seat.number for seat in self._seats if seat.stood_down)

    def _open_deals(self) -> None:
        most = self._most_open or _OPEN_PER_BATCH * max(seat.batch_size for seat in self._seats)
        for open_deal in islice(self._coming, most):
            self._open += 1
            self._pass_on(open_deal)
        if self._open == 0 and not self._nobody_plays:
            self._done.set()

    def _play_for(self, seat: Seat) -> None:
        """Let the house answer what waits for a seat that was just stood down."""
        waiting = deque(seat.pending)
        seat.pending.clear()
        for open_deal in waiting:
            self._pass_on(open_deal)

    def _wake_all(self) -> None:
        for seat in self._seats:
            seat.wake()


def _illegal_text(open_deal: OpenDeal, action: int) -> str:
    legal = " ".join(NAMES[each] for each in open_deal.deal.legal)
    return f"{NAMES.get(action, f'action {action}')} is not among: {legal}"

"""Asks one journaled deal's questions again and checks what they tell each seat."""

import random
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from arena import dealing, sent, wire
from arena.audit_cards import Accountant, check_fault
from arena.clock import bank_of
from arena.open_deal import OpenDeal, SeatKeys
from arena.records import DealLine, FaultLine, Limits
from arena.reply import BANK_USED_UP, NO_STREAM, TOO_MANY_ANSWERS
from arena.verify_deal import LineError, opened
from arena.wire import Question
from engine.actions import NAMES, parse_action
from engine.cards import hand_text
from engine.errors import IllegalActionError, NotationError
from engine.look_alike import Show, dealt_anew, retold, told
from engine.model import Deal, RuleSet
from engine.rules import play

Ask = Callable[[OpenDeal], Question]
"""Returns the open question of a deal as its seat is sent it."""

_TRIES: Final = 4
"""Deals that are made up for one decision, until one looks alike."""


class Counts(msgspec.Struct):
    """What an audit has looked at."""

    deals: int = 0
    decisions: int = 0
    """Decisions that a bot was sent a question for."""
    unsent: int = 0
    """Decisions that nobody was asked for, since the deal's time bank was used up."""
    cards: int = 0
    """Cards shown in those messages."""
    handles: int = 0
    """Handles that were derived anew."""
    seeds: int = 0
    digests: int = 0
    """Digests of what seats were really sent that were compared."""
    banks: int = 0
    """Decisions whose `bank_ms` was derived anew."""
    bankless: int = 0
    """Digests without `bank_ms`, where there was one."""
    reports: int = 0
    """Reports of faults and of ended deals that those digests hold."""
    made_up: int = 0
    """Deals with other hidden cards that were made up."""
    alike: int = 0
    """Of these, how many look alike to the asked seat."""


class _Asked(msgspec.Struct):
    """A question that a bot was asked."""

    step: int
    """Answers before it."""
    seat: int


class DealAudit:
    """One deal's audit; `run` yields what is wrong."""

    def __init__(  # what a deal is held against
        self,
        line: DealLine,
        rules: RuleSet,
        limits: Limits,
        keys: SeatKeys,
        ask: Ask,
        counts: Counts,
    ) -> None:
        self._line = line
        self._rules = rules
        self._limits = limits
        self._keys = keys
        self._ask = ask
        self._counts = counts
        self._derived = [
            (dealing.handle(handle, line.key.deal), dealing.deal_seed(seat, line.key.deal))
            for seat, handle in zip(keys.seats, keys.handles, strict=True)
        ]
        """The handle and the seed that follow for each seat."""
        self._digests = [sent.Digests() for _ in range(4)]
        self._asked: list[_Asked] = []
        self._actions: list[int] = []
        self._faults = {fault.decision: fault for fault in line.faults}
        self._told: set[int] = set()
        """Seats that were told that their bank was used up."""
        whole = len(line.thought_us) == sum(line.asked) and min(line.thought_us, default=0) >= 0
        self._bank = bank_of(limits) if line.thought_us and whole else None
        """Where the line says how it went down."""
        self._without_bank = self._bank is None and limits.bank_ms is not None
        self._left_us = [1000 * (limits.bank_ms or 0)] * 4
        """The same, by books of our own."""
        self._unsent = {fault.decision for fault in line.faults if self._used_up(fault)}
        """Decisions whose question was never sent, as far as the line may be believed."""

    def run(self, *, derived: bool, recorded: bool, look_alikes: int | None) -> Iterator[str]:
        """Yield findings.

        `derived` says that the secret is known, so that handles, seeds and digests can be
        checked; `recorded` that there must be digests. For so many decisions look-alikes are
        made up; None means all.
        """
        self._counts.deals += 1
        yield from self._check_unsent()
        try:
            deal = opened(self._line, self._rules)
            self._actions = [parse_action(name) for name in self._line.actions.split()]
            open_deal = OpenDeal(self._line.key, deal, self._keys, bank=self._bank)
            yield from self._replay(open_deal, derived=derived)
        except (LineError, IllegalActionError, NotationError) as error:
            yield f"can't be replayed: {error}"
            return
        if recorded and derived:
            yield from self._check_digests(bytes(deal.plays))
        chance = random.Random(repr(self._line.key))  # noqa: S311  # picks a sample, no cards
        chosen = list(self._asked)
        if look_alikes is not None and look_alikes < len(chosen):
            chosen = chance.sample(chosen, look_alikes)
        for asked in chosen:
            yield from self._compare(asked, chance)

    def _replay(self, open_deal: OpenDeal, *, derived: bool) -> Iterator[str]:
        books = Accountant(self._line)
        thought = iter(self._line.thought_us if self._bank else [0] * sum(self._line.asked))
        for number, action in enumerate(self._actions):
            seat = open_deal.deal.turn
            if number in self._unsent:
                self._counts.unsent += 1
                if self._bank is not None and not open_deal.time_is_up:
                    yield f"decision {number}: seat {seat} had time left in its bank"
                self._tell_fault(number, seat)
                self._charge(open_deal, action, next(thought, 0))
            elif open_deal.asked[seat] < self._line.asked[seat]:
                question = self._ask(open_deal)
                decision = wire.decision(question)
                fields = sent.fields(decision)
                problems = [
                    *self._check_bank(seat, fields.pop("bank_ms", 0)),
                    *books.check(seat, fields),
                    *self._check_fault(number, fields.get("legal", b"")),
                ]
                if derived:
                    problems += self._check_names(open_deal.asked[seat], seat, fields)
                yield from (f"decision {number}: {problem}" for problem in problems)
                self._take(number, seat, decision)
                self._charge(open_deal, action, next(thought, 0))
            else:
                play(open_deal.deal, action)
            books.take(seat, action)
        if not open_deal.deal.finished:
            raise LineError(f"the deal isn't over after its {len(self._actions)} actions")
        self._counts.cards += books.cards

    def _take(self, number: int, seat: int, decision: bytes) -> None:
        self._asked.append(_Asked(number, seat))
        self._counts.decisions += 1
        self._digests[seat].add(decision, surely=True)
        self._tell_fault(number, seat)

    def _tell_fault(self, number: int, seat: int) -> None:
        """Add what a bot was told of a fault; of several in one message it was told one."""
        fault = self._faults.get(number)
        if fault is None or fault.fault == "gone" or fault.detail == TOO_MANY_ANSWERS:
            return
        if fault.detail == BANK_USED_UP:
            if seat in self._told:
                return
            self._told.add(seat)
        message = sent.fault(wire.fault(1, fault.fault, fault.detail, 1))
        self._digests[seat].add(message, surely=False)

    def _charge(self, open_deal: OpenDeal, action: int, think_us: int) -> None:
        left = max(0, self._left_us[open_deal.deal.turn] - think_us)
        self._left_us[open_deal.deal.turn] = left + 1000 * self._limits.increment_ms
        open_deal.take(action, think_us)

    def _check_bank(self, seat: int, said_ms: int | bytes) -> Iterator[str]:
        left_ms = 0 if self._bank is None else self._left_us[seat] // 1000
        if said_ms != left_ms:
            yield f"bank_ms is {said_ms!r}, but {left_ms} follows from the line's think times"
        elif self._bank is not None and not left_ms:
            yield f"seat {seat} was asked without time left"
        self._counts.banks += self._bank is not None

    def _used_up(self, fault: FaultLine) -> bool:
        """Whether a fault says that a bank was used up, and the deal's think time bears it out.

        An increment keeps a bank from ever being used up.
        """
        bank_ms = self._limits.bank_ms
        if (fault.fault, fault.detail) != ("late", BANK_USED_UP) or not 0 <= fault.seat < 4:
            return False
        if bank_ms is None or self._limits.increment_ms:
            return False
        return self._line.think_us[fault.seat] > (bank_ms - 1) * 1000  # whole milliseconds count

    def _check_unsent(self) -> Iterator[str]:
        """Say which faults tell of questions that were never sent, but were."""
        for fault in self._line.faults:
            if (fault.fault, fault.detail) == ("late", BANK_USED_UP) and not self._used_up(fault):
                yield f"decision {fault.decision}: seat {fault.seat} had no bank that was used up"
            elif (fault.fault, fault.detail) == ("gone", NO_STREAM):
                yield (
                    f"decision {fault.decision}: who has no stream is started again or stood down,"
                    f" and never asked; seat {fault.seat} was"
                )

    def _check_fault(self, number: int, legal: int | bytes) -> Iterator[str]:
        """Check what a bot was told of a fault: nothing but what it might have said."""
        assert isinstance(legal, bytes)
        if number in self._faults:
            yield from check_fault(self._faults[number], legal, self._limits)

    def _check_names(self, number: int, seat: int, fields: dict[str, int | bytes]) -> Iterator[str]:
        """Check the handle and the seed of a seat's decision with this number."""
        handle, seed_of_deal = self._derived[seat]
        seed = dealing.decision_seed(seed_of_deal, number)
        for name, value in (("handle", handle), ("seed", seed)):
            if fields.get(name, 0) != value:
                yield f"{name} is {fields.get(name, 0)!r}, but {value} follows from the secret"
        self._counts.handles += 1
        self._counts.seeds += 1

    def _check_digests(self, plays: bytes) -> Iterator[str]:
        nobody = self._line.asked == (0, 0, 0, 0)  # where the house plays alone
        said_of_all = self._line.sent or (("",) * 4 if nobody else ())
        if len(said_of_all) != 4:
            yield "digests of what was sent are missing"
            return
        for seat, (said, digests) in enumerate(zip(said_of_all, self._digests, strict=True)):
            handle, payoff = self._derived[seat][0], self._line.payoff[seat]
            digests.add(wire.deal_ended(handle, payoff, plays), surely=False)
            reports = digests.reports(said)
            self._counts.digests += 1
            self._counts.reports += reports or 0
            self._counts.bankless += bool(said) and self._without_bank
            if reports is None:
                yield f"seat {seat} was sent something else than follows: its digest is {said}"

    def _compare(self, asked: _Asked, chance: random.Random) -> Iterator[str]:
        """Make up deals that look alike to the asked seat; all its messages must be the same."""
        actions = self._actions[: asked.step]
        start = opened(self._line, self._rules)
        story = told(start, actions, asked.seat, self._show(start, asked.seat))
        for _ in range(_TRIES):
            twin = dealt_anew(start, asked.seat, chance)
            hands = twin.dealt
            other, alike = retold(story, twin, self._show(twin, asked.seat), chance)
            self._counts.made_up += 1
            if other.questions != story.questions[: len(other.questions)]:
                at = f" at {NAMES[self._actions[asked.step]]}" if asked.step else ""
                yield (
                    f"decision {asked.step}{at}: seat {asked.seat} is told more than it may know;"
                    f" with the hands {', '.join(map(hand_text, hands))} it would look different"
                )
                return
            if alike and hands != start.dealt:
                self._counts.alike += 1
                return

    def _show(self, deal: Deal, viewer: int) -> Show:
        """Return what encodes the viewer's questions in this deal."""
        open_deal = OpenDeal(self._line.key, deal, self._keys)

        def show(_: Deal) -> bytes:
            message = wire.ask(1, 1, [self._ask(open_deal)])
            open_deal.asked[viewer] += 1
            return message

        return show

"""A deal in play at a table: the rules' deal and what the journal wants to know of it."""

from collections.abc import Sequence
from typing import NamedTuple

from arena import dealing, sent
from arena.clock import Bank, Timeline
from arena.deal_line import Conduct, four
from arena.records import DealLine, FaultLine, Key
from arena.wire import Question
from engine.model import Deal
from engine.rules import house_action, play
from engine.view import observe


class SeatKeys(NamedTuple):
    """What handles and seeds of a shard's four seats follow from."""

    seats: tuple[bytes, ...]
    handles: tuple[dealing.HandleKey, ...]


def seat_keys(secret: bytes, shard_id: str) -> SeatKeys:
    """Return the keys of a shard's seats."""
    seats = tuple(dealing.seat_key(secret, shard_id, seat) for seat in range(4))
    return SeatKeys(seats, tuple(map(dealing.handle_key, seats)))


class OpenDeal:
    """Advanced by answers; a plain object, since thousands a second come and go."""

    __slots__ = (
        "actions",
        "asked",
        "bank",
        "cpu_us",
        "deal",
        "faults",
        "handles",
        "key",
        "seeds",
        "sent",
        "session",
        "think_us",
        "timeline",
    )

    def __init__(
        self,
        key: Key,
        deal: Deal,
        keys: SeatKeys,
        session: list[DealLine] | None = None,
        bank: Bank | None = None,
        timeline: Timeline | None = None,
    ) -> None:
        self.key = key
        self.bank = bank
        self.timeline = timeline
        self.session: list[DealLine] = [] if session is None else session
        """The lines of the session's deals before this one."""
        self.deal = deal
        self.actions = bytearray()
        """All answers in order."""
        self.asked = [0, 0, 0, 0]
        self.think_us = [0, 0, 0, 0]
        self.cpu_us: list[int] | None = None
        """Only where CPU time is limited."""
        self.faults: list[FaultLine] = []
        self.sent: list[bytes] | None = None
        """Per seat a digest of what it was sent; None where that isn't recorded."""
        self.handles = [dealing.handle(handle_key, key.deal) for handle_key in keys.handles]
        """The name of this deal within each seat's stream."""
        self.seeds = [dealing.deal_seed(seat_key, key.deal) for seat_key in keys.seats]

    def question(self) -> Question:
        """Return the open question as it is put to the asked seat."""
        seat = self.deal.turn
        seed = dealing.decision_seed(self.seeds[seat], self.asked[seat])
        left_ms = 0 if self.bank is None else self.bank.left_ms(seat)
        return Question(self.handles[seat], seed, observe(self.deal), left_ms)

    @property
    def time_is_up(self) -> bool:
        """Whether the seat whose turn it is has no time left for this deal."""
        return self.bank is not None and self.bank.left_ms(self.deal.turn) == 0

    def take(self, action: int, think_us: int) -> None:
        """Record and play the asked bot's answer, or the house's in place of a bad one.

        Raises IllegalActionError, changing nothing.
        """
        seat = self.deal.turn
        play(self.deal, action)
        self.actions.append(action)
        self.asked[seat] += 1
        self.think_us[seat] += think_us
        if self.bank is not None:
            self.bank.charge(seat, think_us)

    def add_cpu_time(self, cpu_us: int) -> None:
        """Record what the coming answer took; before it is taken."""
        if self.cpu_us is None:
            self.cpu_us = [0, 0, 0, 0]
        self.cpu_us[self.deal.turn] += cpu_us

    def take_from_house(self) -> None:
        """Play the house's answer for a seat that isn't asked any more."""
        action = house_action(self.deal)
        play(self.deal, action)
        self.actions.append(action)
        if self.timeline is not None:
            self.timeline.not_asked()

    def blame(self, fault: str, detail: str) -> None:
        """Record that the asked seat's next answer will be the house's."""
        self.faults.append(
            FaultLine(self.deal.turn, len(self.actions), fault, detail)  # type: ignore[arg-type]
        )

    def record_sent(self, seat: int, message: bytes) -> None:
        """Record what a seat was sent; a question before its answer is taken."""
        if self.sent is None:
            self.sent = [b"", b"", b"", b""]
            if self.bank is not None:
                self.bank.charged_us = []
        self.sent[seat] = sent.rolled(self.sent[seat], message)

    @property
    def digests(self) -> tuple[str, ...]:
        """What was recorded, for the journal."""
        return () if self.sent is None else tuple(digest.hex() for digest in self.sent)

    def conduct(self, stood_down: tuple[int, ...]) -> Conduct:
        """Return how the bots behaved, for the journal."""
        return Conduct(
            four(self.asked),
            four(self.think_us),
            tuple(self.faults),
            stood_down,
            () if self.cpu_us is None else tuple(self.cpu_us),
            () if self.timeline is None else self.timeline.times(),
            self.digests,
            () if self.bank is None else tuple(self.bank.charged_us or ()),
        )


def record_questions(deals: Sequence[OpenDeal], message: bytes, decision_ms: int) -> None:
    """Record an encoded ask with the open questions of these deals."""
    for open_deal, decision in zip(deals, sent.decisions(message, decision_ms), strict=True):
        open_deal.record_sent(open_deal.deal.turn, decision)


def record_fault(deals: Sequence[OpenDeal], seat: int, message: bytes) -> None:
    """Record an encoded fault that tells a seat of these deals."""
    told = sent.fault(message)
    for open_deal in deals:
        open_deal.record_sent(seat, told)

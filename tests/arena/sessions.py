"""Bots without processes and streams: sessions in memory, with a script for a mind."""

from collections import deque
from collections.abc import Callable

import trio

from arena import dealing, rulebook
from arena.clock import Timeline, bank_of
from arena.open_deal import OpenDeal, seat_keys
from arena.records import Key, Limits
from arena.session import Arrival
from arena.v1.arena_pb2 import Answer, Ask, PlayRequest, PlayResponse
from arena.wire import Hello
from engine.rules import new_deal

MILLISECOND = 1_000_000
SECRET = bytes(range(32))
RULES = rulebook.load("online")
USUAL = Limits()

Chooser = Callable[[Ask], "bytes | None"]
"""Returns a request's bytes, or None to say nothing."""


def now() -> int:
    """The clock of these tests: trio's, which a mock may jump ahead."""
    return round(trio.current_time() * 1e9)


def answer(ask_id: int, actions: bytes) -> bytes:
    return PlayRequest(answer=Answer(ask_id=ask_id, actions=actions)).SerializeToString()


def first_legal(ask: Ask) -> bytes:
    return answer(ask.ask_id, bytes(decision.legal[0] for decision in ask.decisions))


def seeded(ask: Ask) -> bytes:
    """Plays by its seeds alone, so the same deal goes the same way whenever it is asked."""
    return answer(
        ask.ask_id, bytes(each.legal[each.seed % len(each.legal)] for each in ask.decisions)
    )


def hello(*, max_batch: int = 1, want_deal_ended: bool = False) -> Hello:
    return Hello("token", "memory", "1", 1, max_batch, want_deal_ended)


class MemorySession:
    """One end of a stream that exists in memory alone."""

    def __init__(self, introduction: Hello, chooser: Chooser | None = None) -> None:
        self.hello = introduction
        self.sent: list[PlayResponse] = []
        self.handed_over: int | None = None
        self.closed = False
        self.open_asks = 0
        self.most_open_asks = 0
        self._chooser = chooser
        self._waiting: deque[Arrival] = deque()
        self._news = trio.Event()
        self._over = False

    def send(self, message: bytes) -> None:
        response = PlayResponse.FromString(message)
        self.sent.append(response)
        if response.WhichOneof("kind") == "ask" and self._chooser is not None:
            self.open_asks += 1
            self.most_open_asks = max(self.most_open_asks, self.open_asks)
            said = self._chooser(response.ask)
            if said is not None:
                self.say(said)

    def ask(self, question: bytes) -> None:
        self.handed_over = now()
        self.send(question)

    async def receive(self) -> Arrival:
        while not self._waiting:
            if self._over:
                raise trio.EndOfChannel
            await self._news.wait()
            self._news = trio.Event()
        await trio.lowlevel.checkpoint()
        self.open_asks = 0
        return self._waiting.popleft()

    def close(self, farewell: bytes | None = None) -> None:
        if farewell is not None:
            self.send(farewell)
        self.closed = True
        self.hang_up()

    def say(self, message: bytes, arrived: int | None = None) -> None:
        """Let the bot say something; `arrived` is when the server's thread read it."""
        self._waiting.append((message, now() if arrived is None else arrived))
        self._news.set()

    def hang_up(self) -> None:
        self._over = True
        self._news.set()

    def of_kind(self, kind: str) -> list[PlayResponse]:
        return [response for response in self.sent if response.WhichOneof("kind") == kind]

    @property
    def faults(self) -> list[int]:
        return [response.fault.kind for response in self.of_kind("fault")]


def deals(count: int, limits: Limits = USUAL, times_from: int | None = None) -> list[OpenDeal]:
    keys = seat_keys(SECRET, "shard")
    return [
        OpenDeal(
            Key(0, 0, 0, number, number),
            new_deal(RULES, dealing.hands(SECRET, number, RULES.deck), 0),
            keys,
            None,
            bank_of(limits),
            None if times_from is None else Timeline(times_from),
        )
        for number in range(count)
    ]

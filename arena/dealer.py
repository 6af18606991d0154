"""Deals the sessions of a shard: each deal with what the one before it left."""

from collections.abc import Iterator, Sequence

from arena import dealing
from arena.clock import Timeline, bank_of
from arena.open_deal import OpenDeal, seat_keys
from arena.records import DealLine, Limits
from arena.schedule import Shard
from engine.model import NOTHING_CARRIED, Carried, RuleSet
from engine.rules import new_deal
from engine.scoring import settle
from engine.session import carry


class Dealer:
    """Makes a shard's deals. All follows from the secret and the deals played before."""

    def __init__(
        self,
        shard: Shard,
        rules: RuleSet,
        secret: bytes,
        limits: Limits,
        times_from: int | None = None,
    ) -> None:
        """Times are recorded from this moment on the monotonic clock, or not at all."""
        self._shard = shard
        self._rules = rules
        self._secret = secret
        self._keys = seat_keys(secret, shard.id)
        self._limits = limits
        self._times_from = times_from

    def openings(self, deals: Sequence[int]) -> Iterator[OpenDeal]:
        """Yield the first deal of each session of these deals, which must be whole sessions."""
        for number in deals:
            if number % self._shard.session_deals == 0:
                yield self._deal(number, NOTHING_CARRIED, [])

    def following(self, finished: OpenDeal, line: DealLine) -> OpenDeal | None:
        """Return the deal after a finished one of the same session, or None after the last.

        `line` is the finished deal's; the session's lines travel together.
        """
        finished.session.append(line)
        number = finished.key.deal + 1
        if number % self._shard.session_deals == 0:
            return None
        left = carry(finished.deal, settle(finished.deal))
        return self._deal(number, left, finished.session)

    def _deal(self, number: int, carried: Carried, session: list[DealLine]) -> OpenDeal:
        rules, secret = self._rules, self._secret
        hands = dealing.hands(secret, number, rules.deck)
        halves = (0, 0, 0, 0)
        if rules.klopfen:
            halves = dealing.first_halves(secret, number, rules.deck)
        deal = new_deal(rules, hands, dealing.forehand(number), halves, carried)
        timeline = None if self._times_from is None else Timeline(self._times_from)
        key = self._shard.key(number)
        return OpenDeal(key, deal, self._keys, session, bank_of(self._limits), timeline)

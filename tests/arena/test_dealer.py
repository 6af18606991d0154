"""Sessions at a table: each deal begins with what the one before it left."""

from collections import Counter

import pytest
import trio

from arena import dealing
from arena.deal_line import Conduct, carried_line, deal_line
from arena.dealer import Dealer
from arena.done_keys import DoneKeys
from arena.open_deal import OpenDeal
from arena.records import DealLine, Limits
from arena.schedule import Shard
from arena.seat import Seat
from arena.session import Session
from arena.table import Table
from engine.model import NOTHING_CARRIED
from engine.ruleset import rule_set
from engine.scoring import settle
from engine.session import carry
from tests.arena.journals import RULES as MAPPINGS
from tests.arena.sessions import SECRET, MemorySession, hello, now, seeded

SPAN = 5
DEALS = 60
SHARD = Shard(0, 0, 0, first_deal=20, deals=DEALS, session_deals=SPAN, seats=(0, 0, 0, 0))


class Played:
    """A shard's sessions, played by four polite bots in memory."""

    def __init__(self, rules: str) -> None:
        self.rules = rule_set(MAPPINGS[rules])
        self.dealer = Dealer(SHARD, self.rules, SECRET, Limits())
        self.order: list[OpenDeal] = []
        self.sessions: list[list[DealLine]] = []

    def finish(self, open_deal: OpenDeal, stood_down: tuple[int, ...]) -> OpenDeal | None:
        self.order.append(open_deal)
        conduct: Conduct = open_deal.conduct(stood_down)
        line = deal_line(
            open_deal.key, SHARD.seats, open_deal.deal, bytes(open_deal.actions), conduct
        )
        following = self.dealer.following(open_deal, line)
        if following is None:
            self.sessions.append(open_deal.session)
        return following

    async def run(self, max_batch: int, deals: range) -> None:
        seats = []
        for number in range(4):

            async def starter() -> Session:
                await trio.lowlevel.checkpoint()
                return MemorySession(hello(max_batch=max_batch), seeded)

            seats.append(Seat(number, starter, Limits(), "{}", now))
            await seats[-1].start()
        await Table(seats, self.dealer.openings(deals), self.finish).run()


ALL = range(SHARD.first_deal, SHARD.first_deal + DEALS)


@pytest.mark.parametrize("rules", ["with Stock", "with strokes", "online"])
@pytest.mark.parametrize("max_batch", [1, 64])
async def test_sessions_are_played_whole_and_in_order(
    rules: str, max_batch: int, autojump_clock: object
) -> None:
    table = Played(rules)
    await table.run(max_batch, ALL)
    assert sorted(line.key.deal for session in table.sessions for line in session) == list(ALL)
    for session in table.sessions:
        numbers = [line.key.deal for line in session]
        assert numbers == list(range(numbers[0], numbers[0] + SPAN))
        assert numbers[0] % SPAN == 0
        assert len({line.key.session for line in session}) == 1
    if max_batch > 1:
        first_ends = [deal.key.session for deal in table.order[:SPAN]]
        assert len(set(first_ends)) > 1, "different sessions run at once"


@pytest.mark.parametrize("rules", ["with Stock", "with strokes"])
async def test_each_deal_begins_with_what_the_one_before_left(
    rules: str, autojump_clock: object
) -> None:
    table = Played(rules)
    await table.run(64, ALL)
    by_number = {each.key.deal: each.deal for each in table.order}
    left = Counter[bool]()
    for number, deal in by_number.items():
        expected = NOTHING_CARRIED
        if number % SPAN:
            before = by_number[number - 1]
            expected = carry(before, settle(before))
        assert deal.carried == expected
        left[expected != NOTHING_CARRIED] += 1
    assert left[True] > DEALS // 4
    lines = [line for session in table.sessions for line in session]
    assert all(line.carried == carried_line(by_number[line.key.deal].carried) for line in lines)


async def test_only_the_sessions_that_are_asked_for(autojump_clock: object) -> None:
    done = DoneKeys()
    done.bound(max(ALL) + 1)
    for deal in ALL:
        if deal != 32:
            done.add(SHARD.key(deal))
    missing = done.missing(SHARD)
    table = Played("with Stock")
    await table.run(8, range(missing[0], missing[-1] + 1))
    assert [[line.key.deal for line in session] for session in table.sessions] == [
        [30, 31, 32, 33, 34]
    ]


async def test_batches_change_nothing_that_is_played(autojump_clock: object) -> None:
    one, many = Played("with Stock"), Played("with Stock")
    await one.run(1, ALL)
    await many.run(64, ALL)

    def actions(table: Played) -> dict[int, bytearray]:
        return {each.key.deal: each.actions for each in table.order}

    assert actions(one) == actions(many)


@pytest.mark.parametrize("deck", [32, 24])
def test_the_first_half_is_half_of_each_hand(deck: int) -> None:
    for number in range(20):
        halves = dealing.first_halves(SECRET, number, deck)
        hands = dealing.hands(SECRET, number, deck)
        for half, hand in zip(halves, hands, strict=True):
            assert half.bit_count() == deck // 8
            assert half & ~hand == 0


def test_halves_are_dealt_only_where_somebody_sees_them() -> None:
    for rules, seen in (("sauspiel", True), ("online", False)):
        dealer = Dealer(SHARD, rule_set(MAPPINGS[rules]), SECRET, Limits())
        first = next(dealer.openings(ALL))
        assert all(first.deal.first) is seen
        assert any(first.deal.first) is seen

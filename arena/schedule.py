"""Which bots play which deals where, in what order; nothing here is ever held in full."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations, zip_longest
from typing import Final

import msgspec

from arena.records import Key, Schedule

Four = tuple[int, int, int, int]
Pairing = tuple[tuple[int, int], tuple[int, int]]

_FEW: Final[dict[int, tuple[Four, ...]]] = {
    0: (),
    1: ((0, 0, 0, 0),),
    2: ((0, 0, 1, 1),),
    3: ((0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)),
}
"""Lineups of fields that are too small for four different bots."""


class Shard(msgspec.Struct, frozen=True):
    """One table's slice of deals: the unit of work, of resuming and of parallelism."""

    lineup: int
    arrangement: int
    seating: int
    first_deal: int
    deals: int
    session_deals: int
    seats: Four
    """The bot of each seat as an index into the header's bots."""

    @property
    def id(self) -> str:
        """Name of the shard, unique within the league."""
        return _shard_id(self.lineup, self.arrangement, self.seating, self.first_deal)

    def key(self, deal: int) -> Key:
        """Return the key of one of the shard's deals."""
        session = deal // self.session_deals
        return Key(self.lineup, self.arrangement, self.seating, session, deal)


class Totals(msgspec.Struct, frozen=True):
    """How much work a schedule is."""

    lineups: int
    shards: int
    deals: int
    """Deals played, each seating counted."""
    launches: int
    """Bot processes started, if none fails."""


def lineups(bots: int, limit: int | None = None) -> tuple[Four, ...]:
    """Return the lineups of a field of `bots`, in lexicographic order.

    With a `limit` below their number, as many are chosen as it says, such that every
    bot, and then every pair, sits in about equally many of them.
    """
    few = _FEW.get(bots)
    if few is not None:
        return few[:limit]
    everything: Iterator[Four] = combinations(range(bots), 4)
    if limit is None or limit >= lineup_count(bots):
        return tuple(everything)
    left_out = lineup_count(bots) - limit
    if left_out < limit:  # what is left out evenly leaves an even rest, and is found faster
        unwanted = _balanced(bots, left_out)
        return tuple(lineup for lineup in everything if lineup not in unwanted)
    return tuple(sorted(_balanced(bots, limit)))


def lineup_count(bots: int) -> int:
    """Return how many lineups a field has."""
    few = _FEW.get(bots)
    return bots * (bots - 1) * (bots - 2) * (bots - 3) // 24 if few is None else len(few)


def _balanced(bots: int, limit: int) -> set[Four]:
    chosen: set[Four] = set()
    appearances = [0] * bots
    together = [[0] * bots for _ in range(bots)]
    for _ in range(limit):
        lineup = next(each for each in _preferred((), appearances, together) if each not in chosen)
        chosen.add(lineup)
        for bot in lineup:
            appearances[bot] += 1
            for other in lineup:
                together[bot][other] += 1
    return chosen


def _preferred(
    picked: tuple[int, ...], appearances: list[int], together: list[list[int]]
) -> Iterator[Four]:
    """Yield the lineups that contain `picked`, those that even out the counts first."""
    if len(picked) == 4:
        first, second, third, fourth = sorted(picked)
        yield first, second, third, fourth
        return

    def need(bot: int) -> tuple[int, int, int]:
        return appearances[bot], sum(together[bot][other] for other in picked), bot

    for bot in sorted(set(range(len(appearances))).difference(picked), key=need):
        yield from _preferred((*picked, bot), appearances, together)


@cache
def arrangements(lineup: Four) -> tuple[Four, ...]:
    """Return a lineup's distinct cyclic orders, each by its lexicographically least rotation."""
    orders: Iterator[Four] = permutations(lineup, 4)
    return tuple(sorted({min(_rotations(order)) for order in orders}))


@cache
def turns(lineup: Four, *, fixed_partners: bool) -> tuple[int, ...]:
    """Return the lineup's arrangements, by number, in the order in which slices take them.

    With fixed partners neighbouring slices differ in who is whose partner, and pairings
    whose two teams are the same are left out, as they compare nobody.
    """
    orders = arrangements(lineup)
    if not fixed_partners:
        return tuple(range(len(orders)))
    by_pairing: dict[Pairing, list[int]] = {}
    for number, order in enumerate(orders):
        by_pairing.setdefault(pairing(order), []).append(number)
    telling = [like for teams, like in by_pairing.items() if teams[0] != teams[1]]
    rounds = zip_longest(*(telling or by_pairing.values()))
    return tuple(number for row in rounds for number in row if number is not None)


def pairing(arrangement: Four) -> Pairing:
    """Return the two teams of those who sit opposite each other, in ascending order."""
    a, b, c, d = arrangement
    first, second = sorted(((min(a, c), max(a, c)), (min(b, d), max(b, d))))
    return first, second


def pairings(lineup: Four) -> set[Pairing]:
    """Return the pairings that a lineup is to be played in with fixed partners."""
    orders = arrangements(lineup)
    return {pairing(orders[number]) for number in turns(lineup, fixed_partners=True)}


def slices(schedule: Schedule) -> int:
    """Return how many slices there are; each has one arrangement of every lineup."""
    return -(-schedule.deals // schedule.slice_deals)


@cache
def seatings(arrangement: Four) -> tuple[Four, ...]:
    """Return an arrangement's distinct rotations: the bot of each seat, one row per seating."""
    return tuple(dict.fromkeys(_rotations(arrangement)))


def _rotations(order: Four) -> tuple[Four, ...]:
    a, b, c, d = order
    return (a, b, c, d), (d, a, b, c), (c, d, a, b), (b, c, d, a)


def shards(schedule: Schedule) -> Iterator[Shard]:
    """Yield all shards in the order of work, so that complete blocks come early."""
    for slice_number, first in enumerate(range(0, schedule.deals, schedule.slice_deals)):
        deals = min(schedule.slice_deals, schedule.deals - first)
        for number, lineup in enumerate(schedule.lineups):
            chosen = _chosen(schedule, number, slice_number)
            for seating, seats in enumerate(seatings(arrangements(lineup)[chosen])):
                yield Shard(number, chosen, seating, first, deals, schedule.session_deals, seats)


def keys(shard: Shard) -> Iterator[Key]:
    """Yield the keys of a shard's deals in the order of play."""
    return map(shard.key, range(shard.first_deal, shard.first_deal + shard.deals))


def expected_seats(schedule: Schedule, key: Key) -> Four | None:
    """Return who must sit where at this key, or None where the schedule has no such key."""
    in_range = 0 <= key.deal < schedule.deals and 0 <= key.lineup < len(schedule.lineups)
    if not in_range or key.session != key.deal // schedule.session_deals:
        return None
    if key.arrangement != _chosen(schedule, key.lineup, key.deal // schedule.slice_deals):
        return None
    rows = seatings(arrangements(schedule.lineups[key.lineup])[key.arrangement])
    return rows[key.seating] if 0 <= key.seating < len(rows) else None


def first_of_session(schedule: Schedule, key: Key) -> Key:
    """Return the key of the deal that a deal's session begins with."""
    return msgspec.structs.replace(key, deal=key.deal - key.deal % schedule.session_deals)


def shard_id(schedule: Schedule, key: Key) -> str:
    """Return the name of the shard that a deal belongs to."""
    first = key.deal - key.deal % schedule.slice_deals
    return _shard_id(key.lineup, key.arrangement, key.seating, first)


def _shard_id(lineup: int, arrangement: int, seating: int, first_deal: int) -> str:
    return f"l{lineup}-a{arrangement}-s{seating}-d{first_deal}"


def _chosen(schedule: Schedule, lineup: int, slice_number: int) -> int:
    """Return the arrangement of a lineup in a slice; lineups don't all begin with the same."""
    order = turns(schedule.lineups[lineup], fixed_partners=schedule.fixed_partners)
    return order[(slice_number + lineup) % len(order)]


def totals(schedule: Schedule) -> Totals:
    """Return how much work a schedule is, without walking through it."""
    count = slices(schedule)
    cut = count * schedule.slice_deals - schedule.deals  # what the last slice lacks
    shard_count = deal_count = 0
    for number, lineup in enumerate(schedule.lineups):
        orders = arrangements(lineup)
        numbers = turns(lineup, fixed_partners=schedule.fixed_partners)
        rows = [len(seatings(orders[each])) for each in numbers]
        for turn in range(len(rows)):
            played = rows[(turn + number) % len(rows)] * len(range(turn, count, len(rows)))
            shard_count += played
            deal_count += played * schedule.slice_deals
        deal_count -= cut * rows[(count - 1 + number) % len(rows)]
    return Totals(len(schedule.lineups), shard_count, deal_count, 4 * shard_count)

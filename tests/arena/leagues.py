"""Leagues made up for the tests of ratings."""

import math
from collections.abc import Callable, Iterator

import msgspec
import numpy as np

from arena.rating_records import Interval, Ratings
from arena.records import BotEntry, DealLine, Header, Key, Limits, Result, Schedule
from arena.schedule import keys, lineups, shards

PLAYED = Result("wenz", 0, (0,), (61, 59, 0, 0), (4, 4, 0, 0), True, False, False, 0, 0)
PASSED_OUT = Result(None, None, (), (0, 0, 0, 0), (0, 0, 0, 0), None, False, False, 0, 0)

Four = tuple[int, int, int, int]
Payoffs = Callable[[int, Four], list[float]]


def header(
    bots: int,
    deals: int,
    chosen: tuple[Four, ...] | None = None,
    *,
    slice_deals: int = 1,
    session_deals: int = 1,
    commitment: str = "00",
    fixed_partners: bool = False,
) -> Header:
    return Header(
        format=1,
        league="test",
        created="2026-01-01T00:00:00Z",
        arena="0",
        protocol=1,
        rules={},
        bots=tuple(BotEntry(f"bot {number}", "1", (), "", "") for number in range(bots)),
        schedule=Schedule(
            deals, slice_deals, session_deals, chosen or lineups(bots), fixed_partners
        ),
        limits=Limits(),
        commitment=commitment,
        open=False,
        isolation="none",
    )


def deal_line(key: Key, seats: Four, payoff: Four, **changes) -> DealLine:
    line = DealLine(
        key=key,
        seats=seats,
        forehand=0,
        hands=("", "", "", ""),
        auction=(),
        stoss=(),
        plays=(),
        actions="",
        asked=(0, 0, 0, 0),
        think_us=(0, 0, 0, 0),
        faults=(),
        stood_down=(),
        result=PLAYED,
        payoff=payoff,
    )
    return msgspec.structs.replace(line, **changes) if changes else line


def league(head: Header, payoffs: Payoffs) -> list[DealLine]:
    """All deals of the schedule, with payoffs rounded so that each deal sums to zero."""
    lines = []
    for shard in shards(head.schedule):
        for key in keys(shard):
            first, second, third, _ = (round(value) for value in payoffs(key.deal, shard.seats))
            payoff = (first, second, third, -first - second - third)
            lines.append(deal_line(key, shard.seats, payoff))
    return lines


def simulated(strengths: list[float], seed: int, *, luck: float = 30, noise: float = 12) -> Payoffs:
    """Money as the model has it, with luck far larger than anything a bot does."""
    dice = np.random.default_rng(seed)
    cards: dict[int, np.ndarray] = {}

    def payoffs(deal: int, seats: Four) -> list[float]:
        if deal not in cards:
            cards[deal] = dice.normal(0, luck, 4)
        own = np.array([strengths[bot] for bot in seats])
        values = cards[deal] + own - (own.sum() - own) / 3 + dice.normal(0, noise, 4)
        return list(values - values.mean())

    return payoffs


def nothing(deal: int, seats: Four) -> list[float]:
    return [0, 0, 0, 0]


def numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from numbers(part)


def assert_finite(ratings: Ratings) -> None:
    assert all(map(math.isfinite, numbers(msgspec.to_builtins(ratings))))


def within(value: float, interval: Interval | None) -> bool:
    assert interval is not None
    return interval.low <= value <= interval.high


def strengths(ratings: Ratings) -> list[float]:
    assert all(bot.strength is not None for bot in ratings.bots)
    return [bot.strength for bot in ratings.bots if bot.strength is not None]

"""Lays ratings out as tables for people; `report` draws them as wide as there is room."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from arena.rating_records import BotRating, Interval, Pair, Ratings

_NOTHING: Final = "-"
_COUNTED: Final = ("late", "illegal", "garbled", "gone", "stood down")

Cell = tuple[str, str]
"""Text and style."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table before its width is known: a row of figures per bot or team."""

    title: str
    headers: Sequence[str]
    names: Sequence[str]
    """Of the rows, whole."""
    rows: Sequence[Sequence[Cell]]
    styles: Sequence[str]
    before: int = 0
    """So many figures stand left of the name."""
    splits: bool = False
    """Whether some columns make a table of their own where all are too wide."""

    def halves(self) -> "Iterator[Sheet]":
        """Yield the left and the right half of the columns, each with all names."""
        middle = len(self.headers) // 2
        for part in (slice(middle), slice(middle, None)):
            yield replace(self, headers=self.headers[part], rows=[row[part] for row in self.rows])


def by_rank(ratings: Ratings) -> list[int]:
    """Return the bots group by group, the largest first, best first, the unranked last."""
    groups = [bot.group for bot in ratings.bots]

    def place(bot: int) -> tuple[int, int, float, float, int]:
        row = ratings.bots[bot]
        rank = len(groups) + 1 if row.rank is None else row.rank
        strength = float("-inf") if row.strength is None else row.strength
        return -groups.count(row.group), row.group, rank, -strength, bot

    return sorted(range(len(groups)), key=place)


def sheets(ratings: Ratings) -> Iterator[Sheet]:
    """Yield standings, conduct, and between ranked bots differences and likelihoods."""
    order = by_rank(ratings)
    yield _standings(ratings, order)
    if ratings.teams:
        yield _teams(ratings)
    yield _conduct(ratings, order)
    ranked = [bot for bot in order if ratings.bots[bot].rank is not None]
    if any(ratings.pairs[row][column] is not None for row in ranked for column in ranked):
        percent = f"{ratings.league.confidence:.0%}"
        differences = f"Row minus column, points/deal ± {percent}"
        yield _crosstable(ratings, ranked, differences, _difference)
        likelihoods = "Likelihood that the row is stronger than the column, %"
        yield _crosstable(ratings, ranked, likelihoods, _superiority)


def closing(ratings: Ratings) -> list[str]:
    """Return the sentences above the warnings: what the tables rest on."""
    league = ratings.league
    passed = _number(league.passed_out_share, "{:.1%}")
    basis = (
        f"{league.complete_blocks} of {league.scheduled_blocks} blocks rated "
        f"({league.incomplete_blocks} incomplete, {league.stood_down_blocks} with a bot stood "
        f"down), {league.sessions} different sessions, {league.deals} deals, {passed} passed out."
    )
    units = (
        "Points are tariff units against three average bots. Elo is fitted to blocks. ± is half "
        f"the {league.confidence:.0%} interval from {league.resamples} resamples of the sessions. "
        "Faultless is mean/deal over the blocks without any bot's fault."
    )
    if not any(map(_unplaced, ratings.bots)):
        return [basis, units]
    return [basis, units, "In brackets: figures of bots that aren't ranked, nor compared in pairs."]


def _unplaced(bot: BotRating) -> bool:
    """Return whether a bot has figures but no place."""
    return bot.rank is None and bot.strength is not None


def _standings(ratings: Ratings, order: Sequence[int]) -> Sheet:
    percent = f"± {ratings.league.confidence:.0%}"
    bots = [ratings.bots[bot] for bot in order]
    grouped = len({bot.group for bot in ratings.bots if bot.strength is not None}) > 1
    return Sheet(
        title=f"Standings of {clean(ratings.league.name)}",
        headers=["rank", "ranks", "points/deal", percent, "Elo", percent, "mean/deal", "deals"],
        names=[clean(bot.name) for bot in bots],
        rows=[[(text, "") for text in _standing(bot, grouped=grouped)] for bot in bots],
        styles=["bold" if bot.rank == 1 else "dim" if bot.rank is None else "" for bot in bots],
        before=2,
    )


def _standing(bot: BotRating, *, grouped: bool) -> list[str]:
    figures = [
        _number(bot.strength, "{:+.3f}"),
        _half(bot.strength_interval, "{:.3f}"),
        _number(bot.elo, "{:+.0f}"),
        _half(bot.elo_interval, "{:.0f}"),
    ]
    if _unplaced(bot):
        figures = [figure if figure == _NOTHING else f"({figure})" for figure in figures]
    return [
        _rank(bot, grouped=grouped),
        _NOTHING if bot.rank_interval is None else "{}-{}".format(*bot.rank_interval),
        *figures,
        _number(bot.payoff, "{:+.3f}"),
        str(bot.deals),
    ]


def _teams(ratings: Ratings) -> Sheet:
    percent = f"± {ratings.league.confidence:.0%}"
    figures = [
        [
            _number(team.payoff, "{:+.3f}"),
            _half(team.payoff_interval, "{:.3f}"),
            _number(100 * team.won_share, "{:.1f}"),
            str(team.blocks),
            str(team.deals),
        ]
        for team in ratings.teams
    ]
    names = [" + ".join(ratings.bots[bot].name for bot in team.bots) for team in ratings.teams]
    return Sheet(
        title="Teams",
        headers=["mean/deal", percent, "blocks won %", "blocks", "deals"],
        names=[clean(name) for name in names],
        rows=[[(text, "") for text in row] for row in figures],
        styles=[""] * len(figures),
    )


def _conduct(ratings: Ratings, order: Sequence[int]) -> Sheet:
    bots = [ratings.bots[bot] for bot in order]
    counts = [
        (bot.faults.late, bot.faults.illegal, bot.faults.garbled, bot.faults.gone, bot.stood_down)
        for bot in bots
    ]
    figures = [
        [
            *map(str, count),
            _number(None if bot.complete_share is None else 100 * bot.complete_share, "{:.1f}"),
            str(bot.blocks),
            _number(bot.payoff_faultless, "{:+.3f}"),
        ]
        for bot, count in zip(bots, counts, strict=True)
    ]
    return Sheet(
        title="Conduct",
        headers=[*_COUNTED, "complete %", "blocks", "faultless"],
        names=[clean(bot.name) for bot in bots],
        rows=[[(text, "") for text in row] for row in figures],
        styles=["red" if any(count) else "" for count in counts],
    )


def _crosstable(
    ratings: Ratings, order: Sequence[int], title: str, cell: Callable[[Pair], Cell]
) -> Sheet:
    pairs = [[ratings.pairs[row][column] for column in order] for row in order]
    names = [clean(ratings.bots[bot].name) for bot in order]
    return Sheet(
        title=title,
        headers=[str(number) for number in range(1, len(order) + 1)],
        names=[f"{number} {name}" for number, name in enumerate(names, 1)],
        rows=[[(_NOTHING, "") if pair is None else cell(pair) for pair in row] for row in pairs],
        styles=[""] * len(order),
        splits=True,
    )


def _difference(pair: Pair) -> Cell:
    value = _number(pair.difference, "{:+.3f}")
    if pair.interval is None:
        return value, ""
    style = "green" if pair.interval.low > 0 else "red" if pair.interval.high < 0 else ""
    return f"{value} ± {_half(pair.interval, '{:.3f}')}", style


def _superiority(pair: Pair) -> Cell:
    """Resamples that all agree make nothing certain."""
    share = _number(None if pair.superiority is None else 100 * pair.superiority, "{:.1f}")
    return {"0.0": "<0.1", "100.0": ">99.9"}.get(share, share), ""


def _rank(bot: BotRating, *, grouped: bool) -> str:
    if bot.rank is None:
        return _NOTHING
    return f"{bot.group + 1}:{bot.rank}" if grouped else str(bot.rank)


def clean(name: str) -> str:
    """Return a name that can't move the cursor or break a line."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def _number(value: float | None, form: str) -> str:
    return _NOTHING if value is None else form.format(value)


def _half(interval: Interval | None, form: str) -> str:
    return _number(None if interval is None else (interval.high - interval.low) / 2, form)

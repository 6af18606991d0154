"""Lays ratings out as tables for people."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from arena.rating_records import BotRating, Interval, Pair, Ratings

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_NAME_WIDTH: Final = 24
"""Longer names are cut in tables, and only there."""
_TEAM_WIDTH: Final = 2 * _NAME_WIDTH + 3
_NOTHING: Final = "-"

Cell = tuple[str, str]
"""Text and style."""


def by_rank(ratings: Ratings) -> list[int]:
    """Return the bots group by group, the largest first, best first, the unranked last."""
    groups = [bot.group for bot in ratings.bots]

    def place(bot: int) -> tuple[int, int, float, float, int]:
        row = ratings.bots[bot]
        rank = len(groups) + 1 if row.rank is None else row.rank
        strength = float("-inf") if row.strength is None else row.strength
        return -groups.count(row.group), row.group, rank, -strength, bot

    return sorted(range(len(groups)), key=place)


def tables(ratings: Ratings) -> "list[Table]":
    """Return standings, conduct, differences and likelihoods of superiority."""
    order = by_rank(ratings)
    made = [_standings(ratings, order), _conduct(ratings, order)]
    if ratings.teams:
        made.insert(1, _teams(ratings))
    if any(pair is not None for row in ratings.pairs for pair in row):
        percent = f"{ratings.league.confidence:.0%}"
        differences = f"Row minus column, points/deal ± {percent}"
        made.append(_crosstable(ratings, order, differences, _difference))
        likelihoods = "Likelihood that the row is stronger than the column, %"
        made.append(_crosstable(ratings, order, likelihoods, _superiority))
    return made


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
        f"the {league.confidence:.0%} interval from {league.resamples} resamples of the sessions."
    )
    return [basis, units]


def _standings(ratings: Ratings, order: Sequence[int]) -> "Table":
    percent = f"± {ratings.league.confidence:.0%}"
    numeric = ["rank", "ranks", "points/deal", percent, "Elo", percent, "mean/deal", "deals"]
    table = _table(f"Standings of {_clean(ratings.league.name)}", numeric, 2)
    grouped = len({bot.group for bot in ratings.bots if bot.strength is not None}) > 1
    for index in order:
        bot = ratings.bots[index]
        cells = [
            _rank(bot, grouped=grouped),
            _NOTHING if bot.rank_interval is None else "{}-{}".format(*bot.rank_interval),
            _number(bot.strength, "{:+.3f}"),
            _half(bot.strength_interval, "{:.3f}"),
            _number(bot.elo, "{:+.0f}"),
            _half(bot.elo_interval, "{:.0f}"),
            _number(bot.payoff, "{:+.3f}"),
            str(bot.deals),
        ]
        style = "bold" if bot.rank == 1 else "dim" if bot.rank is None else ""
        table.add_row(*cells[:2], _name(bot.name), *cells[2:], style=style)
    return table


def _teams(ratings: Ratings) -> "Table":
    percent = f"± {ratings.league.confidence:.0%}"
    table = _table("Teams", ["mean/deal", percent, "blocks won %", "blocks", "deals"], 0)
    for team in ratings.teams:
        table.add_row(
            _name(" + ".join(ratings.bots[bot].name for bot in team.bots), _TEAM_WIDTH),
            _number(team.payoff, "{:+.3f}"),
            _half(team.payoff_interval, "{:.3f}"),
            _number(100 * team.won_share, "{:.1f}"),
            str(team.blocks),
            str(team.deals),
        )
    return table


def _conduct(ratings: Ratings, order: Sequence[int]) -> "Table":
    numeric = ["late", "illegal", "garbled", "gone", "stood down", "complete %", "blocks"]
    table = _table("Conduct", [*numeric, "mean/deal without faulty blocks"], 0)
    for index in order:
        bot = ratings.bots[index]
        faults = (bot.faults.late, bot.faults.illegal, bot.faults.garbled, bot.faults.gone)
        table.add_row(
            _name(bot.name),
            *map(str, (*faults, bot.stood_down)),
            _number(None if bot.complete_share is None else 100 * bot.complete_share, "{:.1f}"),
            str(bot.blocks),
            _number(bot.payoff_faultless, "{:+.3f}"),
            style="red" if any(faults) or bot.stood_down else "",
        )
    return table


def _crosstable(
    ratings: Ratings, order: Sequence[int], title: str, cell: Callable[[Pair], Cell]
) -> "Table":
    from rich.text import Text

    table = _table(title, [str(number) for number in range(1, len(order) + 1)], 0)
    for number, row in enumerate(order, 1):
        pairs = [ratings.pairs[row][column] for column in order]
        cells = [Text(_NOTHING) if pair is None else Text(*cell(pair)) for pair in pairs]
        table.add_row(_name(f"{number} {ratings.bots[row].name}"), *cells)
    return table


def _difference(pair: Pair) -> Cell:
    value = _number(pair.difference, "{:+.3f}")
    if pair.interval is None:
        return value, ""
    style = "green" if pair.interval.low > 0 else "red" if pair.interval.high < 0 else ""
    return f"{value} ± {_half(pair.interval, '{:.3f}')}", style


def _superiority(pair: Pair) -> Cell:
    return _number(None if pair.superiority is None else 100 * pair.superiority, "{:.1f}"), ""


def _table(title: str, numeric: Sequence[str], name_column: int) -> "Table":
    """Return a table with right-aligned columns and one of names among them."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD)
    for header in numeric[:name_column]:
        table.add_column(Text(header), justify="right", no_wrap=True)
    table.add_column(Text("bot"), overflow="fold")
    for header in numeric[name_column:]:
        table.add_column(Text(header), justify="right", no_wrap=True)
    return table


def _rank(bot: BotRating, *, grouped: bool) -> str:
    if bot.rank is None:
        return _NOTHING
    return f"{bot.group + 1}:{bot.rank}" if grouped else str(bot.rank)


def _name(name: str, width: int = _NAME_WIDTH) -> "Text":
    from rich.text import Text

    shown = Text(_clean(name))
    shown.truncate(width, overflow="ellipsis")
    return shown


def _clean(name: str) -> str:
    """Return a name that can't move the cursor or break a line."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def _number(value: float | None, form: str) -> str:
    return _NOTHING if value is None else form.format(value)


def _half(interval: Interval | None, form: str) -> str:
    return _number(None if interval is None else (interval.high - interval.low) / 2, form)

"""Shows ratings: as tables for people, as CSV for programs."""

import csv
import io
from collections.abc import Iterable
from typing import Final, TextIO

import msgspec

from arena.rating_records import BotRating, Interval, Pair, Ratings
from arena.report_tables import by_rank, closing, tables

_PIPE_WIDTH: Final = 100_000
"""Where the text goes into a file or pipe, no line is folded."""

_PAIR_COLUMNS: Final = (
    "bot",
    "other",
    "difference",
    "difference_low",
    "difference_high",
    "superiority",
)

Value = str | int | float | None


def show(ratings: Ratings, stream: TextIO) -> None:
    """Write the tables: coloured and fitted to the window on a terminal, else plain and whole.

    A letter that the stream's encoding lacks is written as a question mark.
    """
    written = _render(ratings, terminal=stream.isatty())
    encoding = stream.encoding or "utf-8"
    stream.write(written.encode(encoding, "replace").decode(encoding))


def text(ratings: Ratings) -> str:
    """Return the tables as plain text, the same wherever it is made."""
    return _render(ratings, terminal=False)


def as_csv(ratings: Ratings) -> str:
    """Return a header and one row per bot, best first; what isn't known is empty."""
    rows = [_bot_values(ratings.bots[bot]) for bot in by_rank(ratings)]
    return _csv(rows[0], rows)


def pairs_as_csv(ratings: Ratings) -> str:
    """Return a header and one row per pair of comparable bots, in both directions."""
    order = by_rank(ratings)
    rows = (
        _pair_values(ratings, first, second, pair)
        for first in order
        for second in order
        if (pair := ratings.pairs[first][second]) is not None
    )
    return _csv(_PAIR_COLUMNS, rows)


def _render(ratings: Ratings, *, terminal: bool) -> str:
    from rich.console import Console

    console = Console(
        file=io.StringIO(),
        width=None if terminal else _PIPE_WIDTH,
        force_terminal=terminal,
        no_color=None if terminal else True,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        unlimited = console.options.update(width=_PIPE_WIDTH)
        for table in tables(ratings):
            if console.measure(table, options=unlimited).minimum <= console.width:
                console.print(table)
            else:
                console.print(f"{table.title}: too wide for this window; redirect it to a file.\n")
        for line in closing(ratings):
            console.print(line, soft_wrap=not terminal)
        for line in ratings.warnings:
            console.print(f"Warning: {line}", style="yellow", soft_wrap=not terminal)
    written = captured.get()
    return written if terminal else "".join(f"{line.rstrip()}\n" for line in written.splitlines())


def _bot_values(bot: BotRating) -> dict[str, Value]:
    best, worst = bot.rank_interval or (None, None)
    return {
        "rank": bot.rank,
        "rank_best": best,
        "rank_worst": worst,
        "group": bot.group,
        "name": bot.name,
        "version": bot.version,
        "strength": bot.strength,
        **_ends("strength", bot.strength_interval),
        "elo": bot.elo,
        **_ends("elo", bot.elo_interval),
        "elo_bounded": str(bot.elo_bounded).lower(),
        "payoff": bot.payoff,
        "payoff_faultless": bot.payoff_faultless,
        "deals": bot.deals,
        "blocks": bot.blocks,
        "complete_share": bot.complete_share,
        "stood_down": bot.stood_down,
        **msgspec.structs.asdict(bot.faults),
    }


def _pair_values(ratings: Ratings, first: int, second: int, pair: Pair) -> dict[str, Value]:
    ends = _ends("difference", pair.interval).values()
    values = (pair.difference, *ends, pair.superiority)
    names = (ratings.bots[first].name, ratings.bots[second].name)
    return dict(zip(_PAIR_COLUMNS, (*names, *values), strict=True))


def _ends(name: str, interval: Interval | None) -> dict[str, Value]:
    return {
        f"{name}_low": None if interval is None else interval.low,
        f"{name}_high": None if interval is None else interval.high,
    }


def _csv(columns: Iterable[str], rows: Iterable[dict[str, Value]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, tuple(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()

"""Shows ratings: as tables for people, as CSV for programs."""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TextIO

import msgspec

from arena.rating_records import BotRating, Interval, Pair, Ratings
from arena.report_tables import Sheet, by_rank, closing, sheets

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_PIPE_WIDTH: Final = 100_000
"""Where the text goes into a file or pipe, no line is folded."""
_USUAL_WIDTH: Final = 80
_HEIGHT: Final = 25
"""Of no matter; where it is left open, some terminals' widths are not believed."""
_NAMES: Final = "bot"
"""Header of the names."""
_GOOD_NAME: Final = 24
_LEAST_NAME: Final = 8
"""Cells that names have at least, in a table with wide and with narrow gaps."""

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
    written = _render(ratings, _window(stream) if stream.isatty() else None)
    encoding = stream.encoding or "utf-8"
    stream.write(written.encode(encoding, "replace").decode(encoding))


def text(ratings: Ratings) -> str:
    """Return the tables as plain text, the same wherever it is made."""
    return _render(ratings, None)


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


def cut(names: Sequence[str], width: int) -> tuple[list[str], list[str]]:
    """Return the names in so many cells, no two alike, and the lines that explain numbered ones."""
    from rich.cells import cell_len

    short = [_middle_left_out(name, width) for name in names]
    if len(set(short)) == len(set(names)):
        return short, []
    long = {number for number, name in enumerate(names, 1) if cell_len(name) > width}
    marked = [
        _beginning(name, width, f"…{number}") if number in long else name
        for number, name in enumerate(names, 1)
    ]
    return marked, [f"…{number} is {names[number - 1]}" for number in sorted(long)]


def _middle_left_out(name: str, width: int) -> str:
    """Names that differ little mostly do so at their ends."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(name) <= width:
        return name
    end = set_cell_size(name[::-1], (width - 1) // 2)[::-1]
    return _beginning(name, width, f"…{end}")


def _beginning(name: str, width: int, ending: str) -> str:
    from rich.cells import cell_len, set_cell_size

    return set_cell_size(name, width - cell_len(ending)) + ending


def _window(stream: TextIO) -> int:
    """Return the width of a terminal, as the operator says it or as the terminal does."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH


def _render(ratings: Ratings, window: int | None) -> str:
    from rich.console import Console

    terminal = window is not None
    console = Console(
        file=io.StringIO(),
        width=window or _PIPE_WIDTH,
        height=_HEIGHT,
        force_terminal=terminal,
        no_color=None if terminal else True,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        for sheet in sheets(ratings):
            _draw(console, sheet)
        for line in closing(ratings):
            console.print(line, soft_wrap=not terminal)
        for line in ratings.warnings:
            console.print(f"Warning: {line}", style="yellow", soft_wrap=not terminal)
    written = captured.get()
    return written if terminal else "".join(f"{line.rstrip()}\n" for line in written.splitlines())


def _draw(console: "Console", sheet: Sheet) -> None:
    """Print a sheet with its names as whole as they fit, in parts where its columns don't fit."""
    from rich.cells import cell_len

    unlimited = console.options.update(width=_PIPE_WIDTH)
    longest = max(map(cell_len, sheet.names), default=0)
    for least, tight in ((_GOOD_NAME, False), (_LEAST_NAME, True)):
        nameless = _table(sheet, [""] * len(sheet.names), tight=tight)
        taken = console.measure(nameless, options=unlimited).maximum - cell_len(_NAMES)
        room = console.width - taken
        if room >= max(min(longest, least), cell_len(_NAMES)):
            names, legend = cut(sheet.names, room)
            console.print(sheet.title, style="italic")
            console.print(_table(sheet, names, tight=tight))
            if legend:
                console.print(*legend, sep="\n", end="\n\n")
            return
    if sheet.splits and len(sheet.headers) > 1:
        for half in sheet.halves():
            _draw(console, half)
    else:
        console.print(f"{sheet.title}: too wide for this window; redirect it to a file.\n")


def _table(sheet: Sheet, names: Sequence[str], *, tight: bool) -> "Table":
    """Return a table with right-aligned columns and one of names among them."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0 if tight else 1))
    before = sheet.before
    for header in sheet.headers[:before]:
        table.add_column(Text(header), justify="right", no_wrap=True)
    table.add_column(Text(_NAMES), no_wrap=True)
    for header in sheet.headers[before:]:
        table.add_column(Text(header), justify="right", no_wrap=True)
    for name, row, style in zip(names, sheet.rows, sheet.styles, strict=True):
        cells = [Text(*cell) for cell in row]
        table.add_row(*cells[:before], Text(name), *cells[before:], style=style)
    return table


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

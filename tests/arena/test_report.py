import csv
import io
import os
import pty
import re

import msgspec
import pytest

from arena.rating import rate
from arena.rating_records import Ratings
from arena.report import as_csv, pairs_as_csv, show, text
from tests.arena.leagues import header, league, nothing, simulated

LONG = "n" * 200
ODD_NAMES = ["x,y", 'quo"te', LONG, "Ödön Überzwerg", "[red]markup[/red]", "two\nlines\x1b[31m", ""]
COLOUR = "\x1b["


def named(names: list[str], strengths: list[float], deals: int = 40) -> Ratings:
    head = header(len(names), deals, slice_deals=8)
    bots = zip(head.bots, names, strict=True)
    renamed = tuple(msgspec.structs.replace(bot, name=name) for bot, name in bots)
    head = msgspec.structs.replace(head, bots=renamed)
    return rate(head, league(head, simulated(strengths, seed=1)), resamples=100)


@pytest.fixture(scope="module")
def odd() -> Ratings:
    return named(ODD_NAMES, [6, 5, 4, 3, -5, -6, -7])


@pytest.fixture(scope="module")
def plain() -> Ratings:
    return named(["ada", "bob", "cyd", "dan"], [-20, 3, 1, 16])


class Terminal(io.StringIO):
    """A stream that says it is a window."""

    def isatty(self) -> bool:
        return True


def test_json_holds_everything(odd):
    assert msgspec.json.decode(msgspec.json.encode(odd), type=Ratings) == odd


def test_json_of_nothing_rated_holds_everything():
    nobody = rate(header(4, 10), [])
    assert msgspec.json.decode(msgspec.json.encode(nobody), type=Ratings) == nobody


def test_csv_gives_back_every_name_whole_and_every_number_exactly(odd):
    rows = list(csv.DictReader(io.StringIO(as_csv(odd), newline="")))
    assert [int(row["rank"]) for row in rows] == sorted(int(row["rank"]) for row in rows)
    assert {row["name"] for row in rows} == set(ODD_NAMES)
    by_name = {row["name"]: row for row in rows}
    for bot in odd.bots:
        row = by_name[bot.name]
        assert bot.strength_interval is not None
        assert float(row["strength"]) == bot.strength
        assert float(row["strength_low"]) == bot.strength_interval.low
        assert float(row["elo"]) == bot.elo
        assert (int(row["deals"]), int(row["late"])) == (bot.deals, bot.faults.late)


def test_csv_leaves_empty_what_is_not_known():
    rows = list(csv.DictReader(io.StringIO(as_csv(rate(header(4, 10), [])))))
    assert [row["strength"] + row["elo_high"] + row["rank"] for row in rows] == [""] * 4


def test_pairs_csv_has_every_pair_both_ways(odd):
    rows = list(csv.DictReader(io.StringIO(pairs_as_csv(odd), newline="")))
    assert len(rows) == 7 * 6
    difference = {(row["bot"], row["other"]): float(row["difference"]) for row in rows}
    likely = {(row["bot"], row["other"]): float(row["superiority"]) for row in rows}
    for pair, value in difference.items():
        assert difference[pair[::-1]] == -value
        assert likely[pair[::-1]] == pytest.approx(1 - likely[pair])


def test_pairs_csv_without_pairs_has_its_header():
    assert pairs_as_csv(rate(header(4, 10), [])).startswith("bot,other,difference,")


def test_text_shows_ranks_units_and_differences(plain):
    shown = text(plain)
    standings = shown[: shown.index("Conduct")]
    for unit in ("points/deal", "± 95%", "Elo", "mean/deal", "deals"):
        assert unit in standings
    assert re.findall(r"^ +(\d) .*(ada|bob|cyd|dan)", standings, re.MULTILINE) == [
        ("1", "dan"),
        ("2", "bob"),
        ("3", "cyd"),
        ("4", "ada"),
    ]
    best, worst = plain.bots[3].strength, plain.bots[0].strength
    assert best is not None
    assert worst is not None
    assert f"{best - worst:+.3f} ± " in shown
    assert "100.0" in shown[shown.index("Likelihood") :]


def test_text_cuts_long_names_and_defuses_odd_ones(odd):
    shown = text(odd)
    assert LONG not in shown
    assert "n" * 20 in shown
    assert "…" in shown
    assert "[red]markup[/red]" in shown
    assert "two?lines?[31m" in shown
    assert COLOUR not in shown


def test_text_says_every_warning_on_a_line_of_its_own():
    ratings = named(["ada", "bob", LONG, "dan", "eve"], [9, 1, 0, 0, 0], deals=8)
    lines = text(ratings).splitlines()
    assert ratings.warnings
    for warning in ratings.warnings:
        assert f"Warning: {warning}" in lines


@pytest.mark.parametrize("bots", [1, 2, 4])
def test_text_of_leagues_without_a_verdict_has_a_row_per_bot(bots):
    head = header(bots, 3)
    for lines in ([], league(head, nothing)):
        shown = text(rate(head, lines))
        assert all(shown.count(bot.name) >= 2 for bot in head.bots)
        assert "nan" not in shown


def test_bots_that_cannot_be_compared_are_ranked_in_their_groups():
    head = header(8, 4, ((0, 1, 2, 3), (4, 5, 6, 7)))
    shown = text(rate(head, league(head, simulated([8, 0, 0, -8, 0, 9, 0, -9], seed=2))))
    assert re.search(r"1:1 .*bot 0", shown)
    assert re.search(r"2:1 .*bot 5", shown)


def test_what_is_piped_is_the_text_whatever_the_surroundings(plain, monkeypatch):
    expected = text(plain)
    for name, value in [("COLUMNS", "20"), ("FORCE_COLOR", "1"), ("TERM", "xterm-256color")]:
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    show(plain, stream)
    assert stream.getvalue() == expected
    assert all(line == line.rstrip() for line in expected.splitlines())


def test_letters_that_a_stream_lacks_do_not_stop_the_report(odd):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    show(odd, stream)
    stream.flush()
    assert b"?d?n ?berzwerg" in raw.getvalue()


def test_a_terminal_gets_colour_unless_it_wants_none(plain, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, without = Terminal(), Terminal()
    show(plain, coloured)
    assert "\x1b[32m" in coloured.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    show(plain, without)
    assert "\x1b[32m" not in without.getvalue()


def test_a_narrow_terminal_gets_no_broken_table(odd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    stream = Terminal()
    show(odd, stream)
    assert "too wide for this window" in stream.getvalue()
    visible = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert max(map(len, visible.splitlines())) <= 100


def test_a_real_terminal_is_written_to(plain, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    outer, inner = pty.openpty()
    with os.fdopen(inner, "w", encoding="utf-8") as stream:
        show(plain, stream)
        stream.flush()
        shown = os.read(outer, 1 << 16).decode(errors="replace")
    os.close(outer)
    assert "Standings of test" in shown

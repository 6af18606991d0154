import csv
import io
import os
import pty
import re

import msgspec
import pytest

from arena.rating import rate
from arena.rating_records import Ratings
from arena.report import as_csv, cut, pairs_as_csv, show, text
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
    likelihoods = shown[shown.index("Likelihood") :]
    assert likelihoods.startswith("Likelihood that the row is stronger than the column, %\n")
    assert ">99.9" in likelihoods
    assert "<0.1" in likelihoods
    assert not re.search(r" 100\.0| 0\.0 ", likelihoods), "nothing is that certain"


def test_text_has_names_whole_and_defuses_odd_ones(odd):
    shown = text(odd)
    assert shown.count(LONG) == 4
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


def windowed(ratings: Ratings, columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a window of this width shows."""
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    show(ratings, stream)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()
    assert max(map(len, lines)) <= columns
    return lines


@pytest.mark.parametrize("columns", [80, 100, 140])
@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_tables_keep_to_the_window(odd, columns, term, monkeypatch):
    monkeypatch.setenv("TERM", term)
    lines = windowed(odd, columns, monkeypatch)
    assert not [line for line in lines if "too wide" in line]
    for number in range(1, 8):
        heads = [line.split()[1:] for line in lines if line.split()[:1] == ["bot"]]
        assert any(str(number) in head for head in heads), "a pair's column"


def test_a_window_that_is_far_too_narrow_gets_no_broken_table(odd, monkeypatch):
    assert "too wide for this window" in " ".join(windowed(odd, 40, monkeypatch))


@pytest.mark.parametrize("columns", [80, 100, 140, 200])
def test_names_that_differ_anywhere_stay_distinct(columns, monkeypatch):
    names = [f"{'a' * 40}{middle}{'z' * 40}{end}" for middle in "12" for end in "34"]
    lines = windowed(named(names, [20, 10, -10, -20], deals=10), columns, monkeypatch)
    top = lines[4:8]
    assert len({line.split()[2] for line in top}) == 4
    explained = [line for line in lines if " is aaa" in line]
    assert all("".join(lines).count(f"{line.split()[0]} ") > 1 for line in explained)


CUTS = [
    (["ada", "bob"], 3, ["ada", "bob"], [], "they fit"),
    (["depth-1", "depth-2"], 5, ["de…-1", "de…-2"], [], "the ends differ"),
    (["ab-1-yz", "ab-2-yz"], 5, ["ab-…1", "ab-…2"], ["…1 is ab-1-yz", "…2 is ab-2-yz"], "middles"),
    (["Ödön", "ab-2-yz"], 5, ["Ödön", "ab…yz"], [], "only what is too long is cut"),
    (["漢字漢字漢字", "x"], 6, ["漢 …字", "x"], [], "wide letters take two cells"),
]


@pytest.mark.parametrize(("names", "width", "short", "legend", "because"), CUTS)
def test_how_names_are_cut(names, width, short, legend, because):
    assert cut(names, width) == (short, legend), because


def test_who_is_not_ranked_is_marked_and_compared_with_nobody():
    head = header(5, 40, slice_deals=8)
    lines = [
        msgspec.structs.replace(line, stood_down=(line.seats.index(4),))
        if 4 in line.seats and line.key.deal % 2
        else line
        for line in league(head, simulated([3, 2, 1, 0, 9], seed=1))
    ]
    ratings = rate(head, lines, resamples=100)
    unranked = ratings.bots[4]
    assert unranked.rank is None
    assert unranked.elo is not None
    shown = text(ratings)
    assert f"({unranked.elo:+.0f})" in shown
    assert "In brackets: figures of bots that aren't ranked" in shown
    assert "bot 4" not in shown[shown.index("Row minus column") : shown.index("blocks rated")]
    assert "In brackets" not in text(named(["a", "b", "c", "d"], [3, 2, 1, 0]))


def test_a_real_terminal_is_written_to(plain, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    outer, inner = pty.openpty()
    with os.fdopen(inner, "w", encoding="utf-8") as stream:
        show(plain, stream)
        stream.flush()
        shown = os.read(outer, 1 << 16).decode(errors="replace")
    os.close(outer)
    assert "Standings of test" in shown

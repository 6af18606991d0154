"""The league file: what is wrong is said before anything starts."""

import sys
from pathlib import Path

import pytest

from arena.config import BotSpec, League, load
from arena.errors import OperatorError
from arena.records import Limits

PYTHON = sys.executable


def registered(name: str) -> BotSpec:
    """A register that knows numbered bots."""
    if not name.startswith("r"):
        raise OperatorError(f"no bot {name!r} is registered")
    return BotSpec(name=name, version="3", command=(PYTHON, "-V"), folder="/")


def league_of(folder: Path, text: str) -> League:
    path = folder / "league.toml"
    path.write_text(text, encoding="utf-8")
    return load(path, registered)


def test_a_short_file_is_enough(tmp_path: Path) -> None:
    league = league_of(tmp_path, 'name = "small"\nbots = ["r1", "r2"]\ndeals = 240\n')
    assert league.rules == "online"
    assert [bot.version for bot in league.bots] == ["3", "3"]
    assert league.schedule.lineups == ((0, 0, 1, 1),)
    assert league.schedule.deals == 240
    assert league.schedule.session_deals == 1
    assert league.limits == Limits()
    assert (league.secret, league.workers, league.pin) == (None, None, True)


def test_everything_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "böt dir").mkdir()
    (tmp_path / "böt dir" / "play.sh").write_text("#!/bin/sh\n")
    (tmp_path / "böt dir" / "play.sh").chmod(0o755)
    (tmp_path / "house.toml").touch()
    league = league_of(
        tmp_path,
        f"""
        name = "Öd: a/b, c"
        rules = "./house.toml"
        deals = 60
        slice_deals = 30
        session_deals = 10
        lineups = 2
        workers = 3
        seed = "{"0f" * 32}"
        pin = false
        bots = ["r1", "r2", {{ name = "Ödön 1", version = "2.0", command = ["./play.sh", "-x"],
                               folder = "böt dir" }}]
        [limits]
        decision_ms = 50
        """.replace(",\n                ", ", "),
    )
    assert league.name == "Öd: a/b, c"
    assert league.rules == str(tmp_path / "house.toml")
    assert league.bots[2].folder == str(tmp_path / "böt dir")
    assert league.bots[2].command == ("./play.sh", "-x")
    assert (league.schedule.slice_deals, league.schedule.session_deals) == (30, 10)
    assert len(league.schedule.lineups) == 2
    assert league.limits == Limits(decision_ms=50)
    assert league.secret == b"\x0f" * 32
    assert (league.workers, league.pin) == (3, False)


def test_relative_places_are_relative_to_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "leagues" / "bot").mkdir(parents=True)
    text = f'name="l"\ndeals=1\nbots=[{{name="b",command=["{PYTHON}"],folder="bot"}}]\n'
    (tmp_path / "leagues" / "l.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    league = load(Path("leagues/l.toml"), registered)
    assert league.bots[0].folder == str(tmp_path / "leagues" / "bot")
    assert league.path == tmp_path / "leagues" / "l.toml"


USUAL_SLICES = [
    # deals    session  slice  because
    (100, 1, 60, "four launches want some deals to be worth it"),
    (1_200, 1, 200, "a slice for each of six arrangements"),
    (1_000_000, 1, 600, "something shows early in a long league"),
    (1_400, 7, 231, "whole sessions only"),
    (5_000, 500, 500, "a long session is a slice of its own"),
]


@pytest.mark.parametrize(("deals", "session", "slice_deals", "because"), USUAL_SLICES)
def test_usual_slices(
    tmp_path: Path, deals: int, session: int, slice_deals: int, because: str
) -> None:
    text = f'name="l"\nbots=["r1"]\ndeals={deals}\nsession_deals={session}\n'
    assert league_of(tmp_path, text).schedule.slice_deals == slice_deals, because


GOOD = 'name = "l"\nbots = ["r1", "r2"]\ndeals = 240\n'
BOT = f'name = "b"\ncommand = ["{PYTHON}"]\n'
WRONG = [
    (GOOD + "deal = 3", ["'deal'", "did you mean 'deals'?"], "a slip in a key"),
    (GOOD + "colour = 3", ["'colour'", "allowed are", "slice_deals"], "a key of no use"),
    (GOOD + "[limits]\nstrike = 3", ["'limits.strike'", "'strikes'"], "a slip in a table"),
    (GOOD + "[journal]\nsend = true", ["'journal.send'", "'sent'"], "a slip in another table"),
    (GOOD + "[limits]\ndecision_ms = 0", ["limits.decision_ms", ">= 1"], "out of range"),
    (GOOD + "[limits]\nmax_batch = 257", ["limits.max_batch", "<= 256"], "out of range above"),
    (GOOD + "limits = 3", ["limits", "object"], "a value for a table"),
    (GOOD + "workers = 0", ["workers", ">= 1"], "nobody to work"),
    (GOOD + 'workers = "2"', ["workers", "int"], "a number in quotes"),
    (GOOD + "slice_deals = true", ["slice_deals", "int"], "true is no number"),
    (GOOD + "slice_deals = 60.0", ["slice_deals", "int"], "nor is a fraction"),
    (GOOD + "lineups = 0", ["lineups", ">= 1"], "no lineups"),
    (GOOD + 'seed = "abc"', ["seed", "64 hexadecimal digits"], "too short to be a secret"),
    (GOOD + f'seed = "{"0" * 64}\\n"', ["seed", "64 hexadecimal"], "a line feed too many"),
    (GOOD + 'rules = "./gone.toml"', ["rules", "gone.toml"], "no such rule set"),
    (GOOD + "session_deals = 7", ["deals = 240", "multiple", "238", "245"], "a cut session"),
    (
        GOOD + "session_deals = 4\nslice_deals = 6",
        ["slice_deals = 6", "multiple", "4", "8"],
        "a shard would cut a session",
    ),
    ('bots = ["r1"]\ndeals = 3', ["missing key 'name'"], "no name"),
    ('name = "l"\nbots = []\ndeals = 3', ["bots", ">= 1"], "nobody plays"),
    ('name = " l"\nbots = ["r1"]\ndeals = 3', ["name", "spaces at its ends"], "a blank name"),
    ('name = "a\\u001b"\nbots = ["r1"]\ndeals = 3', ["name", "control"], "it would reach screens"),
    ('name = "\\u202e"\nbots = ["r1"]\ndeals = 3', ["name", "control"], "it would turn the line"),
    (
        f'name = "l"\ndeals = 1\n[[bots]]\ncommand = ["{PYTHON}"]\nname = "\\u00a0"',
        ["bots[0].name", "spaces at its ends"],
        "a bot that nobody could see",
    ),
    (
        f'name = "l"\ndeals = 1\n[[bots]]\n{BOT}version = ""',
        ["bots[0].version", "0 characters"],
        "no version",
    ),
    ('name = "l"\nbots = ["r1"]\ndeals = 0', ["deals", ">= 1"], "nothing to play"),
    ('name = "l"\nbots = ["r1", "r1"]\ndeals = 1', ["bots[0]", "bots[1]", "'r1'"], "namesakes"),
    ('name = "l"\nbots = ["x"]\ndeals = 1', ["bots[0]: ", "'x'", "registered"], "nobody"),
    ('name = "l"\nbots = [3]\ndeals = 1', ["bots[", "int"], "a bot is no number"),
    (
        f'name = "l"\ndeals = 1\n[[bots]]\n{BOT}vresion = "1"',
        ["bots[0].vresion", "'version'"],
        "slip",
    ),
    (f'name = "l"\ndeals = 1\n[[bots]]\n{BOT}folder = "x"', ["bots[0]", "no ", "/x"], "no folder"),
    (
        'name="l"\ndeals=1\n[[bots]]\nname="b"\ncommand=[]',
        ["bots[", "command", ">= 1"],
        "no command",
    ),
    (
        'name="l"\ndeals=1\n[[bots]]\nname="b"\ncommand=["./gone"]',
        ["bots[0] (b): command", "gone", "no executable program"],
        "a program that isn't there must not become a league of faults",
    ),
    (
        'name="l"\ndeals=1\n[[bots]]\nname="b"\ncommand=["no-such-program"]',
        ["no-such-program", "on PATH"],
        "neither on PATH",
    ),
    ('name = "l\nbots', ["no TOML", "line 1"], "a quote left open"),
    (GOOD + "workers = " + "9" * 5000, ["no TOML", "digits"], "a number beyond all bounds"),
    (GOOD + "workers = " + "[" * 500, ["nests", "too deep"], "arrays in arrays"),
    (GOOD + "limits" + ".a" * 5000 + " = 1", ["nests", "too deep"], "tables in tables"),
    (GOOD + 'rules = "./a\\u0000"', ["rules", "can't be used"], "a path with a zero byte"),
    (GOOD + 'rules = "~nobodyy/x"', ["rules", "can't be used"], "a home that nobody has"),
    (GOOD + 'rules = "/"', ["rules", "no file"], "a folder for a file"),
    (
        f'name = "l"\ndeals = 1\n[[bots]]\n{BOT}folder = "{"x" * 300}"',
        ["bots[0] (b): folder", "can't be used"],
        "a name that no folder can have",
    ),
    (
        f'name = "l"\ndeals = 1\n[[bots]]\n{BOT}folder = "league.toml"',
        ["bots[0] (b): folder", "no folder"],
        "a file for a folder",
    ),
]


@pytest.mark.parametrize(("text", "said", "because"), WRONG, ids=[row[2] for row in WRONG])
def test_what_is_wrong_is_said(tmp_path: Path, text: str, said: list[str], because: str) -> None:
    with pytest.raises(OperatorError) as refused:
        league_of(tmp_path, text)
    message = str(refused.value)
    for words in said:
        assert words in message, because
    assert "league.toml" in message, "the file is named"


def test_names_that_only_look_different_are_the_same(tmp_path: Path) -> None:
    bots = ", ".join(f'{{name="{name}",command=["{PYTHON}"]}}' for name in ("ö", "o\u0308"))
    with pytest.raises(OperatorError, match="both called"):
        league_of(tmp_path, f'name="l"\ndeals=1\nbots=[{bots}]')


def test_many_lineups_must_be_asked_for(tmp_path: Path) -> None:
    bots = ", ".join(f'"r{number}"' for number in range(13))
    text = f'name="l"\ndeals=120\nbots=[{bots}]\n'
    with pytest.raises(OperatorError, match="715 lineups"):
        league_of(tmp_path, text)
    assert len(league_of(tmp_path, text + "lineups = 40").schedule.lineups) == 40


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="cannot read"):
        load(tmp_path / "gone.toml", registered)
    with pytest.raises(OperatorError, match="cannot read"):
        load(tmp_path, registered)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xf6"')
    with pytest.raises(OperatorError, match="UTF-8"):
        load(tmp_path / "latin.toml", registered)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(GOOD.replace("\n", "\r\n"), encoding="utf-8-sig")
    assert load(tmp_path / "league.toml", registered).name == "l"


def test_a_bug_is_not_taken_for_a_wrong_file(tmp_path: Path) -> None:
    def mistaken(name: str) -> BotSpec:
        raise ValueError(name)

    (tmp_path / "league.toml").write_text(GOOD)
    with pytest.raises(ValueError, match=r"^r1$"):
        load(tmp_path / "league.toml", mistaken)

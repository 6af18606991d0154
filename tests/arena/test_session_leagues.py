"""Whole leagues by rules that carry something on, or have partners: real bots, real kills."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.arena.runs import (
    ROOT,
    arena,
    bot,
    deals,
    footer,
    incidents,
    journal_lines,
    left_over,
    running,
    until,
    write_league,
)

RULES = {
    "stock.toml": """
        base = "sauspiel"
        auction.pass_out = "next_deal"
        session.stock = 10
        session.bock_deals = 2
        session.bock_after = ["pass_out", "schneider"]
    """,
    "strokes.toml": """
        base = "deutscher"
        session.schafkopf_strokes = 4
    """,
    "sauspiel": "",
}
SAMPLES = str(ROOT / "sample_bots" / "python")


def write_rules(folder: Path, name: str) -> str:
    """Write a rule-set file, if it is one, and return what a league calls it."""
    if not RULES[name]:
        return name
    lines = [line.strip() for line in RULES[name].strip().splitlines()]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return name


def sample(program: str, number: int) -> dict[str, object]:
    command = [sys.executable, f"{program}_bot.py"]
    return {"name": f"{program} {number}", "command": command, "folder": SAMPLES}


def assert_whole_sessions(folder: Path, span: int) -> None:
    """Every session stands in one piece, and none twice."""
    lines = deals(folder)
    assert len({line.key for line in lines}) == len(lines)
    for start in range(0, len(lines), span):
        keys = [line.key for line in lines[start : start + span]]
        assert len({key.session for key in keys}) == 1
        assert [key.deal % span for key in keys] == list(range(span))


@pytest.mark.parametrize("rules", ["stock.toml", "strokes.toml"])
def test_a_killed_league_replays_its_torn_sessions_whole(rules: str, tmp_path: Path) -> None:
    span, many = 8, 192
    file = write_league(
        tmp_path / "league.toml",
        bots=[bot("one"), bot("other")],
        rules=write_rules(tmp_path, rules),
        deals=many,
        slice_deals=48,
        session_deals=span,
    )
    folder = tmp_path / "league"
    for _ in range(2):
        with running("run", file) as run:
            before = journal_lines(folder)
            until(lambda before=before: journal_lines(folder) > before + 2 * span)
            run.kill()
            run.wait()
        until(lambda: not left_over(folder))
    finished = arena("run", file)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert footer(folder).missing == ()
    assert [each.incident for each in incidents(folder)].count("resumed") == 2
    assert_whole_sessions(folder, span)
    verified = arena("log", "verify", file)
    assert (verified.returncode, verified.stderr) == (0, "")


LEAGUES: list[tuple[str, dict[str, Any], int]] = [
    ("sauspiel", {"deals": 24, "slice_deals": 8}, 4 * 24),
    ("strokes.toml", {"deals": 24, "slice_deals": 8, "session_deals": 8}, 4 * 24),
]


@pytest.mark.parametrize(("rules", "keys", "count"), LEAGUES, ids=[row[0] for row in LEAGUES])
def test_sample_bots_play_by_all_kinds_of_rules(
    rules: str, keys: dict[str, Any], count: int, tmp_path: Path
) -> None:
    bots: list[object] = [sample("rule", n) for n in (1, 2)] + [sample("random", n) for n in (3, 4)]
    rules = write_rules(tmp_path, rules)
    file = write_league(tmp_path / "league.toml", bots=bots, rules=rules, **keys)
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    assert f"{count} deals played, 0 faults" in run.stdout
    verified = arena("log", "verify", file)
    assert (verified.returncode, verified.stderr) == (0, "")
    rated = json.loads(arena("ratings", file, "--json").stdout)
    assert rated["league"]["complete_blocks"] == count // 4 // keys.get("session_deals", 1)
    shown = arena("log", "show", file).stdout
    if rules == "sauspiel":
        assert rated["teams"] == []
        assert "\n  klopfen " in shown
    else:
        assert len(rated["teams"]) == 6, "all three pairings"
        assert all(each["strength"] is not None for each in rated["bots"])
        assert "  carried strokes " in shown


def test_rules_that_carry_need_sessions(tmp_path: Path) -> None:
    rules = write_rules(tmp_path, "stock.toml")
    file = write_league(tmp_path / "league.toml", bots=[bot("one")], rules=rules)
    refused = arena("run", file)
    assert refused.returncode == 2
    assert "set session_deals" in refused.stderr
    assert not (tmp_path / "league").exists()


DRY: list[tuple[str, dict[str, int], str]] = [
    ("deutscher", {"deals": 60, "slice_deals": 30}, "set slice_deals to 20 at most"),
    ("deutscher", {"deals": 2, "slice_deals": 1}, "play more deals"),
    ("deutscher", {"deals": 60, "slice_deals": 20}, ""),
    ("online", {"deals": 60, "slice_deals": 60}, ""),
]


@pytest.mark.parametrize(("rules", "keys", "said"), DRY)
def test_a_dry_run_warns_of_missing_pairings(
    rules: str, keys: dict[str, int], said: str, tmp_path: Path
) -> None:
    bots: list[object] = [bot(f"bot {number}") for number in range(4)]
    file = write_league(tmp_path / "league.toml", bots=bots, rules=rules, **keys)
    told = arena("run", file, "--dry-run")
    assert (told.returncode, told.stderr) == (0, "")
    assert ("only teams can be compared" in told.stdout) is bool(said)
    assert said in told.stdout

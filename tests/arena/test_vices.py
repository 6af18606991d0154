"""Leagues with one bad bot: its seat alone is blamed, every deal is played, nothing is left."""

from pathlib import Path
from typing import Any

import pytest

from tests.arena.runs import arena, bot, deals, faults, footer, incidents, left_over, write_league

BAD_SEAT = 1
DEALS = 6
GENEROUS = {"startup_ms": 20_000, "decision_ms": 1000, "strikes": 1000}

VICES: list[tuple[str, dict[str, int], set[str], bool, str]] = [
    ("none", {}, set(), False, "no vice, no fault"),
    ("never_connects", {"startup_ms": 3000}, set(), True, "it has its start-up time, twice"),
    ("silent", {"startup_ms": 3000}, set(), True, "a stream without hello is no start"),
    ("garbage_first", {}, set(), True, "a hello that can't be read"),
    ("wrong_token", {}, set(), True, "it is refused"),
    ("fails", {}, set(), True, "it ends before it connects"),
    ("mute --at 2", {}, {"late"}, False, "one silence costs one ask"),
    ("mute", {"strikes": 1}, {"late"}, True, "silence for good"),
    ("slow --at 2", {}, {"late"}, False, "three seconds are too long; the answer is dropped"),
    ("twice --at 2", {}, set(), False, "a duplicate spoils no deal"),
    ("twice", {"strikes": 2}, {"garbled"}, True, "but it is a strike, each time"),
    ("old --at 2", {}, set(), False, "an answer to an older ask is dropped"),
    ("old", {"strikes": 2}, {"garbled"}, True, "but it is a strike, each time"),
    ("half --at 2", {}, {"garbled"}, False, "half a batch is none"),
    ("illegal --at 2", {}, {"illegal"}, False, "a card it doesn't hold"),
    ("unknown", {"strikes": 2}, {"illegal"}, True, "action 200, always"),
    ("garbage --at 2", {}, {"garbled"}, False, "bytes that are no message"),
    ("huge --at 2", {"strikes": 0}, {"gone", "late"}, True, "a hundred megabytes end the stream"),
    ("answer_flood --at 2", {"strikes": 50}, {"garbled"}, True, "a hundred thousand answers"),
    ("floods --at 2", {}, set(), False, "printing is no fault"),
    ("closes --at 2", {}, {"gone"}, True, "four times: it does so after each relaunch"),
    ("crashes --at 2", {}, {"gone"}, True, "four times"),
    ("crashes --at 3", {"strikes": 0}, {"gone"}, True, "past the strikes there is no relaunch"),
    ("exits --at 2", {}, {"gone"}, True, "leaving politely is leaving"),
    ("stops --at 2", {"strikes": 0}, {"late"}, True, "a frozen process is late, and killed"),
    ("children", {}, set(), False, "its stubborn children end with it"),
    ("deaf", {}, set(), False, "SIGTERM isn't the last word"),
]


@pytest.mark.parametrize(
    ("vice", "limits", "kinds", "stood_down", "because"), VICES, ids=[row[0] for row in VICES]
)
def test_a_bad_bot(
    vice: str,
    limits: dict[str, int],
    kinds: set[str],
    stood_down: bool,
    because: str,
    tmp_path: Path,
) -> None:
    words: Any = ["--only-seat", BAD_SEAT, "--max-batch", 2, "--vice", *vice.split()]
    file = write_league(
        tmp_path / "league.toml",
        bots=[bot("scripted", *words)],
        limits=GENEROUS | limits,
        deals=DEALS,
    )
    folder = tmp_path / "league"
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    assert not left_over(folder), because
    lines = deals(folder)
    assert len(lines) == DEALS
    assert footer(folder).missing == ()
    found = faults(lines)
    assert {seat for seat, _ in found} <= {BAD_SEAT}
    assert {kind for _, kind in found} <= kinds, because
    assert bool(found) == bool(kinds), because
    assert {line.stood_down for line in lines} <= {(), (BAD_SEAT,)}
    assert [incident.incident for incident in incidents(folder)] == ["bot_failed"] * stood_down
    assert any(line.stood_down for line in lines) == stood_down, because
    verified = arena("log", "verify", folder)
    assert verified.returncode == 0, verified.stderr


@pytest.mark.parametrize(
    ("vice", "said"),
    [
        ("fails", "failed to start: exit status 1; its last lines:\nno model file\nfatal: giving"),
        ("wrong_token", "unknown token: use ARENA_TOKEN, and only once"),
        ("crashes --at 1", "an error that nobody foresaw"),
    ],
)
def test_the_operator_is_told_what_a_bot_said_last(vice: str, said: str, tmp_path: Path) -> None:
    words: Any = ["--only-seat", BAD_SEAT, "--vice", *vice.split()]
    file = write_league(tmp_path / "league.toml", bots=[bot("Bad, bad bot", *words)])
    assert arena("run", file).returncode == 0
    (incident,) = incidents(tmp_path / "league")
    assert (incident.bot, incident.shard) == ("Bad, bad bot", "l0-a0-s0-d0")
    assert said in incident.detail
    status = arena("status", file)
    assert "warning  Bad, bad bot: " in status.stdout


def test_a_bot_that_failed_to_start_is_reported_before_the_first_deal(tmp_path: Path) -> None:
    file = write_league(
        tmp_path / "league.toml", bots=[bot("b", "--only-seat", 3, "--vice", "fails")]
    )
    assert arena("run", file).returncode == 0
    kinds = [
        line.split(b'"kind":"')[1].split(b'"')[0].decode()
        for line in (tmp_path / "league" / "journal.jsonl").read_bytes().splitlines()
    ]
    assert kinds == ["header", "incident", *["deal"] * 6, "footer"]


def test_only_the_culprit_hears_of_its_faults(tmp_path: Path) -> None:
    """What the bots print ends in files of their own, by bot, worker and seat."""
    file = write_league(
        tmp_path / "league.toml", bots=[bot("b", "--only-seat", 1, "--vice", "illegal", "--at", 1)]
    )
    assert arena("run", file).returncode == 0
    outputs = {
        path.name: path.read_text(encoding="utf-8")
        for path in (tmp_path / "league" / "logs" / "bots").iterdir()
    }
    told = {name for name, text in outputs.items() if "FAULT_KIND_ILLEGAL" in text}
    assert told == {"bot0-worker0-seat1.log"}
    assert outputs["bot0-worker0-seat1.log"].count("fault {") == 1


def test_four_bad_bots_end_a_league_too(tmp_path: Path) -> None:
    file = write_league(
        tmp_path / "league.toml", bots=[bot("bad", "--vice", "fails")], deals=2000, slice_deals=2000
    )
    run = arena("run", file)
    assert run.returncode == 0
    lines = deals(tmp_path / "league")
    assert len(lines) == 2000
    assert {line.stood_down for line in lines} == {(0, 1, 2, 3)}
    assert len(incidents(tmp_path / "league")) == 4
    assert not left_over(tmp_path / "league")

"""Leagues with bad bots: they alone are blamed, every deal is played, no process is left."""

from pathlib import Path
from typing import NamedTuple

import pytest

from arena.verify import Status, verify
from tests.arena.runs import arena, bot, deals, faults, footer, incidents, left_over, write_league

DEALS = 8
PATIENT = {"startup_ms": 60_000, "decision_ms": 10_000, "strikes": 1000}
TO_BE_LATE = {"decision_ms": 5000}
"""Ample for the good ones, and not for ever for who is waited for."""
STRICT = PATIENT | {"strikes": 2}
AT_ONCE = PATIENT | {"strikes": 0}
HURRIED = AT_ONCE | TO_BE_LATE | {"startup_ms": 8000}


class Bad(NamedTuple):
    vice: str
    kinds: set[str]
    """The faults that the journal must tell of, all of them and no others."""
    because: str
    stood_down: bool = False


Three = tuple[Bad, Bad, Bad]

TABLES: list[tuple[dict[str, int], Three]] = [
    (
        PATIENT | TO_BE_LATE,
        (
            Bad("mute --at 2", {"late"}, "one silence costs one ask"),
            Bad("half --at 2", {"garbled"}, "half a batch is none"),
            Bad("illegal --at 2", {"illegal"}, "cards that it doesn't hold"),
        ),
    ),
    (
        PATIENT | TO_BE_LATE,
        (
            Bad("slow --at 2", {"late"}, "too slow, and its answer is dropped when it comes"),
            Bad("garbage --at 2", {"garbled"}, "bytes that are no message"),
            Bad("floods --at 2", set(), "printing is no fault"),
        ),
    ),
    (
        PATIENT,
        (
            Bad("twice --at 2", set(), "a duplicate is a strike, but spoils no deal"),
            Bad("old --at 2", set(), "so is an answer to an older ask"),
            Bad("children", set(), "its stubborn children end with it"),
        ),
    ),
    (
        PATIENT,
        (
            Bad("closes --at 2", {"gone"}, "it does so again after each relaunch", True),
            Bad("crashes --at 2", {"gone"}, "four times", True),
            Bad("huge --at 2", {"gone"}, "a hundred megabytes end the stream", True),
        ),
    ),
    (
        PATIENT,
        (
            Bad("garbage_first", set(), "a hello that can't be read", True),
            Bad("wrong_token", set(), "it is refused", True),
            Bad("fails", set(), "it ends before it connects", True),
        ),
    ),
    (
        STRICT,
        (
            Bad("twice", {"garbled"}, "a strike for each duplicate", True),
            Bad("old", {"garbled"}, "a strike for each old answer", True),
            Bad("unknown", {"illegal"}, "action 200, always", True),
        ),
    ),
    (
        AT_ONCE | TO_BE_LATE,
        (
            Bad("exits --at 2", {"gone"}, "leaving politely is leaving", True),
            Bad("stops --at 2", {"late"}, "a frozen process is late, and killed", True),
            Bad("crashes --at 3", {"gone"}, "past the strikes there is no relaunch", True),
        ),
    ),
    (
        STRICT,
        (
            Bad("answer_flood --at 2", {"garbled"}, "a hundred thousand answers", True),
            Bad("deaf", set(), "SIGTERM isn't the last word"),
            Bad("none", set(), "no vice, no fault"),
        ),
    ),
    (
        HURRIED,
        (
            Bad("never_connects", set(), "it has its start-up time, twice", True),
            Bad("silent", set(), "a stream without hello is no start", True),
            Bad("mute", {"late"}, "silence for good", True),
        ),
    ),
]


@pytest.mark.parametrize(
    ("limits", "bad"), TABLES, ids=[", ".join(each.vice for each in row[1]) for row in TABLES]
)
def test_three_bad_bots_and_a_good_one(limits: dict[str, int], bad: Three, tmp_path: Path) -> None:
    vices = [f"{seat}={each.vice}" for seat, each in enumerate(bad, start=1)]
    words = [word for vice in vices for word in ("--vice-of-seat", vice)]
    file = write_league(
        tmp_path / "league.toml",
        bots=[bot("scripted", "--max-batch", 2, *words)],
        limits=limits,
        deals=DEALS,
    )
    folder = tmp_path / "league"
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    assert not left_over(folder)
    lines = deals(folder)
    assert len(lines) == DEALS
    assert footer(folder).missing == ()
    found = faults(lines)
    assert not any(seat == 0 for seat, _ in found)
    for seat, each in enumerate(bad, start=1):
        assert {kind for at, kind in found if at == seat} == each.kinds, each.because
        assert any(seat in line.stood_down for line in lines) == each.stood_down, each.because
    assert {incident.incident for incident in incidents(folder)} <= {"bot_failed"}
    assert len(incidents(folder)) == sum(each.stood_down for each in bad)
    assert verify(folder, lambda done, total: None).status is Status.COMPLETE


@pytest.mark.parametrize(
    ("vice", "said"),
    [
        ("fails", "failed to start: exit status 1; its last lines:\nno model file\nfatal: giving"),
        ("wrong_token", "unknown token: use ARENA_TOKEN, and only once"),
        (
            "crashes --at 1",
            "lost for good: the stream ended; exit status 3; its last lines:\nan error that nobody",
        ),
    ],
)
def test_the_operator_is_told_what_a_bot_said_last(vice: str, said: str, tmp_path: Path) -> None:
    bad = bot("Bad, bad bot", "--vice-of-seat", f"1={vice}")
    file = write_league(tmp_path / "league.toml", bots=[bad])
    assert arena("run", file).returncode == 0
    (incident,) = incidents(tmp_path / "league")
    assert (incident.bot, incident.shard) == ("Bad, bad bot", "l0-a0-s0-d0")
    assert said in incident.detail
    status = arena("status", file)
    assert "warning  Bad, bad bot: " in status.stdout


def test_a_bot_that_failed_to_start_is_reported_before_the_first_deal(tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("b", "--vice-of-seat", "3=fails")])
    assert arena("run", file).returncode == 0
    kinds = [
        line.split(b'"kind":"')[1].split(b'"')[0].decode()
        for line in (tmp_path / "league" / "journal.jsonl").read_bytes().splitlines()
    ]
    assert kinds == ["header", "incident", *["deal"] * 6, "footer"]


def test_only_the_culprit_hears_of_its_faults(tmp_path: Path) -> None:
    """What the bots print ends in files of their own, by bot, worker and seat."""
    file = write_league(
        tmp_path / "league.toml", bots=[bot("b", "--vice-of-seat", "1=illegal --at 1")]
    )
    assert arena("run", file).returncode == 0
    outputs = {
        path.name: path.read_text(encoding="utf-8")
        for path in (tmp_path / "league" / "logs" / "bots").iterdir()
    }
    told = {name for name, text in outputs.items() if "FAULT_KIND_ILLEGAL" in text}
    (culprit,) = told
    assert culprit.endswith("-seat1.log")
    assert outputs[culprit].count("fault {") == 1


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

"""Leagues under the clocks that are there on request, with real processes."""

from pathlib import Path

import msgspec
import pytest

from arena.records import DealLine
from arena.verify import Status, verify
from arena.verify_deal import check_play
from tests.arena.runs import arena, bot, deals, faults, left_over, write_league
from tests.arena.sessions import RULES

LIMITS = {"startup_ms": 60_000, "decision_ms": 10_000, "strikes": 1000}


def league(tmp_path: Path, *vices: str, limits: dict[str, int], **keys: object) -> list[DealLine]:
    """Play a short league of one scripted bot with vices by seat; it must end well."""
    words = [word for vice in vices for word in ("--vice-of-seat", vice)]
    file = write_league(
        tmp_path / "league.toml",
        bots=[bot("scripted", "--max-batch", 1, *words)],
        limits=LIMITS | limits,
        **{"deals": 4, **keys},
    )
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    assert not left_over(tmp_path / "league")
    assert verify(tmp_path / "league", lambda done, total: None).status is Status.COMPLETE
    return deals(tmp_path / "league")


def test_cpu_time_blames_who_computes_and_not_who_waits(tmp_path: Path) -> None:
    lines = league(tmp_path, "1=burns --at 2", "2=naps", limits={"cpu_ms": 400})
    assert faults(lines) == {(1, "late"): 1}
    (fault,) = [fault for line in lines for fault in line.faults]
    assert fault.detail.endswith("ms of CPU time, 400 ms are allowed")
    assert all(len(line.cpu_us) == 4 for line in lines)
    burnt = max(line.cpu_us[1] for line in lines)
    assert burnt >= 800_000
    assert all(line.cpu_us[2] < line.think_us[2] for line in lines), "naps cost nothing"
    assert not any(line.times for line in lines), "nobody asked for them"


def test_a_deals_time_bank_runs_dry(tmp_path: Path) -> None:
    """Of two seconds at a time three fit into the bank, not a fourth; then nobody is asked."""
    lines = league(tmp_path, "2=dozes", limits={"bank_ms": 7000}, deals=2)
    emptied = [line for line in lines if any(fault.seat == 2 for fault in line.faults)]
    assert emptied
    for line in emptied:
        details = [fault.detail for fault in line.faults if fault.seat == 2]
        assert details[0].startswith("no answer within ")
        assert set(details[1:]) <= {"this deal's time bank is used up"}
    assert {seat for seat, _ in faults(lines)} == {2}


def test_an_increment_keeps_the_bank_filled(tmp_path: Path) -> None:
    lines = league(tmp_path, "2=dozes", limits={"bank_ms": 7000, "increment_ms": 5000}, deals=1)
    assert not faults(lines)
    assert max(line.think_us[2] for line in lines) > 7_000_000, "more than it begins with"


def test_the_four_times_stand_in_the_journal_on_request(tmp_path: Path) -> None:
    lines = league(tmp_path, "2=naps", limits={}, journal={"times": True})
    for line in lines:
        assert len(line.times) == len(line.actions.split())
        for times in line.times:
            assert times is not None
            queued, sent, received, judged = times
            assert received is not None
            assert queued <= sent <= received <= judged
    longest = max(t[2] - t[1] for line in lines for t in line.times if t and t[2] is not None)
    assert longest >= 50_000, "a nap lies between sent and received"


@pytest.mark.parametrize(
    ("change", "said", "because"),
    [
        (lambda times: times[1:], "decisions, but", "one is missing"),
        (
            lambda times: [(times[0][1] + 1, *times[0][1:]), *times[1:]],
            "the times of decision 0 are out of order",
            "queued after it was sent",
        ),
        (
            lambda times: [None] * len(times),
            "was not asked, but isn't what the house decides",
            "nobody asked, yet somebody bid",
        ),
    ],
)
def test_times_that_cannot_be(change, said: str, because: str, tmp_path: Path) -> None:
    lines = league(tmp_path, limits={}, journal={"times": True})
    line = next(line for line in lines if line.result.game is not None)
    assert not check_play(line, RULES).problems
    forged = msgspec.structs.replace(line, times=tuple(change(list(line.times))))
    assert any(said in problem for problem in check_play(forged, RULES).problems), because

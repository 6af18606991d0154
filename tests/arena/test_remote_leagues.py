"""Real leagues with bots that dial in, beside bots that are launched."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena import journal_read, seen, tokens
from arena.records import Header
from tests.arena import runs
from tests.arena.runs import (
    PATIENCE_S,
    arena,
    deals,
    footer,
    incidents,
    journal_lines,
    running,
    until,
)
from tests.arena.serving import SAMPLES, Papers, Served, dialling, registered, served

SAMPLE = [sys.executable, str(SAMPLES / "random_bot.py")]
SLOW = """
import time
from arena_client import play

def choose(observation):
    time.sleep(0.03)
    return observation.legal[0]

play(choose, name="slow", version="1")
"""
SLOWLY = (sys.executable, "-c", SLOW)
"""A bot that can be caught in the middle of a deal."""


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return Papers(tmp_path_factory.mktemp("papers"))


@pytest.fixture
def server(papers: Papers) -> Iterator[Served]:
    with served(*papers.options) as running_server:
        yield running_server


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "league.toml"


def write(file: Path, remote: list[str], local: list[str], **keys) -> Path:
    """A league of registered and of launched bots; the format wants one list or the other."""
    for name in local:
        done = arena("register", name, "--no-trial", "--folder", SAMPLES, "--", *SAMPLE)
        assert done.returncode == 0, done.stderr
    return runs.write_league(file, bots=[*remote, *local], **keys)


def test_the_doctor_looks_whether_remote_bots_could_come(file: Path) -> None:
    registered("far away")
    league = write(file, ["far away"], ["near"], deals=3)
    told = arena("doctor", league)
    assert told.returncode == 2
    assert "problem  remote bots no `arena serve` works" in told.stdout
    with served():
        told = arena("doctor", league)
        assert told.returncode == 0
        assert "warning  remote bots never seen: far away" in told.stdout
        assert arena("token", "revoke", "far away").returncode == 0
        told = arena("doctor", league)
        assert told.returncode == 2
        assert "problem  tokens     far away\n" in told.stdout
        assert "-> they have no token; for each: arena token new 'far away'" in told.stdout


def test_two_launched_and_two_remote(file: Path, server: Served, papers: Papers) -> None:
    remote = {name: registered(name) for name in ("far", "away")}
    write(file, [*remote], ["near", "here"], deals=12, slice_deals=6, workers=2)
    told = arena("run", file, "--dry-run").stdout
    assert "remote     far, away" in told
    assert "at 2 seats at once" in told
    far, away = (dialling(server.address, remote[name], papers=papers) for name in remote)
    with far, away:
        done = arena("run", file)
    assert done.returncode == 0, done.stderr
    assert "isolation of far: remote" in done.stdout
    folder = file.with_suffix("")
    lines = deals(folder)
    assert len(lines) == 48
    assert not runs.faults(lines)
    assert not incidents(folder)
    assert not seen.shards(folder)
    header = next(line for _, line in journal_read.read(folder) if isinstance(line, Header))
    assert [(each.name, each.remote) for each in header.bots] == [
        ("far", True), ("away", True), ("near", False), ("here", False),
    ]  # fmt: skip
    assert arena("log", "verify", folder).returncode == 0
    assert arena("ratings", folder).returncode == 0


def test_no_server_no_league(file: Path) -> None:
    registered()
    write(file, ["far"], [])
    assert "at 8 seats at once" in arena("run", file, "--dry-run", "--workers", 2).stdout
    done = arena("run", file)
    assert done.returncode == 2
    assert "no `arena serve` works for" in done.stderr
    assert not file.with_suffix("").exists(), "nothing has begun"


def test_without_a_token_no_league(file: Path, server: Served) -> None:
    registered()
    assert arena("token", "revoke", "far").returncode == 0
    done = arena("run", write(file, ["far"], []))
    assert (done.returncode, done.stdout) == (2, "")
    assert "'far' has no token; make one: arena token new far" in done.stderr
    assert not file.with_suffix("").exists(), "nothing has begun"


def test_cpu_time_cannot_be_measured_from_afar(file: Path) -> None:
    registered()
    done = arena("run", write(file, ["far"], [], limits={"cpu_ms": 10}))
    assert (done.returncode, "run elsewhere" in done.stderr) == (2, True)


def test_a_bot_that_never_comes(file: Path, server: Served) -> None:
    registered()
    write(file, ["far"], ["near"], deals=2, slice_deals=2, limits={"startup_ms": 6000})
    done = arena("run", file)
    assert done.returncode == 0, done.stderr
    folder = file.with_suffix("")
    failed = incidents(folder)
    assert {(line.incident, line.bot) for line in failed} == {("bot_failed", "far")}, (
        "and it is waited for at each table"
    )
    assert "hasn't dialled in within 6000 ms" in failed[0].detail
    assert all(line.stood_down for line in deals(folder))


def test_a_server_that_dies_stops_the_league(file: Path, papers: Papers) -> None:
    token = registered()
    write(file, ["far"], ["near"], deals=10, slice_deals=10, limits={"max_batch": 1})
    folder = file.with_suffix("")
    with served(*papers.options) as first:  # one depends on the other
        slow = dialling(first.address, token, papers=papers, command=SLOWLY)
        with slow, running("run", file) as league:
            until(lambda: journal_lines(folder) > 2)
            first.process.kill()
            assert league.wait(PATIENCE_S) == 2
            assert "start it, and the same command goes on" in league.communicate()[1]
    assert not [line for line in deals(folder) if line.faults or line.stood_down]
    with served(*papers.options) as second, dialling(second.address, token, papers=papers):
        assert arena("run", file).returncode == 1, "some were seen"
    check_books(folder)


def test_a_server_that_is_stopped_is_no_bot_s_fault(file: Path, papers: Papers) -> None:
    token = registered()
    limits = {"max_batch": 1, "reconnect_ms": 0}
    write(file, ["far"], ["near"], deals=400, slice_deals=400, limits=limits)
    folder = file.with_suffix("")
    with served(*papers.options) as server:  # noqa: SIM117  # one depends on the other
        with dialling(server.address, token, papers=papers), running("run", file) as league:
            until(lambda: journal_lines(folder) > 10)
            server.process.send_signal(signal.SIGTERM)
            assert league.wait(PATIENCE_S) == 2
            assert "start it, and the same command goes on" in league.communicate()[1]
    assert not [line for line in deals(folder) if line.faults or line.stood_down]


def test_what_no_remote_bot_saw_is_played_after_a_stop(file: Path, server: Served) -> None:
    registered()
    write(file, ["far"], ["near"], deals=600, slice_deals=600, limits={"startup_ms": 1000})
    folder = file.with_suffix("")
    with running("run", file) as league:
        until(lambda: journal_lines(folder) > 10)
        league.send_signal(signal.SIGINT)
        assert league.wait(PATIENCE_S) == 130
    before = len(deals(folder))
    assert before < 1800
    assert arena("run", file).returncode == 0
    assert not [line for line in incidents(folder) if line.seen]
    assert len(deals(folder)) == len({line.key for line in deals(folder)}) > before


def check_books(folder: Path) -> None:
    """What was seen and cut off is told, is missing, and was not dealt again."""
    lost = {key for line in incidents(folder) for key in line.seen}
    assert lost
    assert {line.incident for line in incidents(folder) if line.seen} == {"seen_deals"}
    played = {line.key for line in deals(folder)}
    assert not played & lost
    assert set(footer(folder).missing) == lost
    verified = arena("log", "verify", folder)
    assert verified.returncode == 0, verified.stdout
    assert not seen.shards(folder)


def test_a_killed_shard_deals_nothing_again(file: Path, server: Served, papers: Papers) -> None:
    token = registered()
    write(file, ["far"], ["near"], deals=10, slice_deals=10, limits={"max_batch": 1})
    folder = file.with_suffix("")
    slow = dialling(server.address, token, papers=papers, command=SLOWLY)
    with slow, running("run", file) as league:
        until(lambda: journal_lines(folder) > 2)
        shards = [
            child
            for child in psutil.Process(league.pid).children()
            if "arena.shard" in child.cmdline()
        ]
        shards[0].kill()
        assert league.wait(2 * PATIENCE_S) == 1
    assert [line.incident for line in incidents(folder)].count("shard_lost") == 1
    check_books(folder)


def test_a_killed_coordinator_deals_nothing_again(
    file: Path, server: Served, papers: Papers
) -> None:
    token = registered()
    write(file, ["far"], ["near"], deals=10, slice_deals=10, limits={"max_batch": 1})
    folder = file.with_suffix("")
    with dialling(server.address, token, papers=papers, command=SLOWLY):
        with running("run", file) as league:
            until(lambda: journal_lines(folder) > 2)
            league.send_signal(signal.SIGKILL)
            league.wait()
        assert arena("run", file).returncode == 1
    check_books(folder)


def test_a_token_revoked_in_the_middle(file: Path, server: Served, papers: Papers) -> None:
    token = registered()
    limits = {"max_batch": 1, "startup_ms": 6000}
    write(file, ["far"], ["near"], deals=10, slice_deals=10, limits=limits)
    folder = file.with_suffix("")
    slow = dialling(server.address, token, papers=papers, command=SLOWLY)
    with slow as far, running("run", file) as league:
        until(lambda: journal_lines(folder) > 2)
        tokens.revoke("far")
        assert league.wait(2 * PATIENCE_S) == 0
        until(lambda: far.poll() is not None)
    assert far.returncode not in {0, None}, "it knows that its token is no good"
    failed = {(line.incident, line.bot) for line in incidents(folder)}
    assert failed - {("bot_suspended", "far")} == {("bot_failed", "far")}
    assert any(line.stood_down for line in deals(folder))
    kinds = {fault.fault for line in deals(folder) for fault in line.faults}
    assert kinds <= {"gone"}


def test_a_changed_kind_of_bot_is_another_league(file: Path, server: Served) -> None:
    token = registered()
    write(file, ["far"], ["near"], deals=1, slice_deals=1)
    with dialling(server.address, token), running("run", file) as league:
        until(lambda: journal_lines(file.with_suffix("")) > 0)
        league.send_signal(signal.SIGINT)
        league.wait()
    done = arena("register", "far", "--replace", "--no-trial", "--folder", SAMPLES, "--", *SAMPLE)
    assert done.returncode == 0
    done = arena("run", file)
    assert (done.returncode, "was remote and is now launched" in done.stderr) == (2, True)

"""Figures of a running league, as whoever scrapes them sees them."""

import re
import socket
import subprocess
import sys
import urllib.request
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from arena import journal_read, schedule
from arena.errors import OperatorError
from arena.metrics import address
from arena.records import DealLine
from tests.arena.clients import free_port
from tests.arena.runs import arena, bot, deals, journal_lines, let_in, running, until, write_league

Samples = dict[str, dict[tuple[tuple[str, str], ...], float]]
ALL = {"coordinator", "shard", "bot"}
GOOD = 1
"""Number of the good bot in the league."""


def scraped(port: int) -> Samples | None:
    """Everything by name and labels; None where nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            text = answer.read().decode()
    except OSError:
        return None
    found: Samples = defaultdict(dict)
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[sample.name][tuple(sorted(sample.labels.items()))] = sample.value
    return found


def by_bot(samples: Samples, name: str) -> dict[str, float]:
    return {dict(labels)["bot"]: value for labels, value in samples[name].items()}


def test_a_scraped_league_says_what_its_journal_says(tmp_path: Path) -> None:
    """The last shard waits to be let in, so that all before it has been told when it is read."""
    vices = ("--vice-of-seat", "2=crashes --at 2", "--vice-of-seat", "3=illegal --at 3")
    doors, folder = tmp_path / "doors", tmp_path / "league"
    doors.mkdir()
    league = write_league(
        tmp_path / "league.toml",
        bots=[bot("bad", *vices), bot("good", "--let-in", doors)],
        limits={"startup_ms": 600_000},
        deals=6,
    )
    port = free_port()
    scrapes: list[Samples] = []

    def told(shards: int) -> bool:
        scrapes.extend(filter(None, [scraped(port)]))
        return bool(scrapes) and done(scrapes[-1]) == shards and processes(scrapes[-1]) == ALL

    # Bots in a sandbox could write no mark.
    with running("run", league, "--metrics", port, "--sandbox", "limits") as process:
        until(lambda: journal_lines(folder))
        *before, last = schedule.shards(journal_read.header(folder).schedule)
        early = sum(shard.seats.count(GOOD) for shard in before)
        let_in(doors, range(1, early + 1))
        until(lambda: told(len(before)))
        lines = deals(folder)
        assert len(lines) == sum(shard.deals for shard in before)
        let_in(doors, range(early + 1, early + 1 + last.seats.count(GOOD)))
        said, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert f"metrics: http://127.0.0.1:{port}/metrics" in said
    for samples in scrapes:
        (number,) = samples["arena_deals_total"].values()
        agrees(samples, lines[: round(number)])
    assert scrapes[-1]["arena_deals_total"][()] == len(lines)
    measured(scrapes)


def done(samples: Samples) -> float:
    return samples["arena_shards_total"][("how", "done"),]


def processes(samples: Samples) -> set[str]:
    """The sorts of processes that are there and have been measured."""
    return {
        dict(labels)["process"]
        for labels, size in samples["arena_resident_bytes"].items()
        if size > 1 << 20
    }


def agrees(samples: Samples, lines: list[DealLine]) -> None:
    """A scrape shows the first lines of the journal, whole."""
    names = ("bad", "good")
    decisions: Counter[str] = Counter()
    faults: Counter[tuple[str, str]] = Counter()
    for line in lines:
        for seat, number in enumerate(line.seats):
            decisions[names[number]] += line.asked[seat]
        for fault in line.faults:
            faults[names[line.seats[fault.seat]], fault.fault] += 1
    assert by_bot(samples, "arena_bot_decisions_total") == {n: decisions[n] for n in names}
    told = {
        (dict(labels)["bot"], dict(labels)["kind"]): value
        for labels, value in samples["arena_bot_faults_total"].items()
    }
    kinds = ("late", "illegal", "garbled", "gone")
    assert told == {(name, kind): faults[name, kind] for name in names for kind in kinds}


def measured(scrapes: list[Samples]) -> None:
    """What shards measure is there, and agrees with what was asked."""
    last = scrapes[-1]
    asked, asks = by_bot(last, "arena_bot_asked_total"), by_bot(last, "arena_bot_asks_total")
    assert all(0 < asks[name] <= asked[name] for name in asked)
    assert by_bot(last, "arena_bot_think_seconds_count") == asked
    assert all(each > 0 for each in by_bot(last, "arena_bot_think_seconds_sum").values())
    assert all(each >= 2 for each in by_bot(last, "arena_bot_launches_total").values())
    assert by_bot(last, "arena_bot_relaunches_total")["bad"] >= 1
    assert last["arena_journal_bytes"][()] > 1000
    for name in ("arena_open_files", "arena_cpu_seconds_total", "arena_waiting_deals"):
        assert any(samples[name] for samples in scrapes), name


def test_a_taken_port_is_refused_before_any_game(tmp_path: Path) -> None:
    league = write_league(tmp_path / "league.toml", bots=[bot("a")])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = arena("run", league, "--metrics", f"127.0.0.1:{port}")
    assert run.returncode == 2
    assert re.match(
        rf"arena: metrics can't be served at 127.0.0.1:{port}: .*another port", run.stderr
    )
    assert not (tmp_path / "league").exists()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("9100", ("127.0.0.1", 9100)),
        (":9100", ("127.0.0.1", 9100)),
        ("0.0.0.0:9100", ("0.0.0.0", 9100)),
        ("[::1]:9100", ("::1", 9100)),
        ("", None),
        ("port", None),
        ("host:", None),
        ("0", None),
        ("65536", None),
        ("-1", None),
    ],
)
def test_addresses(text: str, place: tuple[str, int] | None) -> None:
    if place is not None:
        assert address(text) == place
        return
    with pytest.raises(OperatorError, match="HOST"):
        address(text)


def test_a_league_without_metrics_measures_nothing(tmp_path: Path) -> None:
    league = write_league(tmp_path / "league.toml", bots=[bot("a")])
    code = "import sys; from arena.cli import main; main(sys.argv[1:]); print(sorted(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code, "run", str(league), "--quiet"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "'arena.league'" in ran.stdout
    assert not [name for name in ("prometheus", "arena.metrics", "'grpc") if name in ran.stdout]

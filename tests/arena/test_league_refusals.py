"""What the operator must put right first: said before a game is played, with exit code 2."""

from pathlib import Path
from typing import Any

import pytest

from arena.opening import opened
from arena.plan import make_plan
from tests.arena.runs import SEED, arena, bot, journal_lines, scripted, write_league

OTHER_SEED = "cd" * 32


def league(tmp_path: Path, **keys: Any) -> Path:
    return write_league(
        tmp_path / "league.toml",
        **{"bots": [bot("scripted")], "deals": 2, "limits": {"decision_ms": 1000}, **keys},
    )


def copied_bot(folder: Path) -> dict[str, object]:
    """A bot whose program the test may change."""
    python, program, *_ = scripted()
    copy = folder / "bot.py"
    if not copy.exists():
        copy.write_text(Path(program).read_text())
    return bot("copied", command=[python, str(copy)])


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A league that was stopped before its first deal."""
    file = league(tmp_path, bots=[copied_bot(tmp_path)])
    with opened(make_plan(file, None, 1)) as coordinator:
        assert coordinator is not None
    return file


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"deals": 3}, "schedule.deals was 2 and is now 3"),
        ({"rules": "online-pro"}, "rules.name was 'online' and is now 'online-pro'"),
        ({"name": "other"}, "the league's name was 'test' and is now 'other'"),
        (
            {"limits": {"decision_ms": 7}},
            "limits.decision_ms was 1000 and is now 7",
        ),
        ({"seed": OTHER_SEED}, "the secret's commitment was"),
        ({"bots": [bot("new")]}, "Bot 'new' is new."),
    ],
)
def test_a_league_that_was_begun_differently(
    change: dict[str, Any], said: str, begun: Path
) -> None:
    folder = begun.with_suffix("")
    before = (folder / "journal.jsonl").read_bytes()
    bots = [copied_bot(begun.parent)]
    league(begun.parent, **{"bots": bots, **change})
    run = arena("run", begun)
    assert run.returncode == 2
    assert "was begun differently" in run.stderr
    assert said in run.stderr
    assert (folder / "journal.jsonl").read_bytes() == before
    assert SEED not in run.stderr


def test_a_bot_that_was_changed(begun: Path) -> None:
    program = begun.parent / "bot.py"
    program.write_text(program.read_text() + "\n# better now\n")
    run = arena("run", begun)
    assert run.returncode == 2
    assert "Bot 'copied' was changed: its files had the digest" in run.stderr


def test_a_seed_that_was_taken_out(begun: Path) -> None:
    lines = begun.read_text().splitlines()
    begun.write_text("\n".join(line for line in lines if not line.startswith("seed")))
    run = arena("run", begun)
    assert run.returncode == 2
    assert "openness of the secret was True and is now False" in run.stderr


FIFTEEN = [bot(f"bot {number}") for number in range(15)]

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"bots": [bot("b", command=["no-such-program"])]}, "no executable program 'no-such-program'"),
    ({"bots": [bot("b", command=["./no.py"])]}, "no executable program './no.py'"),
    ({"bots": ["nobody"]}, "no bot named 'nobody' is registered"),
    ({"bots": [{**bot("b"), "folder": "nowhere"}]}, "folder: there is no"),
    ({"bots": [bot("b"), bot("b")]}, "both called 'b'"),
    ({"bots": FIFTEEN}, "15 bots make 1365 lineups of four; say with 'lineups'"),
    ({"rules": "skat"}, "skat"),
    ({"deels": 3}, "unknown key 'deels'; did you mean 'deals'?"),
    ({"deals": 0}, "deals: "),
]


@pytest.mark.parametrize(("keys", "said"), REFUSED, ids=[row[1] for row in REFUSED])
def test_a_league_file_that_is_wrong(keys: dict[str, Any], said: str, tmp_path: Path) -> None:
    run = arena("run", league(tmp_path, **keys))
    assert run.returncode == 2
    assert said in run.stderr
    assert run.stderr.startswith("arena: ")
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "league").exists()


@pytest.mark.parametrize("folder", ["/proc/nowhere", "{file}"])
def test_a_folder_that_cannot_be_written(folder: str, tmp_path: Path) -> None:
    file = league(tmp_path)
    place = folder.format(file=file)
    run = arena("run", file, "--folder", place)
    assert (run.returncode, run.stdout) == (2, "")
    assert place in run.stderr
    assert "Traceback" not in run.stderr


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    run = arena("run", tmp_path / "no.toml")
    assert run.returncode == 2
    assert "cannot read" in run.stderr


def test_a_dry_run_tells_and_creates_nothing(tmp_path: Path) -> None:
    file = league(tmp_path, bots=FIFTEEN, lineups=30, deals=240)
    before = sorted(tmp_path.rglob("*"))
    run = arena("run", file, "--dry-run")
    assert (run.returncode, run.stderr) == (0, "")
    assert "lineups    30" in run.stdout
    assert "deals      28800" in run.stdout
    assert "and 20 more" in run.stdout
    assert sorted(tmp_path.rglob("*")) == before
    assert journal_lines(tmp_path / "league") == 0


def test_a_dry_run_of_a_league_that_has_begun(tmp_path: Path) -> None:
    file = league(tmp_path, deals=2)
    assert arena("run", file).returncode == 0
    told = arena("run", file, "--dry-run").stdout
    assert " of them are there already, none are left to play" in told
    assert "time       about 0 s with" in told


def test_what_was_changed_since_is_told_by_a_dry_run_too(tmp_path: Path) -> None:
    assert arena("run", league(tmp_path, deals=2)).returncode == 0
    file = league(tmp_path, deals=4)
    refused = arena("run", file, "--dry-run")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "was begun differently" in refused.stderr
    finished = arena("run", file)
    assert finished.returncode == 0
    assert "is finished, and began differently from what is asked for now:" in finished.stdout
    assert "deals" in finished.stdout.splitlines()[1]


@pytest.mark.parametrize("workers", [-1, 0, 1025])
@pytest.mark.parametrize("more", [["--dry-run"], []])
def test_as_many_workers_as_can_be(workers: int, more: list[str], tmp_path: Path) -> None:
    file = league(tmp_path)
    run = arena("run", file, "--workers", workers, *more)
    assert (run.returncode, run.stdout) == (2, "")
    assert f"--workers {workers}: from 1 to 1024 are possible" in run.stderr
    assert not (tmp_path / "league").exists()

"""Where the output of `arena` goes: closed pipes, full disks, terminals without umlauts."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.arena.runs import ARENA, PATIENCE_S, ROOT, arena, bot, write_league


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    file = write_league(folder / "league.toml", bots=[bot("Ödön 1"), bot("b")], deals=30)
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    return file


@pytest.mark.parametrize("words", ["log show {league} --json", "log schema", "rules", "bots"])
def test_a_closed_pipe_is_no_error(words: str, played: Path) -> None:
    """The reader takes one line or none; the writer ends quietly and calls it success."""
    for reader in ("head -n 1 >/dev/null", "true"):
        program = f'set -o pipefail; "$@" | {reader}'
        arguments = [word.format(league=played) for word in words.split()]
        run = subprocess.run(
            ["bash", "-c", program, "bash", *ARENA, *arguments],
            check=False,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("words", [["--json"], []])
@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_verdict_stands_whoever_reads_it(
    words: list[str], buffered: str, played: Path, tmp_path: Path
) -> None:
    """A journal that is contradicted must not be right because nobody reads why."""
    content = (played.with_suffix("") / "journal.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(content.replace(b'"forehand":1', b'"forehand":2', 1))
    command = [*ARENA, "log", "verify", str(tmp_path), *words]
    run = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" 2>/dev/null | true', "bash", *command],
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": buffered},
        timeout=PATIENCE_S,
    )
    assert run.returncode == 3


def test_output_on_a_full_disk_is_the_operators_business() -> None:
    for words in (("rules",), ("--help",)):
        with Path("/dev/full").open("wb") as full:
            ran = subprocess.run([*ARENA, *words], check=False, stdout=full, stderr=subprocess.PIPE)
        assert (ran.returncode, ran.stderr) == (
            2,
            b"arena: cannot write the output: No space left on device\n",
        )


@pytest.mark.parametrize(
    "words", ["ratings {league}", "ratings {league} --json", "rules show online"]
)
def test_a_closed_output_is_no_error(words: str, played: Path) -> None:
    command = [*ARENA, *words.format(league=played).split()]
    closing = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    run = subprocess.run(closing, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_terminal_without_umlauts_shows_what_it_can(tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("Ödön")], name="Größe")
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (("run", file, "--dry-run"), ("run", file), ("status", file)):
        ran = subprocess.run(
            [*ARENA, *map(str, words)],
            check=False,
            capture_output=True,
            env={**os.environ, "LC_ALL": "POSIX", **plain},
            cwd=ROOT,
        )
        assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize("words", ["ratings {} --json", "ratings {} --csv", "log show {} --json"])
def test_programs_read_every_letter_whatever_a_terminal_can_show(words: str, played: Path) -> None:
    ran = subprocess.run(
        [*ARENA, *words.format(played).split()],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        cwd=ROOT,
    )
    assert "Ödön 1" in ran.stdout.decode()


def test_a_folder_whose_name_is_no_text_is_told_as_json(played: Path, tmp_path: Path) -> None:
    output = os.fsencode(tmp_path) + b"/dear\xff.jsonl"
    words: list[str | bytes] = ["log", "rescore", str(played), "--rules", "online", "--json"]
    told = subprocess.run(
        [*ARENA, *words, b"--output", output], check=True, capture_output=True, cwd=ROOT
    )
    assert os.fsencode(json.loads(told.stdout)["output"]) == output

"""The `arena` command as its users meet it: exit codes, JSON, odd names."""

import csv
import io
import json
import signal
from pathlib import Path

import pytest

from tests.arena.runs import (
    PATIENCE_S,
    arena,
    bot,
    running,
    runs_below,
    scripted,
    until,
    write_league,
)

ODD_NAMES = [
    "Ödön 1",
    "comma, \"quote\" and 'apostrophe'",
    "--looks-like-an-option",
    "x" * 200,
    "[red]markup[/red] \\",
    "骑士; rm -rf /",
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league that was played, its bots named so that names are no trouble."""
    folder = tmp_path_factory.mktemp("played")
    bots: list[object] = [bot(name) for name in ODD_NAMES[:4]]
    file = write_league(folder / "league.toml", bots=bots, deals=30, slice_deals=30, workers=2)
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    assert "120 deals played, 0 faults" in run.stdout
    return file


@pytest.mark.parametrize("name", [name for name in ODD_NAMES if not name.startswith("-")])
def test_registered_names_survive(name: str, tmp_path: Path) -> None:
    command = scripted("--name", name)
    registered = arena("register", "--trial=false", name, "--", *command)
    assert registered.returncode == 0, registered.stderr
    (known,) = json.loads(arena("bots", "list", "--json").stdout)
    assert (known["name"], known["command"]) == (name, command)


def test_from_register_to_the_ratings(tmp_path: Path) -> None:
    names = ODD_NAMES[:2]
    for name in names:
        result = arena("register", name, "--", *scripted("--name", name))
        assert result.returncode == 0, result.stderr
        assert f"came up as {name!r}" in result.stdout
    file = write_league(tmp_path / "Liga Ödön.toml", bots=list(names), deals=2)
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    rated = json.loads(arena("ratings", file, "--json").stdout)
    assert {each["name"] for each in rated["bots"]} == set(names)


def test_a_trial_can_be_broken_off() -> None:
    command = ["sleep", "1000"]
    with running("register", "slow", "--", *command) as registering:
        until(lambda: runs_below(registering.pid, command))
        registering.send_signal(signal.SIGINT)
        assert registering.communicate(timeout=PATIENCE_S) == ("", "")
    assert registering.returncode == 130
    assert arena("bots", "show", "slow").returncode == 2


def test_a_name_may_begin_with_a_hyphen(tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=["-odd"], deals=1)
    assert arena("register", "--no-trial", "--", "-odd", *scripted()).returncode == 0
    assert json.loads(arena("bots", "show", "--json", "--", "-odd").stdout)["name"] == "-odd"
    assert arena("run", file, "--dry-run").returncode == 0
    assert arena("bots", "remove", "--", "-odd").returncode == 0


def test_an_empty_folder_is_not_the_current_one(tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("a")])
    for words in (("run", file, "--folder", ""), ("register", "a", "--folder", "", "--", "true")):
        refused = arena(*words)
        assert refused.returncode == 2
        assert "the folder's name is empty" in " ".join(refused.stderr.split())


def test_ratings_as_csv_and_json(played: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(arena("ratings", played, "--csv").stdout)))
    rated = json.loads(arena("ratings", played, "--json").stdout)
    names = set(ODD_NAMES[:4])
    assert {each["name"] for each in rated["bots"]} == names
    assert len(rows) == 4
    assert {row["name"] for row in rows} == names


def test_ratings_for_people(played: Path) -> None:
    shown = arena("ratings", played)
    assert shown.returncode == 0
    assert "Ödön 1" in shown.stdout


def test_log_show(played: Path) -> None:
    shown = arena("log", "show", played, "--last", 3)
    assert shown.returncode == 0
    assert len(shown.stdout.splitlines()) >= 3
    as_json = arena("log", "show", played, "--deal", 3, "--json").stdout.splitlines()
    deals = [line for line in map(json.loads, as_json) if line["kind"] == "deal"]
    assert len(deals) == 4
    assert {line["key"][4] for line in deals} == {3}
    assert arena("log", "show", played, "--deal", 3).stdout
    nothing = arena("log", "show", played, "--deal", 999)
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "no such lines\n")
    assert arena("log", "show", played, "--incidents").stderr == "no such lines\n"


JSON = [
    ["bots", "list", "--json"],
    ["bots", "--json"],
    ["rules", "list", "--json"],
    ["rules", "show", "online", "--json"],
    ["rules", "diff", "online", "sauspiel", "--json"],
    ["log", "schema"],
    ["log", "rescore", "{league}", "--rules", "online", "--json"],
    ["log", "verify", "{league}", "--json"],
    ["ratings", "{league}", "--json"],
    ["status", "{league}", "--json"],
]


@pytest.mark.parametrize("words", JSON, ids=" ".join)
def test_what_is_said_as_json_is_json(words: list[str], played: Path) -> None:
    said = arena(*(word.format(league=played) for word in words))
    assert (said.returncode, said.stderr) == (0, "")
    assert json.loads(said.stdout) is not None


def test_what_is_written_is_told_as_json(played: Path, tmp_path: Path) -> None:
    output = tmp_path / "dear.jsonl"
    words = ("--rules", "online", "--output", output, "--json")
    told = arena("log", "rescore", played, *words)
    assert json.loads(told.stdout) == {"deals": 120, "output": str(output)}


def test_bots_can_be_shown_and_removed() -> None:
    arena("register", "one", "--trial=false", "--", *scripted())
    shown = json.loads(arena("bots", "show", "one", "--json").stdout)
    assert shown["name"] == "one"
    assert len(shown["digest"]) == 64
    assert arena("bots", "show", "one").stdout.startswith("name: one\n")
    assert arena("bots", "remove", "one").returncode == 0
    assert json.loads(arena("bots", "--json").stdout) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["register", "b", "--", "no-such-program"], "no-such-program"),
        (["register", "b"], "no command for 'b', which is no folder with a bot.toml"),
        (["log", "show", "nowhere", "--last", "0"], "at least one line can be shown"),
        (["log", "show", "nowhere", "--incidents", "--deal", "3"], "leave out what asks for some"),
        (["log", "audit", "nowhere", "--look-alikes", "-3"], "0 is the least"),
        (["log", "audit", "nowhere", "--thorough", "--look-alikes", "3"], "--thorough takes all"),
        (["ratings", "nowhere", "--json", "--csv"], "--json has everything"),
        (["ratings", "nowhere", "--csv", "--pairs"], "one of --json, --csv and --pairs"),
        (["register", "b", "--", *scripted("--vice", "fails")], "no model file\nfatal: giving up"),
        (["register", "x" * 201, "--", "true"], "201 characters"),
        (["bots", "show", "nobody"], "no bot named 'nobody'"),
        (["bots", "remove", "nobody"], "no bot named 'nobody'"),
        (["rules", "show", "skat"], "skat"),
        (["status", "nowhere.toml"], "no league has run"),
        (["log", "verify", "nowhere"], "nowhere"),
        (["log", "show", "nowhere"], "nowhere"),
        (["ratings", "nowhere.toml"], "nowhere"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_what_the_operator_must_put_right(words: list[str], said: str) -> None:
    result = arena(*words)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("arena: ")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "words",
    [["nonsense"], ["run"], ["run", "x", "--workers", "many"], ["log", "show", "x", "--nonsense"]],
    ids=" ".join,
)
def test_what_is_no_command(words: list[str]) -> None:
    result = arena(*words)
    assert result.returncode == 2
    assert result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr


COMMANDS = [
    ["register"],
    ["run"],
    ["status"],
    ["ratings"],
    ["bridge"],
    ["bots", "list"],
    ["bots", "show"],
    ["bots", "remove"],
    ["log", "show"],
    ["log", "verify"],
    ["log", "schema"],
    ["rules", "list"],
    ["rules", "show"],
    ["rules", "check"],
    ["rules", "diff"],
    ["rules", "new"],
    ["log", "rescore"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_an_example(command: list[str]) -> None:
    said = arena(*command, "--help")
    assert said.returncode == 0
    examples = said.stdout.partition("For example:")[2]
    assert "arena " + command[0] in examples


def test_the_help_names_every_command() -> None:
    for words in (["--help"], []):
        said = arena(*words)
        assert said.returncode == 0
        assert all(command[0] in said.stdout for command in COMMANDS)
    assert arena("--version").stdout.strip()


def test_a_contradicted_journal(played: Path, tmp_path: Path) -> None:
    content = (played.with_suffix("") / "journal.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(content.replace(b'"forehand":1', b'"forehand":2', 1))
    result = arena("log", "verify", tmp_path)
    assert result.returncode == 3
    assert "journal.jsonl" in result.stderr
    assert json.loads(arena("log", "verify", tmp_path, "--json").stdout)["contradictions"]

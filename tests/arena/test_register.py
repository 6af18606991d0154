"""What `arena register` says, and when."""

import sys
from pathlib import Path

import pytest

from tests.arena.runs import arena

UNNOTICED = "what these import can change unnoticed; a bot.toml can name it"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "bot"
    path.mkdir()
    (path / "bot.py").touch()
    return path


def test_a_name_that_is_taken_costs_no_trial(folder: Path) -> None:
    command = ["register", "a", "--folder", folder, "--", sys.executable, "bot.py"]
    assert arena(*command[:2], "--no-trial", *command[2:]).returncode == 0
    told = arena(*command, "--fast")
    assert told.returncode == 2
    assert "a bot named 'a' is registered already" in told.stderr
    assert "trial" not in told.stdout
    replaced = arena(*command[:2], "--replace", *command[2:], "--fast")
    assert "registered already" not in replaced.stderr, "but it has no answer, so it stays"
    assert replaced.returncode == 2


def test_what_a_command_imports_is_said_to_go_unnoticed(folder: Path) -> None:
    told = arena("register", "a", "--folder", folder, "--no-trial", "--", sys.executable, "bot.py")
    assert told.stdout.splitlines()[1:] == [f"it consists of {sys.executable}, bot.py", UNNOTICED]


def test_who_wrote_a_manifest_is_not_told_of_it(folder: Path) -> None:
    (folder / "more.py").touch()
    (folder / "bot.toml").write_text(
        f'name = "a"\ncommand = ["{sys.executable}", "bot.py"]\nfiles = ["more.py"]\n'
    )
    told = arena("register", folder, "--no-trial")
    assert told.stdout.splitlines()[1:] == [f"it consists of {sys.executable}, bot.py, more.py"]


def test_a_manifest_that_is_nested_too_deep(folder: Path) -> None:
    (folder / "bot.toml").write_text('name = "a"\ncommand = ' + "[" * 500)
    told = arena("register", folder, "--no-trial")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith(f"arena: {folder}/bot.toml nests tables or arrays too deep")

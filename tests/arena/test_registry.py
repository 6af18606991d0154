"""Bots by name: what is accepted, what comes back, and what a bot consists of."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import names, registry
from arena.errors import OperatorError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a bot's folder with a program in it."""
    path = tmp_path / "bot"
    path.mkdir()
    program = path / "play"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (path / "bot.py").write_text("print('hello')\n")
    return path


def manifest(folder: Path, text: str) -> Path:
    (folder / registry.MANIFEST).write_text(text, encoding="utf-8")
    return folder


NAMES = [
    ("Sepp", "Sepp", "plain"),
    ("Der Alte, genannt 'Schorsch'", "Der Alte, genannt 'Schorsch'", "spaces, commas, quotes"),
    ('"; DROP TABLE bots; --', '"; DROP TABLE bots; --', "SQL is text"),
    ("Gr\u00fcbler", "Gr\u00fcbler", "an umlaut"),
    ("Gru\u0308bler", "Gr\u00fcbler", "the same umlaut in two parts"),
    ("../../bot", "../../bot", "a path is text, too"),
    ("--help", "--help", "an option is text, too"),
    ("%s {0} \\n", "%s {0} \\n", "patterns are text, too"),
    ("\U0001f0a1 \u9f8d", "\U0001f0a1 \u9f8d", "beyond Europe"),
    ("\U0001f468\u200d\U0001f4bb", "\U0001f468\u200d\U0001f4bb", "signs that are joined"),
    ("\u0646\u06cc\u200c\u0645", "\u0646\u06cc\u200c\u0645", "letters that are kept apart"),
    ("x" * 200, "x" * 200, "the longest"),
    ("u\u0308" * 200, "\u00fc" * 200, "counted as composed"),
]


@pytest.mark.parametrize(("given_name", "kept", "because"), NAMES)
def test_a_name_survives(given_name: str, kept: str, because: str, folder: Path) -> None:
    bot = registry.make(given_name, ["./play", given_name], folder)
    registry.register(bot)
    assert registry.get(given_name) == registry.get(kept) == bot, because
    assert [known.name for known in registry.listing()] == [kept]
    registry.remove(given_name)
    assert registry.listing() == ()


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("", "empty"),
        ("x" * 201, "too long"),
        ("two\nlines", "a line break"),
        ("bell\x07", "a control character"),
        ("zero\0", "a zero byte"),
        ("line\u2028separator", "a line break by another name"),
        ("half\ud800", "half a character can't be written down"),
        (" ", "nothing but a space"),
        ("  \u00a0\u3000", "nothing but blanks"),
        (" Sepp", "a space that nobody types again"),
        ("Sepp\u3000", "a wide space at the end"),
        ("\u202e", "nothing but an override of the direction"),
        ("Sepp\u202eppeS", "an override that turns the rest of the line"),
        ("Sepp\u2067", "an isolate that isn't ended"),
        ("\u200b\u200d", "nothing of any width"),
        ("\u2800\u3164", "letters and signs that are blank"),
        ("\u0301", "a mark on nothing"),
    ],
)
def test_a_name_is_refused(name: str, because: str, folder: Path) -> None:
    with pytest.raises(OperatorError, match=r"^name: .*allowed"):
        registry.make(name, ["./play"], folder)
    assert registry.listing() == (), because


@given(text=st.text(min_size=1, max_size=60))
def test_a_checked_name_stays_as_it_is(text: str) -> None:
    try:
        name = names.checked(text, "name")
    except OperatorError:
        return
    assert names.checked(name, "name") == name
    assert name.encode().decode() == name


def test_a_name_that_was_accepted_once_can_be_removed(folder: Path) -> None:
    before = registry.Bot(" ", "1", ("./play",), str(folder), "2026-01-01T00:00:00+00:00")
    registry.register(before)
    assert registry.get(" ") == before
    registry.remove(" ")
    assert registry.listing() == ()


def test_the_same_bot_may_come_twice(folder: Path) -> None:
    first = registry.Bot("Sepp", "1", ("./play",), str(folder), "2026-01-01T00:00:00+00:00")
    again = registry.Bot("Sepp", "1", ("./play",), str(folder), "2026-02-02T00:00:00+00:00")
    registry.register(first)
    registry.register(again)
    assert registry.listing() == (first,)


def test_another_bot_of_the_same_name_must_be_wanted(folder: Path) -> None:
    first = registry.make("Sepp", ["./play"], folder, version="1")
    other = registry.make("Sepp", ["./play", "--fast"], folder, version="2")
    registry.register(first)
    with pytest.raises(
        OperatorError, match=r"version 1, now 2; command \./play, now \./play --fast"
    ):
        registry.register(other)
    with pytest.raises(OperatorError, match="registered already"):
        registry.refuse_namesake(other)
    registry.refuse_namesake(first)
    assert registry.get("Sepp") == first
    registry.register(other, replace=True)
    assert registry.listing() == (other,)


@pytest.mark.parametrize("call", [registry.get, registry.remove])
def test_an_unknown_name(call: Callable[[str], object]) -> None:
    with pytest.raises(OperatorError, match="no bot named 'Niemand'"):
        call("Niemand")


def test_the_nearest_name_is_suggested(folder: Path) -> None:
    registry.register(registry.make("dice", ["./play"], folder))
    with pytest.raises(OperatorError, match=r"'dic' is registered; did you mean 'dice'\?"):
        registry.get("dic")


COMMANDS = [
    ([], "empty", "nothing to start"),
    ([""], "empty", "nothing to start"),
    (["no-such-program-at-all"], "on PATH", "not installed"),
    (["./absent"], "no executable program", "not built"),
    (["./bot.py"], r"not executable; chmod \+x \./bot\.py, or write: python3", "not marked"),
    (["./notes"], r"not executable; chmod \+x \./notes$", "not marked, and no Python"),
    (["bot.py"], r"not on PATH; write \./bot\.py", "a slash too few"),
    (["../bot"], "no executable program", "a folder"),
    (["./play", "a\0b"], "valid UTF-8", "no process can get this word"),
    (["./play", "\udcff"], "valid UTF-8", "no journal can hold this word"),
]


@pytest.mark.parametrize(("command", "message", "because"), COMMANDS)
def test_a_command_is_refused(command: list[str], message: str, because: str, folder: Path) -> None:
    (folder / "notes").touch()
    with pytest.raises(OperatorError, match=message):
        registry.make("Sepp", command, folder)


def test_a_bot_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="no folder"):
        registry.make("Sepp", ["true"], tmp_path / "absent")


def test_a_manifest_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest(folder, 'name = "Sepp"\nversion = "2"\ncommand = ["./play", "x y"]\nfiles = ["*.py"]')
    monkeypatch.chdir(folder.parent)
    bot = registry.from_folder(Path("bot"))
    assert (bot.name, bot.version, bot.command) == ("Sepp", "2", ("./play", "x y"))
    assert bot.folder == str(folder), "absolute, wherever the command was given"


def test_a_byte_order_mark_is_no_part_of_a_manifest(folder: Path) -> None:
    text = 'name = "Sepp"\ncommand = ["./play"]\n'
    (folder / registry.MANIFEST).write_text(text, encoding="utf-8-sig")
    assert registry.from_folder(folder).name == "Sepp"


MANIFESTS = [
    ('name = "S"\ncommand = ["./play"]\ncolour = 1', "colour.*allowed keys: name", "unknown key"),
    ('command = ["./play"]', "missing.*`name`.*allowed keys", "no name"),
    ('name = "S"', "missing.*`command`", "no command"),
    ('name = "S"\ncommand = "./play"', r"\$\.command", "a text for a list"),
    ('name = "S"\ncommand = ["./play", 1]', r"\$\.command\[1\]", "a number for a text"),
    ('name = "S"\nversion = 1\ncommand = ["./play"]', r"\$\.version", "a number for a text"),
    ('name = "a\\nb"\ncommand = ["./play"]', "name: .*control character", "name"),
    ('name = "S"\nversion = ""\ncommand = ["./play"]', "version: 0 characters", "version"),
    ('name = "S"\ncommand = ["./absent"]', "command: no executable", "no program"),
    ('name = "S\ncommand', "line 1", "no TOML"),
    ('name = "S"\ncomand = ["./play"]', "did you mean 'command'", "a slip in a key"),
    ('name = "S"\ncommand = ' + "[" * 500, "nests", "too deep"),
]


@pytest.mark.parametrize(("text", "message", "because"), MANIFESTS)
def test_a_manifest_is_refused(text: str, message: str, because: str, folder: Path) -> None:
    with pytest.raises(OperatorError, match=f"{registry.MANIFEST}:? .*{message}"):
        registry.from_folder(manifest(folder, text))


def test_a_manifest_must_be_there_and_be_text(folder: Path) -> None:
    with pytest.raises(OperatorError, match="cannot read"):
        registry.from_folder(folder)
    (folder / registry.MANIFEST).write_bytes(b'name = "\xff"')
    with pytest.raises(OperatorError, match=registry.MANIFEST):
        registry.from_folder(folder)


BOT = 'name = "S"\ncommand = ["./play", "bot.py", "--level", "3"]\nfiles = {}\n'
CHANGES = [
    ([], "bot.py", True, "named by the command"),
    ([], "play", True, "the program itself"),
    ([], "notes.txt", False, "named by nobody"),
    (["*.txt"], "notes.txt", True, "named by the manifest"),
    (["model/*"], "model/deep/weights", False, "one level only"),
    (["model/**"], "model/deep/weights", True, "all below"),
    (["model/**/*"], "model/deep/weights", True, "all below, written otherwise"),
    (["**/*"], "model/__pycache__/bot.pyc", False, "filled by playing"),
]


@pytest.mark.parametrize(("files", "changed", "counts", "because"), CHANGES)
def test_the_digest_follows_the_files(
    files: list[str], changed: str, counts: bool, because: str, folder: Path
) -> None:
    for name in ("notes.txt", "model/flat", "model/deep/weights", "model/__pycache__/bot.pyc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("before")
    bot = registry.from_folder(manifest(folder, BOT.format(files)))
    before, parts = registry.digest(bot)
    with (folder / changed).open("a") as file:
        file.write("after")
    after, _ = registry.digest(bot)
    assert (before != after) is counts, because
    assert (changed in {os.path.normpath(name) for name in parts}) is counts


def test_the_digest_follows_the_command_and_not_the_place(folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    one = registry.digest(registry.make("S", ["./play", "bot.py"], folder))
    folder.rename(moved)
    assert registry.digest(registry.make("S", ["./play", "bot.py"], moved)) == one
    assert registry.digest(registry.make("S", ["./play", "bot.py", "-v"], moved))[0] != one[0]


def test_the_digest_follows_globs_from_elsewhere(folder: Path) -> None:
    bot = registry.make("S", ["./play"], folder)
    before, parts = registry.digest(bot, ["*.py"])
    assert set(parts) == {"./play", "bot.py"}
    assert before != registry.digest(bot)[0]
    (folder / "bot.py").write_text("print('bye')")
    assert registry.digest(bot, ["*.py"])[0] != before
    with pytest.raises(OperatorError, match=r"files: '\.\./x' must stay within the folder"):
        registry.digest(bot, ["../x"])


def test_a_program_on_the_path_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    bot = registry.make("S", ["play"], folder.parent)
    before, parts = registry.digest(bot)
    assert set(parts) == {"play"}
    (folder / "play").write_text("#!/bin/sh\nexit 1\n")
    assert registry.digest(bot)[0] != before


@pytest.mark.parametrize(
    ("pattern", "message", "because"),
    [
        ("*.onnx", "matches no file", "likely a slip"),
        ("../*", "within the folder", "other bots' files"),
        ("/etc/*", "within the folder", "the system's files"),
        ("", "within the folder", "nothing"),
        ("a" * 300 + "/*", "no glob|matches no file", "a name that no file can have"),
        ("a**", "no glob|matches no file", "two stars within a name"),
    ],
)
def test_a_glob_is_refused(pattern: str, message: str, because: str, folder: Path) -> None:
    bot = registry.from_folder(manifest(folder, BOT.format([pattern])))
    with pytest.raises(OperatorError, match=message):
        registry.digest(bot)

"""What a bot may see: what its command needs, what its owner says, and no secrets."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.programs import needs, too_wide, trace
from arena.records import BotEntry
from arena.surroundings import Surroundings, surroundings


def made(place: Path, content: str = "", mode: int = 0o755) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)
    place.chmod(mode)
    return place


def linked(place: Path, target: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    return place


def environment(at: Path) -> None:
    """Two hops away from the real interpreter, as environments of installed Pythons are."""
    made(at / "python" / "3.11.7" / "bin" / "python3.11")
    (at / "python" / "3.11.7" / "lib" / "python3.11").mkdir(parents=True)
    linked(at / "python" / "3.11.7" / "bin" / "python3", "python3.11")
    linked(at / "python" / "3.11", "3.11.7")
    linked(at / "env" / "bin" / "python3", str(at / "python" / "3.11" / "bin" / "python3"))
    made(at / "env" / "pyvenv.cfg", f"home = {at}/python/3.11/bin\n")
    made(at / "env" / "lib" / "python3.11" / "site-packages" / "e.pth", f"{at}/checkout\n")
    made(at / "checkout" / "package" / "__init__.py")
    made(at / "checkout" / "module.py")
    made(at / "checkout" / "night" / "secret")


def shims(at: Path) -> None:
    made(at / "pyenv" / "shims" / "tool", "#!/usr/bin/env sh\n")
    made(at / "pyenv" / "libexec" / "pyenv")


def node(at: Path) -> None:
    made(at / "node" / "v20" / "bin" / "node")
    (at / "node" / "v20" / "lib" / "node_modules").mkdir(parents=True)


Prepare = Callable[[Path], None]
NEEDS: list[tuple[Prepare, list[str], set[str], set[str], str]] = [
    (environment, ["{}/env/bin/python3", "bot.py"],
     {"env", "python/3.11.7", "checkout/package", "checkout/module.py"},
     {"checkout", "checkout/night", "python"},
     "an environment, its Python, and packages that are installed by reference"),
    (shims, ["{}/pyenv/shims/tool"], {"pyenv"}, set(), "a shim starts what lies beside it"),
    (node, ["{}/node/v20/bin/node", "bot.js"], {"node/v20"}, {"node"}, "node and its modules"),
    (lambda at: made(at / "tools" / "bin" / "bot") and None, ["{}/tools/bin/bot"],
     {"tools/bin/bot"}, {"tools", "tools/bin"}, "one program among others"),
    (lambda at: made(at / "go" / "bot") and None, ["{}/go/bot"], {"go"}, set(),
     "a program in a folder of its own, with what lies beside it"),
    (lambda at: made(at / "other" / "bot.py") and None, ["sh", "{}/other/bot.py"], {"other"},
     set(), "a script may import what lies beside it"),
    (lambda at: made(at / "run", f"#!{at}/i/inner\n") and made(at / "i" / "inner") and None,
     ["{}/run"], {"run", "i"}, set(), "a script's interpreter"),
    (lambda at: made(at / "i" / "inner") and None, ["env", "X=1", "{}/i/inner"], {"i"}, set(),
     "a program that another one starts"),
    (lambda at: (at / "weights").mkdir(), ["sh", "--weights", "{}/weights"], {"weights"}, set(),
     "a folder that the command names"),
    (lambda at: None, ["sh", "-c", "exit " + "x" * 5000, "", "."], set(), set(),
     "words that are no names"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("prepare", "command", "visible", "not_whole", "because"), NEEDS, ids=[row[-1] for row in NEEDS]
)
def test_what_a_command_needs(
    prepare: Prepare,
    command: list[str],
    visible: set[str],
    not_whole: set[str],
    because: str,
    tmp_path: Path,
) -> None:
    prepare(tmp_path)
    bot = tmp_path / "bot"
    bot.mkdir()
    words = [word.format(tmp_path) for word in command]
    found = {trace(path)[1] for path in needs(words, bot, os.environ["PATH"])}
    assert {tmp_path / name for name in visible} <= found, because
    assert not {tmp_path / name for name in not_whole} & found, because


@pytest.mark.parametrize(
    ("folder", "wide"),
    [
        ("/", True), ("/tmp", True), ("/srv", True), ("{home}", True), ("{home}/.local", True),
        ("{home}/..", True), ("{home}/bots", False), ("/srv/bots", False),
    ],
)  # fmt: skip
def test_what_holds_too_much(
    folder: str, wide: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "people" / "somebody"
    monkeypatch.setenv("HOME", str(home))
    assert too_wide(Path(os.path.normpath(folder.format(home=home)))) == wide


def test_links_are_followed_one_by_one(tmp_path: Path) -> None:
    made(tmp_path / "real" / "deep" / "file")
    linked(tmp_path / "a", "real")
    linked(tmp_path / "b", "a/deep/../deep")
    linked(tmp_path / "loop", "loop")
    links, place = trace(tmp_path / "b" / "file")
    assert links == {tmp_path / "b": "a/deep/../deep", tmp_path / "a": "real"}
    assert place == tmp_path / "real" / "deep" / "file"
    trace(tmp_path / "loop" / "file")


def around(folder: Path, **words: object) -> Surroundings:
    bot = BotEntry("b", "1", (sys.executable,), str(folder), "", tuple(words.pop("readable", ())))
    for name in ("secrets", "others"):
        words.setdefault(name, [])
    return surroundings(bot, folder / "scratch", folder / "socket", **words)


def test_the_longer_path_has_the_last_word(tmp_path: Path) -> None:
    own, league, other = tmp_path / "own", tmp_path / "own" / "league", tmp_path / "own" / "other"
    shared = made(other / "shared" / "model.bin")
    made(league / "journal.jsonl")
    made(own / "bot.py")
    linked(own / "link", str(tmp_path / "elsewhere"))
    seen = around(own, secrets=[str(league)], others=[str(own), str(other)], readable=[str(shared)])
    rows = [
        (own / "bot.py", True, "its own folder"),
        (league / "journal.jsonl", False, "a secret in its own folder"),
        (other / "weights.bin", False, "another bot's folder within its own"),
        (shared, True, "what its owner shows it of another's"),
        (tmp_path / "elsewhere", False, "nobody's word"),
    ]
    assert [(path, seen.seen(path), why) for path, _, why in rows] == rows
    pieces = dict(seen.open_to(own))
    assert pieces == {own: False, own / "bot.py": True}, "a link may lead anywhere"


def test_no_word_opens_a_secret(tmp_path: Path) -> None:
    own, league = tmp_path / "own", tmp_path / "league"
    own.mkdir()
    journal = made(league / "journal.jsonl")
    seen = around(own, secrets=[str(league)], readable=[str(journal), str(league)])
    assert not seen.seen(journal)
    assert not seen.seen(league)

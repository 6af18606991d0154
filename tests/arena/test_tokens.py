"""Tokens of remote bots: given out once, kept as digests, revocable."""

import json
import sqlite3

import pytest

from arena import registry, store, tokens
from arena.errors import OperatorError
from arena.home import home
from tests.arena.runs import arena
from tests.arena.serving import registered


def shown(output: str) -> str:
    return output.partition("shown this once: ")[2].strip()


def holders() -> dict[str, str]:
    return {name: state.digest for name, state in tokens.states().items()}


def test_a_token_is_printed_once_and_kept_nowhere(arena_home) -> None:
    token = shown(arena("register", "far", "--remote").stdout)
    assert len(token) >= 43, "256 bits"
    assert tokens.holder(token, holders()) == "far"
    kept = b"".join(path.read_bytes() for path in arena_home.iterdir())
    assert token.encode() not in kept
    again = arena("register", "far", "--remote")
    assert again.returncode == 0
    assert not shown(again.stdout)
    assert tokens.holder(token, holders()) == "far"


def test_a_new_token_takes_the_old_one_s_place() -> None:
    old = registered()
    new = shown(arena("token", "new", "far").stdout)
    assert (tokens.holder(old, holders()), tokens.holder(new, holders())) == (None, "far")


WORTH_NOTHING = [
    (["token", "revoke", "far"], "revoked"),
    (["bots", "remove", "far"], "its bot is gone"),
    (["register", "far", "--replace", "--no-trial", "--", "true"], "its bot is another"),
    (["register", "far", "--replace", "--remote", "--version", "2"], "as another version"),
]


@pytest.mark.parametrize(("words", "because"), WORTH_NOTHING)
def test_a_token_is_worth_nothing_any_more(words: list[str], because: str) -> None:
    token, other = registered(), registered("other")
    assert arena(*words).returncode == 0
    assert tokens.holder(token, holders()) is None, because
    assert tokens.holder(other, holders()) == "other"


REFUSED = [
    (["token", "new", "nobody"], "no bot named 'nobody'"),
    (["token", "revoke", "nobody"], "no bot named 'nobody'"),
    (["token", "new", "near"], "started by the arena"),
    (["token", "revoke", "bare"], "has no token"),
    (["register", "x", "--remote", "--", "true"], "leave out command"),
    (["register", "near", "--remote"], "is registered already"),
]


@pytest.mark.parametrize(("words", "why"), REFUSED)
def test_what_is_refused(words: list[str], why: str) -> None:
    registry.register(registry.make("near", ["true"], home().parent))
    registry.register(registry.make_remote("bare"))
    done = arena(*words)
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("wrong", ["", "x", "é", "\ud800", "x" * 100_000])
def test_wrong_tokens(wrong: str) -> None:
    token = registered()
    for each in (wrong, token[:-1], token + wrong + " "):
        assert tokens.holder(each, holders()) is None


def test_who_was_seen() -> None:
    registered()
    registry.register(registry.make_remote("bare"))
    assert "far\t0\tremote, last seen never" in arena("bots").stdout
    assert "bare\t0\tremote, no token" in arena("bots").stdout
    tokens.saw("far")
    seen = tokens.states()["far"].last_seen
    assert f"last seen {seen}" in arena("bots").stdout
    listed = {bot["name"]: bot for bot in json.loads(arena("bots", "list", "--json").stdout)}
    assert (listed["far"]["last_seen"], listed["bare"]["last_seen"]) == (seen, None)


def test_bots_of_an_older_registry_are_kept(arena_home) -> None:
    registry.register(registry.make("near", ["true"], arena_home.parent))
    with sqlite3.connect(arena_home / store.FILE) as raw:
        raw.execute("DROP TABLE tokens")
        raw.execute("UPDATE alembic_version SET version_num = '0001'")
    raw.close()
    assert [bot.name for bot in registry.listing()] == ["near"]
    assert tokens.holder(registered(), holders()) == "far"


def test_a_token_of_nobody() -> None:
    with pytest.raises(OperatorError, match="no bot named"):
        tokens.give("nobody")

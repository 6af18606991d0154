"""The operator's database under rough handling."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from arena import registry, store
from arena.errors import OperatorError
from tests.arena.nobody import without_privileges
from tests.arena.runs import PATIENCE_S

WRITER = """
import sys
from pathlib import Path
from arena import registry
for number in range(int(sys.argv[2])):
    bot = registry.make(f"{sys.argv[1]} {number}", ["true"], Path("."))
    registry.register(bot)
"""


def put(name: str = "Sepp") -> registry.Bot:
    bot = registry.make(name, ["true"], Path.cwd())
    registry.register(bot)
    return bot


def overwrite(home: Path, content: bytes) -> None:
    home.mkdir(exist_ok=True)
    (home / store.FILE).write_bytes(content)


def test_processes_that_start_and_write_at_once_lose_nothing() -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, f"writer {number}", "15"])
        for number in range(3)
    ]
    assert [writer.wait(PATIENCE_S) for writer in writers] == [0, 0, 0]
    assert len(registry.listing()) == 45


def test_an_interrupted_transaction_leaves_nothing() -> None:
    put("stays")

    def interrupted() -> None:
        with store.transaction("write") as connection:
            connection.execute(store.BOTS.delete())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [bot.name for bot in registry.listing()] == ["stays"]


def test_a_reader_sees_the_last_commit_while_another_writes() -> None:
    put("old")
    with store.transaction("write") as connection:
        connection.execute(store.BOTS.delete())
        assert [bot.name for bot in registry.listing()] == ["old"]
    assert registry.listing() == ()


def test_the_steps_lead_to_the_tables_of_the_code() -> None:
    with store.transaction("read") as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, store.METADATA) == []
        assert context.get_current_revision() == store.SCHEMA


def test_a_newer_schema_is_refused_and_left_alone(arena_home: Path) -> None:
    put()
    with sqlite3.connect(arena_home / store.FILE) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()
    with pytest.raises(OperatorError, match=r"newer arena .*9999"):
        registry.listing()
    with pytest.raises(OperatorError, match=r"newer arena .*9999"):
        put("another")


@pytest.mark.parametrize(
    ("content", "because"),
    [
        (b"name,command\nSepp,true\n" * 100, "a text"),
        (b"SQLite format 3\0" + b"\xff" * 4096, "a head without a body"),
        (os.urandom(5000), "noise"),
    ],
)
def test_garbage_is_refused_and_kept(arena_home: Path, content: bytes, because: str) -> None:
    overwrite(arena_home, content)
    with pytest.raises(OperatorError, match="move it away"):
        registry.listing()
    assert (arena_home / store.FILE).read_bytes() == content, because


def test_an_empty_file_becomes_a_database(arena_home: Path) -> None:
    overwrite(arena_home, b"")
    put("Sepp")
    assert registry.get("Sepp").name == "Sepp"


def test_a_lock_held_too_long_is_reported(arena_home: Path) -> None:
    put()
    raw = sqlite3.connect(arena_home / store.FILE, isolation_level=None)
    raw.execute("BEGIN IMMEDIATE")
    with (
        pytest.raises(OperatorError, match="locked by another program"),
        store.transaction("write", patience_s=0.05),
    ):
        pytest.fail("two writers at once")
    raw.close()
    put("afterwards")


@pytest.mark.parametrize("below", ["a file", "/proc/self"])
def test_a_folder_that_cannot_be_made(
    below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / below / "home"))
    with pytest.raises(OperatorError, match="set ARENA_HOME"):
        registry.listing()


def test_a_read_only_folder(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short one, since a test's own folder is closed to nobody."""
    monkeypatch.setenv("ARENA_HOME", str(short))
    bot = put()
    (short / store.FILE).chmod(0o444)
    short.chmod(0o555)
    try:
        with without_privileges(), pytest.raises(OperatorError, match="writable"):
            registry.register(bot, replace=True)
    finally:
        short.chmod(0o755)


@pytest.mark.parametrize(
    ("variables", "expected", "because"),
    [
        ({"ARENA_HOME": "/a", "XDG_DATA_HOME": "/x"}, "/a", "the arena's own wins"),
        ({"XDG_DATA_HOME": "/x"}, "/x/schafkopf-arena", "the standard of desktops"),
        ({"ARENA_HOME": "", "XDG_DATA_HOME": ""}, "/h/.local/share/schafkopf-arena", "empty"),
        ({}, "/h/.local/share/schafkopf-arena", "the standard's default"),
    ],
)
def test_home(
    variables: dict[str, str], expected: str, because: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ARENA_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/h")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert store.home() == Path(expected), because


def test_the_registry_alone_does_not_load_sqlalchemy() -> None:
    code = (
        "import json, sys, arena.registry;"
        "print(json.dumps([n for n in ('sqlalchemy', 'alembic') if n in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert json.loads(done.stdout) == []

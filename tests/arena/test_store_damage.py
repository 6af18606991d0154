"""A registry that something else has changed is refused with what to do, whatever was changed."""

import random
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from arena import registry, store, tokens
from arena.errors import OperatorError
from tests.arena.runs import arena

MUTATIONS = 400
DAMAGED = "is damaged; move it away, and register the bots again"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A registry of some bots, in one file."""
    home = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_HOME", str(home))
        fill()
    with sqlite3.connect(home / store.FILE) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    return (home / store.FILE).read_bytes()


def fill() -> None:
    for number in range(5):
        registry.register(registry.make(f"bot {number}", ["true", "x" * number], Path("/")))
    registry.register(registry.make_remote("far"))
    tokens.give("far")


def put(home: Path, content: bytes) -> None:
    home.mkdir(exist_ok=True)
    for ending in ("-wal", "-shm"):
        (home / f"{store.FILE}{ending}").unlink(missing_ok=True)
    (home / store.FILE).write_bytes(content)


def use() -> None:
    registry.listing()
    tokens.states()
    tokens.saw("far")
    registry.register(registry.make("bot 3", ["false"], Path("/")), replace=True)
    registry.get("bot 3")


def refused() -> list[str]:
    """What is said to each use that fails; all else that is raised is a bug."""
    said = []
    uses: Iterable[Callable[[], object]] = (registry.listing, tokens.states, use)
    for each in uses:
        try:
            each()
        except OperatorError as error:
            said.append(str(error))
    return said


def mutated(content: bytes, dice: random.Random) -> bytes:
    changed = bytearray(content)
    # Most of a small database is empty.
    places = [at for at, byte in enumerate(content) if byte]
    for _ in range(dice.choice((1, 1, 2, 8))):
        changed[dice.choice(places)] = dice.randrange(256)
    return bytes(changed)


def test_no_changed_byte_is_a_bug_of_ours(arena_home: Path, sound: bytes) -> None:
    said: set[str] = set()
    for seed in range(MUTATIONS):
        put(arena_home, mutated(sound, random.Random(seed)))
        try:
            said.update(refused())
        except Exception as error:
            raise AssertionError(f"mutation {seed}") from error
    file = str(arena_home / store.FILE)
    assert f"{file} {DAMAGED}" in said
    assert all(file in each or "'bot 3'" in each for each in said)


CHANGES = [
    ("UPDATE bots SET command = 'x'", "no JSON"),
    ("UPDATE bots SET command = '[1]'", "a number for a word"),
    ("UPDATE bots SET command = '3'", "no list"),
    ("UPDATE bots SET command = 'null'", "nothing"),
    ("UPDATE bots SET command = 7", "no text"),
    ("UPDATE bots SET command = '" + "[" * 100_000 + "'", "nested too deep"),
    ("UPDATE bots SET command = '[\"\\ud800\"]'", "half a character"),
    ("UPDATE bots SET folder = x'ff'", "no text"),
    ("UPDATE bots SET folder = CAST(x'ff' AS TEXT)", "not UTF-8"),
    ("UPDATE tokens SET made = x'00'", "no text"),
    ("DELETE FROM alembic_version", "no version"),
    ("INSERT INTO alembic_version VALUES ('0001')", "two versions"),
    ("UPDATE alembic_version SET version_num = 'x'", "no version of ours"),
    ("UPDATE alembic_version SET version_num = x'ff'", "no text"),
    ("UPDATE alembic_version SET version_num = '0001'", "a step that was made already"),
    ("UPDATE alembic_version SET version_num = '0000'", "a step that never was"),
    ("ALTER TABLE alembic_version RENAME TO other", "no table of versions"),
    ("ALTER TABLE alembic_version RENAME version_num TO other", "a table of something else"),
    ("DROP TABLE bots", "no table of bots"),
    ("DROP TABLE tokens", "no table of tokens"),
    ("ALTER TABLE bots RENAME folder TO place", "another column"),
]


@pytest.mark.parametrize(("change", "because"), CHANGES, ids=[row[1] for row in CHANGES])
def test_rows_and_tables_that_are_none_of_ours(
    arena_home: Path, sound: bytes, change: str, because: str
) -> None:
    put(arena_home, sound)
    with sqlite3.connect(arena_home / store.FILE) as raw:
        raw.execute(change)
    raw.close()
    assert set(refused()) == {f"{arena_home / store.FILE} {DAMAGED}"}, because


def test_the_command_says_so_and_ends(arena_home: Path, sound: bytes) -> None:
    put(arena_home, sound.replace(b"CREATE TABLE bots", b"CREATE TABLE b\xb6ts"))
    told = arena("bots")
    assert told.returncode == 2
    assert told.stderr == f"arena: {arena_home / store.FILE} {DAMAGED}\n"


def test_a_call_that_no_database_could_answer_is_a_bug() -> None:
    with pytest.raises(Exception, match="bindings"), store.transaction("read") as connection:
        connection.exec_driver_sql("SELECT ?")

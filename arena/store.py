"""The operator's own database, one SQLite file, brought up to date whenever it is opened.

Import this module inside functions: SQLAlchemy is too heavy for commands without it.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from arena.errors import OperatorError
from arena.home import home

FILE: Final = "registry.sqlite"
SCHEMA: Final = "0002"
"""The newest step in `arena.migrations`."""
PATIENCE_S: Final = 10.0

METADATA: Final = sa.MetaData()
BOTS: Final = sa.Table(
    "bots",
    METADATA,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("version", sa.String, nullable=False),
    sa.Column("command", sa.JSON, nullable=False),
    sa.Column("folder", sa.String, nullable=False),
    sa.Column("registered", sa.String, nullable=False),
)
TOKENS: Final = sa.Table(
    "tokens",
    METADATA,
    sa.Column("bot", sa.String, primary_key=True),
    sa.Column("digest", sa.String, nullable=False),
    sa.Column("made", sa.String, nullable=False),
    sa.Column("last_seen", sa.String, nullable=True),
)

Row = TypeVar("Row", bound=msgspec.Struct)

_DAMAGED: Final = "is damaged; move it away, and register the bots again"
_LOCKED: Final = "is locked by another program; end that program, or try again"
_REMEDIES: Final = {
    "SQLITE_NOTADB": "is no database; move it away, and register the bots again",
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_PROTOCOL": _LOCKED,
    "SQLITE_READONLY": "can't be written; make it and its folder writable, or set ARENA_HOME",
    "SQLITE_CANTOPEN": "can't be opened; make it and its folder writable, or set ARENA_HOME",
    "SQLITE_PERM": "may not be opened; make it and its folder writable, or set ARENA_HOME",
    "SQLITE_FULL": "can't grow; free space on the disk, or set ARENA_HOME",
    "SQLITE_IOERR": "can't be read or written; look at the disk, or set ARENA_HOME",
}
"""What the operator can do, by SQLite's name of the error or the part that starts it."""


@contextmanager
def transaction(
    kind: Literal["read", "write"], *, patience_s: float = PATIENCE_S
) -> Iterator[sa.Connection]:
    """Open the database for one transaction, committed unless the block raises.

    Waits up to `patience_s` seconds for other writers. Raises OperatorError when the
    database can't be used.
    """
    path = home() / FILE
    _make(path.parent)
    try:
        with _connection(path, patience_s) as connection:
            _bring_up_to_date(connection, path)
            with _begun(connection, "DEFERRED" if kind == "read" else "IMMEDIATE"):
                yield connection
    except DBAPIError as error:
        raise OperatorError(f"{path} {_remedy(error)}") from error
    except UnicodeDecodeError as error:  # a text, or SQLite's own message that quotes one
        raise _damaged() from error


def rows(connection: sa.Connection, query: sa.Select[Any], record: type[Row]) -> list[Row]:
    """Return what a query finds. Raises OperatorError where that was never written here."""
    try:
        found = [
            msgspec.convert({name: row[name] for name in record.__struct_fields__}, record)
            for row in connection.execute(query).mappings()
        ]
        msgspec.json.encode(found)  # half a character can't be printed
    except (TypeError, ValueError, RecursionError, msgspec.ValidationError) as error:
        raise _damaged() from error
    return found


def _damaged() -> OperatorError:
    return OperatorError(f"{home() / FILE} {_DAMAGED}")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperatorError(
            f"{folder} can't be made: {error.strerror}; make the folder above writable, "
            "or set ARENA_HOME"
        ) from error


@contextmanager
def _connection(path: Path, patience_s: float) -> Iterator[sa.Connection]:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        connect_args={"timeout": patience_s},
        isolation_level="AUTOCOMMIT",  # transactions are begun by hand: see `_begun`
        poolclass=NullPool,
    )
    with engine.connect() as connection:
        yield connection


@contextmanager
def _begun(connection: sa.Connection, mode: Literal["DEFERRED", "IMMEDIATE"]) -> Iterator[None]:
    """Hold a transaction; a writer must say so at once, or two could wait for each other."""
    connection.exec_driver_sql(f"BEGIN {mode}")
    try:
        yield
    except BaseException:
        with suppress(DBAPIError):  # SQLite ends it by itself after some errors
            connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")


def _bring_up_to_date(connection: sa.Connection, path: Path) -> None:
    if _schema(connection) == SCHEMA:
        return
    with _alone(path.parent):  # switching to WAL doesn't wait for others by itself
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        with _begun(connection, "IMMEDIATE"):
            _migrate(connection, path)


def _schema(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
    if len(found) != 1 or not isinstance(found[0], str):
        raise _damaged()
    return found[0]


def _migrate(connection: sa.Connection, path: Path) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "arena:migrations")
    known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
    found = _schema(connection)
    if found is not None and found not in known:
        if not found.isdecimal() or found < SCHEMA:
            raise _damaged()
        raise OperatorError(
            f"{path} was written by a newer arena (schema {found}, known here up to {SCHEMA}); "
            "use that arena, or set ARENA_HOME to another folder"
        )
    command.upgrade(config, "head")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes out that ask for the same; given up when this process dies."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remedy(error: DBAPIError) -> str:
    """Say what to do. Raises the error again when it is no fault of the operator's.

    All statements are the arena's own: what SQLite can't do with them, the database is to blame
    for, save for a call that no database could answer.
    """
    if isinstance(error.orig, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        raise error
    name = getattr(error.orig, "sqlite_errorname", "")  # there where SQLite itself complains
    return next((remedy for start, remedy in _REMEDIES.items() if name.startswith(start)), _DAMAGED)

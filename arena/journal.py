"""Writes a league's journal: append-only, one writer, nothing lost but the line in flight."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from arena import journal_read, lock
from arena.done_keys import DoneKeys
from arena.errors import OperatorError
from arena.records import Footer, Header, IncidentLine, Key, Line, encode_body

_LOCK_NAME: Final = "lock"


class _Slim(msgspec.Struct):
    """The little that has to be known of lines written earlier."""

    kind: str
    key: Key | None = None


_SLIM: Final = msgspec.json.Decoder(_Slim)


class Writer:
    """The journal of one league, locked against other writers from here to `close`.

    Opening an existing journal checks its chain and moves a torn last line aside.
    Raises OperatorError and EvidenceError.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / journal_read.FILE_NAME
        self.header: Header | None = None
        """What the journal began with; None as long as nothing is written."""
        self.closed_by_footer = False
        """Whether the league is over, so that nothing more may be written."""
        self.done = DoneKeys()
        """Keys of all deals in the journal."""
        self.lost: Counter[str] = Counter()
        """How often each shard was lost, over all runs."""
        self.seen: set[Key] = set()
        """First deals of the sessions that remote bots saw and nobody finished."""
        self._chain = journal_read.CHAIN_START
        self._end = 0  # offset behind the last whole line
        self._session: list[Key] = []  # deals of a session that isn't whole yet, while reading
        self._session_chain = self._chain
        self._torn = False  # whether a failed write left something behind the end
        self._lock = lock.locked(
            folder,
            _LOCK_NAME,
            lambda holder: (
                f"another arena plays the league in {folder} (process {holder}); wait or stop it"
            ),
        )
        try:
            self._descriptor = _open_file(self.file)
            try:
                self._recover()
            except BaseException:
                os.close(self._descriptor)
                raise
        except BaseException:
            os.close(self._lock)
            raise
        self._open = True

    def append_session(self, bodies: Sequence[bytes], keys: Sequence[Key]) -> bool:
        """Write a session's lines from `encode_body` at once; False when they are there already.

        Raises OperatorError when the disk fails; the journal is whole then, too.
        """
        if any(key in self.done for key in keys):
            return False
        self._write(*bodies)
        for key in keys:
            self.done.add(key)
        return True

    def append(self, line: Header | IncidentLine | Footer) -> None:
        """Write a line that is no deal. Raises OperatorError when the disk fails."""
        assert (self.header is None) == isinstance(line, Header), "one header, first"
        self._write(encode_body(line))
        self._note(line)

    def check_alone(self) -> None:
        """Raise OperatorError where somebody else had a hand in the journal or in its lock."""
        for descriptor, path in (
            (self._lock, self.file.with_name(_LOCK_NAME)),
            (self._descriptor, self.file),
        ):
            if not _is_still(descriptor, path):
                raise OperatorError(
                    f"{path} was removed, moved or replaced while the league was played; put it"
                    " back, see that no other arena plays here, and resume the league"
                )
        size = os.fstat(self._descriptor).st_size
        if size != self._end and not self._torn:
            raise OperatorError(
                f"{self.file} was changed by somebody else while the league was played: it has"
                f" {size} bytes where {self._end} were written; `arena log verify` tells what is"
                " wrong with it"
            )

    def sync(self) -> None:
        """Wait until everything written is on the disk. Raises OperatorError."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._disk_error(error) from None

    def close(self) -> None:
        """Sync and give up the lock; a second call does nothing. Raises OperatorError."""
        if not self._open:
            return
        self._open = False
        try:
            self.sync()
        finally:
            os.close(self._descriptor)
            os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _note(self, line: Line) -> None:
        if isinstance(line, Header):
            self.header = line
            self.done.bound(line.schedule.deals)
        elif isinstance(line, Footer):
            self.closed_by_footer = True
        elif isinstance(line, IncidentLine) and line.incident == "shard_lost":
            self.lost[line.shard or ""] += 1
        elif isinstance(line, IncidentLine):
            self.seen.update(line.seen)

    def _write(self, *bodies: bytes) -> None:
        if self.closed_by_footer:
            raise OperatorError(f"{self.file} is closed; more deals are a new league")
        chain, rest = self._chain, b""
        for body in bodies:
            chain = journal_read.chained(chain, body)
            rest += journal_read.with_chain(body, chain)
        end = self._end + len(rest)
        self.check_alone()
        try:
            if self._torn:
                os.ftruncate(self._descriptor, self._end)
            self._torn = True
            while rest:  # a nearly full disk takes a part
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            self._cut_back()
            raise self._disk_error(error) from None
        self._torn = False
        self._chain = chain
        self._end = end

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._descriptor, self._end)
        except OSError:
            return  # tried again before the next line, and by the next arena
        self._torn = False

    def _disk_error(self, error: OSError) -> OperatorError:
        return OperatorError(
            f"cannot write {self.file}: {error.strerror}; its earlier lines are kept,"
            " so put the disk in order and resume the league"
        )

    def _recover(self) -> None:
        """Read everything through; what a crash left unfinished at the end is set aside."""
        torn = False
        for raw in journal_read.raw_lines(self.file):
            if self.closed_by_footer:
                raise journal_read.after_footer(self.file, raw.number)
            if not raw.whole:
                torn = True
                break
            if raw.number == 1:  # before its chain, which a newer format may have changed
                self._note(journal_read.decode(self.file, raw))
            before, self._chain = (
                self._chain,
                journal_read.check_chain(self.file, raw, self._chain),
            )
            if raw.number > 1:
                self._remember(raw, before)
            if not self._session:
                self._end = raw.start + len(raw.content) + 1
        if self._session:
            self._chain = self._session_chain
        if torn or self._session:
            self._set_aside()

    def _remember(self, raw: journal_read.RawLine, chain: bytes) -> None:
        """Note a line; a session's deals count when its last one is there."""
        try:
            slim = _SLIM.decode(raw.content)  # the chain has vouched for the rest
        except journal_read.UNREADABLE as error:
            raise journal_read.no_line(self.file, raw, error) from None
        if slim.kind != "deal" or slim.key is None:
            self._note(journal_read.decode(self.file, raw))
            return
        if not self.done.in_bounds(slim.key) or self.header is None:
            raise journal_read.evidence(self.file, raw.number, f"no such deal: {slim.key}")
        if not self._session:
            self._session_chain = chain
        self._session.append(slim.key)
        if (slim.key.deal + 1) % self.header.schedule.session_deals == 0:
            for key in self._session:
                self.done.add(key)
            self._session.clear()

    def _set_aside(self) -> None:
        """Move what stands behind the last whole session to a file of its own."""
        try:
            place = next(each for each in _torn_files(self.file) if not each.exists())
            size = os.fstat(self._descriptor).st_size - self._end
            with place.open("xb") as aside:
                aside.write(os.pread(self._descriptor, size, self._end))
                aside.flush()
                os.fsync(aside.fileno())
            os.ftruncate(self._descriptor, self._end)
        except OSError as error:
            raise self._disk_error(error) from None
        self._session.clear()
        if self.header is not None:
            detail = f"the last {size} bytes were left unfinished; they are in {place.name}"
            time = datetime.now(UTC).isoformat(timespec="seconds")
            self.append(IncidentLine(time=time, incident="torn_line", detail=detail))


def _torn_files(file: Path) -> Iterator[Path]:
    number = 1
    while True:
        yield file.with_name(f"{file.stem}.torn-{number}")
        number += 1


def is_held(folder: Path) -> bool:
    """Return whether an arena plays the league in this folder; no process number is trusted."""
    return lock.is_held(folder / _LOCK_NAME)


def _is_still(descriptor: int, path: Path) -> bool:
    """Return whether an open file is the one of this name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _open_file(file: Path) -> int:
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # so that the file's name outlives a power cut
        finally:
            os.close(folder)
    except OSError as error:
        raise OperatorError(f"cannot write {file}: {error.strerror}") from None
    return descriptor

"""Reads journals: whole lines, their order, their chain. A torn last line is no error."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.errors import EvidenceError, OperatorError
from arena.header_check import impossible
from arena.names import shown
from arena.paths import is_file, is_folder, refuse_pipe
from arena.records import FORMAT, DealLine, Footer, Header, Line

FILE_NAME: Final = "journal.jsonl"
"""Name of the journal within a league's folder."""

CHAIN_START: Final = b"0" * 64
"""Stands for the chain before the first line."""

_BEGINNING: Final = b'{"kind":"'
_CHAIN_KEY: Final = b',"chain":"'
_CHAIN_LENGTH: Final = len(_CHAIN_KEY) + 64 + len(b'"}')
_LONGEST_LINE: Final = 1 << 26
"""Bytes; whatever is longer is no journal and isn't read into memory."""

_LINES: Final = msgspec.json.Decoder(Line)
UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding raises; a line may also be nested too deep."""


class RawLine(NamedTuple):
    """One line as it stands in the file."""

    number: int
    """Counts from 1."""
    start: int
    """Offset of its first byte."""
    content: bytes
    """Without the line feed."""
    whole: bool
    """Whether the line feed is there; only a file's last line can be torn."""


def resembles(raw: RawLine) -> bool:
    """Return whether a line begins as all lines of journals do, be it torn or changed."""
    return raw.content.startswith(_BEGINNING[: max(len(raw.content), 1)])


class _Kind(msgspec.Struct):
    kind: str
    format: int = 0


_KINDS: Final = msgspec.json.Decoder(_Kind)


def locate(path: Path) -> Path:
    """Return the journal's file, given a league's folder or the file. Raises OperatorError."""
    file = path / FILE_NAME if is_folder(path) else path
    if not is_file(file):
        raise OperatorError(f"there is no journal {file}")
    return file


def has_begun(folder: Path) -> bool:
    """Return whether a league's folder holds a journal with a whole line."""
    try:
        with (folder / FILE_NAME).open("rb") as file:
            return file.readline(_LONGEST_LINE).endswith(b"\n")
    except OSError:
        return False


def raw_lines(file: Path) -> Iterator[RawLine]:
    """Yield the lines of a journal's file, a torn one last. Raises OperatorError."""
    start = 0
    refuse_pipe(file)
    try:
        with file.open("rb") as stream:
            number = 0
            while content := stream.readline(_LONGEST_LINE):
                number += 1
                whole = content.endswith(b"\n")
                if not whole and len(content) == _LONGEST_LINE:
                    raise evidence(file, number, "the line is too long for a journal")
                yield RawLine(number, start, content[:-1] if whole else content, whole)
                start += len(content)
    except OSError as error:
        raise OperatorError(f"cannot read {file}: {error.strerror}") from None


def evidence(file: Path, number: int, problem: str) -> EvidenceError:
    """Return the error that names the place of a contradiction.

    The problem may quote the line, which may hold anything.
    """
    return EvidenceError(f"{file}:{number}: {shown(problem)}")


def chained(previous: bytes, body: bytes) -> bytes:
    """Return the chain of a line, from the chain before and the line without its chain."""
    return hashlib.sha256(previous + body).hexdigest().encode()


def with_chain(body: bytes, chain: bytes) -> bytes:
    """Return the line as it stands in the file."""
    return b'%b%b%b"}\n' % (body[:-1], _CHAIN_KEY, chain)


def check_chain(file: Path, raw: RawLine, previous: bytes) -> bytes:
    """Return the line's chain. Raises EvidenceError when it doesn't follow from the line."""
    cut = len(raw.content) - _CHAIN_LENGTH
    chain = chained(previous, raw.content[: max(cut, 0)] + b"}")
    if raw.content[max(cut, 0) :] != _CHAIN_KEY + chain + b'"}':
        raise evidence(
            file, raw.number, "the chain is broken: this line or the one before was changed"
        )
    return chain


def claimed_chain(raw: RawLine) -> bytes | None:
    """Return the chain that a line says it has, or None where it says none."""
    tail = raw.content[-_CHAIN_LENGTH:]
    if not tail.startswith(_CHAIN_KEY) or len(tail) < _CHAIN_LENGTH:
        return None
    return tail[len(_CHAIN_KEY) : -len(b'"}')]


def decode(file: Path, raw: RawLine) -> Line:
    """Read one line; the first must be a header, and one that a league can begin with.

    Raises EvidenceError, and OperatorError for a journal of another format.
    """
    if raw.number == 1:
        refuse_other_formats(file, raw)
    try:
        line = _LINES.decode(raw.content)
    except UNREADABLE as error:
        raise no_line(file, raw, error) from None
    if isinstance(line, Header) != (raw.number == 1):
        raise evidence(file, raw.number, "a journal has one header, and it is the first line")
    problem = impossible(line) if isinstance(line, Header) else None
    if problem is not None:
        raise evidence(file, raw.number, problem)
    return line


def no_line(file: Path, raw: RawLine, error: Exception) -> EvidenceError:
    """Return the error for what can't be read as a line."""
    return evidence(file, raw.number, f"not a line of a journal: {error}")


def refuse_other_formats(file: Path, raw: RawLine) -> None:
    """Raise OperatorError when a journal's first line tells of another format.

    Nothing else of the line is believed before: another format may chain otherwise.
    """
    try:
        first = _KINDS.decode(raw.content)
    except UNREADABLE:
        return  # `decode` says so
    if first.kind == "header" and first.format != FORMAT:
        remedy = "a newer" if first.format > FORMAT else "the older"
        raise OperatorError(
            f"{file} has format {first.format}, but this arena reads format {FORMAT} alone;"
            f" use {remedy} arena for it, or start a new league in another folder"
        )


def read(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield each whole line with its number; `path` is a journal or its league's folder.

    Raises EvidenceError, also where the chain is broken, and OperatorError.
    """
    file = locate(path)
    closed = False
    chain = CHAIN_START
    bots = 0
    for raw in raw_lines(file):
        if closed:
            raise after_footer(file, raw.number)
        if raw.whole:
            line = decode(file, raw)
            chain = check_chain(file, raw, chain)
            if isinstance(line, DealLine):
                if max(line.seats) >= bots:
                    raise evidence(file, raw.number, f"seats are {line.seats}: no such bot")
            elif isinstance(line, Header):
                bots = len(line.bots)
            closed = isinstance(line, Footer)
            yield raw.number, line


def after_footer(file: Path, number: int) -> EvidenceError:
    """Return the error for what follows the end of a closed journal."""
    return evidence(file, number, "nothing may follow the footer")


def header(path: Path) -> Header:
    """Return a journal's first line. Raises EvidenceError and OperatorError."""
    for _, line in read(path):
        assert isinstance(line, Header)
        return line
    raise headless(locate(path))


def headless(file: Path) -> EvidenceError:
    """Return the error for a journal without a whole line."""
    return evidence(file, 1, "the header is missing")


def footer(path: Path) -> Footer | None:
    """Return a journal's last line where it is a footer; reads only the file's end.

    Raises OperatorError.
    """
    file = locate(path)
    try:
        content = _last_line(file)
        line = _LINES.decode(content)
    except OSError as error:
        raise OperatorError(f"cannot read {file}: {error.strerror}") from None
    except UNREADABLE:
        return None
    return line if isinstance(line, Footer) else None


def _last_line(file: Path) -> bytes:
    """Return the last whole line; empty where there is none."""
    with file.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        length = 4096
        while True:
            start = max(end - length, 0)
            stream.seek(start)
            whole, feed, _ = stream.read(end - start).rpartition(b"\n")
            _, earlier_feed, line = whole.rpartition(b"\n")
            if (earlier_feed and feed) or start == 0 or length >= _LONGEST_LINE:
                return line
            length *= 8

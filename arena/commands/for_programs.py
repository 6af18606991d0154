"""Output that programs read: whole and in UTF-8, whatever a terminal can show."""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from cyclopts import Parameter

UNHEARD = frozenset({errno.EPIPE, errno.EIO})
"""Errors of an output whose reader, or terminal, is gone."""
Json = Annotated[bool, Parameter(name="--json")]
"""The option that every command has whose output a program may want."""


def print_json(value: object, *, indented: bool = False) -> None:
    """Print a value as JSON, on one line unless it is to be indented."""
    import msgspec

    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a path of bytes that are no UTF-8
        import json

        encoded = json.dumps(msgspec.to_builtins(value)).encode()
    print_data((msgspec.json.format(encoded) if indented else encoded) + b"\n")


@contextmanager
def unless_unheard() -> Iterator[None]:
    """Print what comes at a command's end: who listens no more leaves its exit code alone."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in UNHEARD:
            raise


def print_data(data: bytes) -> None:
    """Print bytes as they are, after all that was printed before."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

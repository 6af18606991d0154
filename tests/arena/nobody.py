"""A user without rights, for tests that root runs: nothing is closed to root."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

NOBODY = 65_534


@contextmanager
def without_privileges() -> Iterator[None]:
    """Become nobody for a while, unless we are no more than somebody anyway."""
    if os.geteuid() != 0:
        yield
        return
    try:
        os.seteuid(NOBODY)
    except OSError as error:  # as in a container that knows root alone
        pytest.skip(f"root can't become somebody else here: {error}")
    try:
        yield
    finally:
        os.seteuid(0)

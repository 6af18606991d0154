"""What a machine may lack: short paths for sockets, whose own may be no longer than a hundred
bytes or so, and open files by the thousand.
"""

import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def needs_files(count: int) -> pytest.MarkDecorator:
    """Skip a test, and tell why, where it or what it starts could not have so many open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = soft != resource.RLIM_INFINITY and soft < count
    return pytest.mark.skipif(few, reason=f"{soft} open files are allowed here, not {count}")


@contextmanager
def short_folder() -> Iterator[Path]:
    """Hold a folder with a short path, however long those of the tests' own folders are."""
    with tempfile.TemporaryDirectory(prefix="s-", dir="/tmp", ignore_cleanup_errors=True) as name:
        yield Path(name)

"""How many tables the limit of open files suffices for."""

import resource
from typing import Final

from arena.errors import OperatorError

_COORDINATOR: Final = 32
"""Files of the coordinator without any table: 12 were measured, 8 while it launches a shard, and
the rest is for metrics."""
_PER_TABLE: Final = 3
"""Files of the coordinator for each table: two pipes and a watch on the process's end."""
_SHARD: Final = 28
"""Files of a shard without bots: 21 were measured, and some more while it launches one."""
_PER_BOT: Final = 5
"""Files of a shard for each bot: stream, output, log, and a watch on the process's end."""

NEEDED: Final = max(_SHARD + 4 * _PER_BOT, _COORDINATOR + _PER_TABLE)
"""With fewer files than this no table can be played: shards have the same limit."""


def tables_for(limit: int) -> int:
    """Return how many tables a limit suffices for at once."""
    return 0 if limit < NEEDED else (limit - _COORDINATOR) // _PER_TABLE


def files_for(tables: int) -> int:
    """Return the limit that suffices for so many tables at once."""
    return max(NEEDED, _COORDINATOR + _PER_TABLE * tables)


def limit() -> tuple[int, int]:
    """Return the limit of open files as it is, and how far this process may raise it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    top = 1 << 30  # the kernel's own bound is below
    return (
        top if soft == resource.RLIM_INFINITY else soft,
        top if hard == resource.RLIM_INFINITY else hard,
    )


def fit(tables: int) -> int:
    """Return how many of these tables can be played at once, raising the limit where it must.

    Raises OperatorError when not even one can. Child processes inherit the limit.
    """
    soft, hard = limit()
    if soft < files_for(tables) and soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    fitting = tables_for(soft)
    if fitting == 0:
        raise OperatorError(
            f"a process may open {soft} files here, but one table needs {NEEDED};"
            f" raise the limit, for example with: ulimit -n {files_for(tables)}"
        )
    return min(tables, fitting)

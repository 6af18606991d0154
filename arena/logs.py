"""The arena's own log by structlog: JSON lines in bounded files, readable lines on a terminal."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from arena.output import BoundedLog

_MOST_BYTES: Final = 16 << 20
"""Of a file; one older part of the same size is kept beside it."""
_FIRST: Final = 20
"""Of each kind so many are logged, and after that one at every doubling of their number."""
_TOLD: Final = frozenset({"warning", "error", "critical", "exception"})
"""Levels that a terminal shows."""


def to_stderr() -> None:
    """Log to standard error; the coordinator sends a shard's to a file."""
    _to(structlog.PrintLoggerFactory(sys.stderr), [_Rare()])


def to_file(path: Path, *, terminal: bool) -> None:
    """Append to a file, rotated when it is full; `terminal` also shows warnings to people."""
    logger = _BoundedLogger(path)
    _to(lambda *_: logger, [_on_terminal] if terminal else [])


def worth_a_line(count: int) -> bool:
    """Whether something that happened so often is told again: first always, then seldom."""
    return count <= _FIRST or count & (count - 1) == 0


class _Rare:
    """Leaves out most of what is said again and again, and says how often it was."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> EventDict:  # noqa: ARG002
        said = str(event["event"])
        self._counts[said] += 1
        count = self._counts[said]
        if not worth_a_line(count):
            raise structlog.DropEvent
        return event if count <= _FIRST else {**event, "count": count}


def bound(path: Path) -> None:
    """Set a file aside that another process appends to, when it is full. Raises OSError."""
    if path.exists() and path.stat().st_size >= _MOST_BYTES:
        path.replace(path.with_name(path.name + ".1"))


class _BoundedLogger:
    """Prints to a bounded file, at whatever level."""

    def __init__(self, path: Path) -> None:
        self._log = BoundedLog(path, _MOST_BYTES)

    def msg(self, line: str) -> None:
        self._log.write(f"{line}\n".encode(errors="replace"))

    log = debug = info = warning = error = critical = exception = msg


def _on_terminal(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """Show a line that matters to people, and pass it on.

    Standard error is looked up anew, since a progress bar may stand in its place.
    """
    if event["level"] in _TOLD and sys.stderr is not None:
        shown = {key: value for key, value in event.items() if key not in {"league", "timestamp"}}
        try:
            print(_console(logger, name, shown), file=sys.stderr, flush=True)  # noqa: T201
        except OSError:  # nobody listens; the file has it
            return event
    return event


_console: Final = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)


def _to(factory: Callable[..., WrappedLogger], processors: list[Processor]) -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            *processors,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=factory,
        cache_logger_on_first_use=False,
    )

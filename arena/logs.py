"""The arena's own log: JSON lines by structlog, apart from what the terminal shows."""

import sys
from pathlib import Path
from typing import TextIO

import structlog


def to_stderr() -> None:
    """Log to standard error; the coordinator sends a shard's to a file."""
    _to(sys.stderr)


def to_file(path: Path) -> None:
    """Append to a file, which stays open for the life of the process. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _to(path.open("a", encoding="utf-8", buffering=1))


def _to(file: TextIO) -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(file),
        cache_logger_on_first_use=False,
    )

"""Errors, sorted by who has to act."""

from typing import TypeVar

Raised = TypeVar("Raised", bound=Exception)


class ArenaError(Exception):
    """Raised on purpose by the arena; anything else that escapes is a bug."""

    exit_code = 1


class OperatorError(ArenaError):
    """The operator must change a file, an argument or the machine.

    Raised before any game starts, save when the machine fails in between.
    """

    exit_code = 2


class EvidenceError(ArenaError):
    """A journal contradicts itself or the rules. The message names file and line."""

    exit_code = 3


def single(errors: "BaseExceptionGroup[Raised]") -> Raised:
    """Return the first error of a group, however deep tasks within tasks have wrapped it."""
    first = errors.exceptions[0]
    return single(first) if isinstance(first, BaseExceptionGroup) else first

"""Errors, sorted by who has to act."""


class ArenaError(Exception):
    """Raised on purpose by the arena; anything else that escapes is a bug."""

    exit_code = 1


class OperatorError(ArenaError):
    """The operator must change a file or an argument. Raised before any game starts."""

    exit_code = 2


class EvidenceError(ArenaError):
    """A journal contradicts itself or the rules. The message names file and line."""

    exit_code = 3


def single(errors: "BaseExceptionGroup[ArenaError]") -> ArenaError:
    """Return the first error of a group, however deep tasks within tasks have wrapped it."""
    first = errors.exceptions[0]
    return single(first) if isinstance(first, BaseExceptionGroup) else first

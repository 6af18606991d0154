"""What the engine raises on purpose."""


class EngineError(ValueError):
    """Base of all errors that the engine raises on purpose."""


class NotationError(EngineError):
    """A text is no card, no action or no game."""


class IllegalActionError(EngineError):
    """An action is not among the legal ones; the deal is left as it was."""


class RuleSetError(EngineError):
    """A rule set contradicts itself or the engine; the message names the key."""


class ReplayError(EngineError):
    """Recorded actions do not follow from the rules."""

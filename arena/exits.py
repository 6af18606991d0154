"""How processes end, for people. Imports nothing heavy: the bridge needs it too."""

import signal
from typing import Final

STOPPED: Final = 130
"""Exit code after Ctrl-C, as shells expect it."""


def exit_text(status: int) -> str:
    """Return how a process ended from its return code; negative for a signal's number."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:  # real-time signals have no names
        return f"killed by signal {-status}"

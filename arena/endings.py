"""Signals that ask a process to end: the first is heard, more of them change nothing."""

import signal
from contextlib import suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from trio import CancelScope


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals to end by: SIGTERM always, the others unless they are ignored already.

    A terminal's signals are ignored by who was started by nohup, or in a script's background.
    """
    of_terminals = (signal.SIGINT, signal.SIGHUP)
    heard = [each for each in of_terminals if signal.getsignal(each) != signal.SIG_IGN]
    return signal.SIGTERM, *heard


class Endings:
    """Hears them from `cancel_at_one` on until the end of its block."""

    def __init__(self) -> None:
        self._before = {each: signal.getsignal(each) for each in ending_signals()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def cancel_at_one(self, scope: "CancelScope") -> None:
        """Cancel a scope of the running trio program at the first signal.

        Whatever follows that program in the block isn't cut short by signals either.
        """
        import trio

        token = trio.lowlevel.current_trio_token()

        def cancel(_number: int, _frame: FrameType | None) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(scope.cancel, idempotent=True)

        for number in self._before:
            signal.signal(number, cancel)

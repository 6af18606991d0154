"""Signals that ask a process to end: the first is heard, more of them change nothing."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trio import CancelScope

CancelAtOne = Callable[["CancelScope"], None]


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals to end by: SIGTERM always, the others unless they are ignored already.

    A terminal's signals are ignored by who was started by nohup, or in a script's background.
    """
    of_terminals = (signal.SIGINT, signal.SIGHUP)
    heard = [each for each in of_terminals if signal.getsignal(each) != signal.SIG_IGN]
    return signal.SIGTERM, *heard


@contextmanager
def endings() -> Iterator[CancelAtOne]:
    """Yield what has a scope of the running trio program cancelled at the first signal.

    From that call on to the end of the block no signal does more: what follows the program in
    there isn't cut short either.
    """
    before = {each: signal.getsignal(each) for each in ending_signals()}

    def cancel_at_one(scope: "CancelScope") -> None:
        import trio

        token = trio.lowlevel.current_trio_token()

        def cancel(_number: int, _frame: FrameType | None) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(scope.cancel, idempotent=True)

        for number in before:
            signal.signal(number, cancel)

    try:
        yield cancel_at_one
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

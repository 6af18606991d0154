"""Waiting in trio for what tasks of this process bring about."""

from collections.abc import Callable

import trio

from arena.process import BotProcess
from tests.arena.runs import PATIENCE_S


async def comes(true: Callable[[], object]) -> None:
    """Wait for something that tasks of this process bring about, such as reading last words."""
    with trio.fail_after(PATIENCE_S):
        while not true():  # noqa: ASYNC110  # it is no event
            await trio.sleep(0.01)


async def heard(process: BotProcess, *words: str) -> list[str]:
    """Wait until the process has printed a line that begins so; return its words."""
    with trio.fail_after(PATIENCE_S):
        while True:
            for line in process.tail:
                if line.split()[: len(words)] == list(words):
                    return line.split()
            await trio.sleep(0.01)

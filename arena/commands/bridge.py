"""`arena bridge`."""

import sys
from typing import Annotated

from cyclopts import Parameter, validators

_MOST_NAME = 200


def bridge(
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    max_batch: Annotated[int, Parameter(validator=validators.Number(gte=1, lte=256))] = 1,
    name: str | None = None,
    version: str = "",
) -> int:
    """Let a program without gRPC be a bot: the protocol as JSON lines on its input and output.

    Use it as a bot's command. When the program is ready it prints a hello; then it
    reads what the arena says and prints one answer per ask. It flushes each line;
    whatever else it has to say belongs on standard error, which ends in the bot's log:

      {"hello":{}}
      {"ask":{"ask_id":1, ... "decisions":[{"seat":2, ... "legal":[33,34]}]}}
      {"answer":{"ask_id":1,"actions":[33]}}

    Messages and fields are those of arena.proto, under the same names. What is
    `bytes` there is an array of integers here; a kind or reason is its name; fields
    are there even when 0 or empty. The program should end when its input does.

    For example:
      arena register "my bot" -- arena bridge -- python3 my_bot.py
      arena register fast -- arena bridge --max-batch 64 -- ./fast --quick

    Parameters
    ----------
    command
        The program and its arguments, after `--`.
    max_batch
        The most decisions in one ask; the answer holds an action for each, in order.
        This and what follows is for programs whose hello leaves it out.
    name
        The name that logs show; the command by default.
    version
        The version that logs show.
    """
    from arena import bridge as bot
    from arena.errors import OperatorError

    if not command:
        raise OperatorError("no command; give it after --, as in: arena bridge -- ./my_bot")
    hello = bot.Hello(name or " ".join(command)[:_MOST_NAME], version, max_batch)
    return bot.run(command, hello, _tell)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)

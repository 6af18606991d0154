"""The `arena` command: finds the command, prints errors, sets the exit code."""

import errno
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.exits import STOPPED

if TYPE_CHECKING:
    from cyclopts import App


def _app() -> "App":
    from cyclopts import App, Parameter

    from arena.commands import bots, bridge, doctor, log, ratings, rules, run, serve, status

    app = App(
        name="arena",
        help="""Let Schafkopf bots play leagues, keep every deal, rate the bots.

        Exit codes of all commands, besides those that their help names: 0 done, 2 something must
        be put right first, 3 a journal contradicts itself, 130 stopped.
        """,
        version=_version,
        help_format="plaintext",
        default_parameter=Parameter(negative=()),
        exit_on_error=False,
        result_action="return_value",
    )
    for function in (
        *(bots.register, run.run, status.status, ratings.ratings),
        *(bridge.bridge, doctor.doctor),
    ):
        app.command(function)
    app.command(serve.serve)
    for group in (bots.bots, serve.token, log.log, rules.rules):
        app.command(group)
    return app


def _version() -> str:
    from importlib.metadata import version

    return version("schafkopf-arena")


def _stand_in_for_closed_streams() -> None:
    """Let those be written to that this process was started without."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # to the end


def _write_what_can_be_written() -> None:
    """Let names in other alphabets be shown as well as a terminal's encoding can."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _give_up_unwritten() -> None:
    """Forget what nobody takes: Python would try once more, and end with a code of its own."""
    for stream in filter(None, (sys.__stdout__, sys.__stderr__)):  # a bar may stand before them
        try:
            stream.flush()
        except OSError:
            with open(os.devnull, "wb") as nothing:  # noqa: PTH123
                os.dup2(nothing.fileno(), stream.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or the exit code of the error."""
    _stand_in_for_closed_streams()
    _write_what_can_be_written()
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        return STOPPED
    except BaseExceptionGroup as group:
        _, others = group.split(KeyboardInterrupt)  # which a nursery wraps
        if others is not None:
            raise
        return STOPPED
    finally:
        _give_up_unwritten()


def _main(arguments: Sequence[str] | None) -> int:
    from cyclopts import CycloptsError

    from arena.commands.for_programs import UNHEARD

    try:
        result = _app()(arguments)
    except CycloptsError:
        return 2
    except ArenaError as error:
        print(f"arena: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader of our output has seen enough
        return 0
    except OSError as error:
        return _refused_output(error)
    code = result if isinstance(result, int) else 0
    try:
        sys.stdout.flush()
    except OSError as error:
        # The reader has seen enough, or the terminal is gone: that is no failure.
        return code if error.errno in UNHEARD else _refused_output(error)
    return code


def _refused_output(error: OSError) -> int:
    if error.errno not in {errno.ENOSPC, errno.EDQUOT} or error.filename is not None:
        raise error
    print(f"arena: cannot write the output: {error.strerror}", file=sys.stderr)
    return 2

"""The `arena` command: finds the command, prints errors, sets the exit code."""

import errno
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING

from arena.errors import ArenaError

if TYPE_CHECKING:
    from cyclopts import App


def _app() -> "App":
    from cyclopts import App, Parameter

    from arena.commands import bots, bridge, doctor, log, ratings, rules, run, serve, status

    app = App(
        name="arena",
        help="Let Schafkopf bots play leagues, keep every deal, rate the bots.",
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


def _write_what_can_be_written() -> None:
    """Let names in other alphabets be shown as well as a terminal's encoding can."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or the exit code of the error."""
    from cyclopts import CycloptsError

    _write_what_can_be_written()
    try:
        result = _app()(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except CycloptsError:
        return 2
    except ArenaError as error:
        print(f"arena: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has seen enough
        return 0
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT} or error.filename is not None:
            raise
        print(f"arena: cannot write the output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python would try once more
        return 2
    return result if isinstance(result, int) else 0

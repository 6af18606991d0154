"""The `arena` command: finds the command, prints errors, sets the exit code."""

import sys
from collections.abc import Sequence
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or the exit code of the error."""
    from cyclopts import CycloptsError

    try:
        result = _app()(arguments)
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
    return result if isinstance(result, int) else 0

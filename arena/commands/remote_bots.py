"""What `arena run` does about bots that dial in."""

from shlex import quote
from typing import TYPE_CHECKING

from arena.errors import OperatorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.plan import Plan


def require(plan: "Plan") -> None:
    """Raise OperatorError when remote bots take part that couldn't come."""
    if plan.lobby is None:
        return
    import trio

    from arena import tokens
    from arena.plan import remote_bots
    from arena.remote import require_lobby

    known = tokens.states()
    for name in remote_bots(plan):
        if name not in known:
            raise OperatorError(f"{name!r} has no token; make one: arena token new {quote(name)}")
    trio.run(require_lobby, plan.lobby)


def tell(plan: "Plan", say: "Callable[[str], None]") -> None:
    """Tell what is special about remote bots, if any take part."""
    from arena.plan import remote_bots

    for name in remote_bots(plan):
        say(f"isolation of {name}: remote")


def describe(plan: "Plan") -> str | None:
    """Return what remote bots need, for a dry run; None where there are none."""
    if plan.lobby is None:
        return None
    from arena.plan import most_streams, remote_bots

    return (
        f"remote     {', '.join(remote_bots(plan))}: `arena serve` has to run, and each may be"
        f" wanted\n             at {most_streams(plan)} seats at once"
    )

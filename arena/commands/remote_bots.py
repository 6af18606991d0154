"""What `arena run` does about bots that dial in."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.plan import Plan


def prepare(plan: "Plan", say: "Callable[[str], None]") -> None:
    """Tell what is special about remote bots, if any take part.

    Raises OperatorError when they couldn't come.
    """
    if plan.lobby is None:
        return
    import trio

    from arena.plan import remote_bots
    from arena.remote import require_lobby

    trio.run(require_lobby, plan.lobby)
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

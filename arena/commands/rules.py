"""`arena rules`."""

import json
from typing import Annotated

from cyclopts import App, Parameter

rules = App(name="rules", help="List and show rule sets.")


@rules.default
@rules.command(name="list")
def listing(*, json_output: Annotated[bool, Parameter(name="--json")] = False) -> None:
    """List the rule sets that are shipped.

    For example:
      arena rules

    Parameters
    ----------
    json_output
        Print a JSON array.
    """
    from arena import rulebook

    if json_output:
        print(json.dumps(list(rulebook.names())))
        return
    for name in rulebook.names():
        print(f"{name:<16}{rulebook.load(name).title}")


@rules.command
def show(name: str, /) -> None:
    """Print the effective rules of a rule set, or of a file, as JSON.

    For example:
      arena rules show online
      arena rules show my-rules.toml

    Parameters
    ----------
    name
        A shipped rule set or a TOML file.
    """
    from arena import rulebook

    print(json.dumps(rulebook.effective(name), indent=2, ensure_ascii=False))

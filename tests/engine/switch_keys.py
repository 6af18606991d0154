"""Every switch that a rule set's file may hold, by its dotted key."""

from dataclasses import fields, is_dataclass
from typing import Literal, get_args, get_origin, get_type_hints

from engine.auctions import PROCEDURES
from engine.model import RuleSet
from engine.pass_outs import PASS_OUTS


def types_of(record, path=""):
    """Yield each switch with the type of its values."""
    hints = get_type_hints(record)
    for field in fields(record):
        hint = hints[field.name]
        if field.metadata:
            continue
        if is_dataclass(hint):
            yield from types_of(hint, f"{path}{field.name}.")
        else:
            yield f"{path}{field.name}", hint


SWITCH_TYPES = dict(types_of(RuleSet))
"""The type of every switch."""

CLOSED = {
    **{key: set(get_args(h)) for key, h in SWITCH_TYPES.items() if get_origin(h) is Literal},
    **{key: {False, True} for key, hint in SWITCH_TYPES.items() if hint is bool},
    "auction.procedure": set(PROCEDURES),
    "auction.pass_out": set(PASS_OUTS),
}
"""The values of every switch that has a closed list of them."""

DESCRIBES = {"name", "title", "source"}
"""Keys that tell of a rule set, and change nothing."""

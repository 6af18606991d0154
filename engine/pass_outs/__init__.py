"""One file per way to go on when nobody wants to play; each is found by existing."""

from importlib import import_module
from pkgutil import iter_modules

from engine.model import PassOut

PASS_OUTS: dict[str, PassOut] = {
    pass_out.key: pass_out
    for module in iter_modules(__path__)
    for pass_out in import_module(f"{__name__}.{module.name}").PASS_OUTS
}
"""All ways by key."""

"""One file per way to hold the auction; each is found by existing."""

from importlib import import_module
from pkgutil import iter_modules

from engine.model import Procedure

PROCEDURES: dict[str, Procedure] = {
    procedure.key: procedure
    for module in iter_modules(__path__)
    for procedure in import_module(f"{__name__}.{module.name}").PROCEDURES
}
"""All procedures by key."""

"""One file per family of games; each is found by existing."""

from importlib import import_module
from pkgutil import iter_modules

from engine.model import GameType

GAMES: dict[str, GameType] = {
    game.key: game
    for module in iter_modules(__path__)
    for game in import_module(f"{__name__}.{module.name}").GAME_TYPES
}
"""All game types by key."""

"""Everybody plays for himself: each game that nobody announces is a way to go on (S1)."""

from functools import partial

from engine.model import Deal, GameType, PassOut
from engine.rules import begin_play
from engine.variants import GAMES


def _play(game: GameType, deal: Deal) -> None:
    begin_play(deal, game, None)


PASS_OUTS = tuple(
    PassOut(game.family, partial(_play, game), (game,))
    for game in GAMES.values()
    if game.everybody_alone
)

"""Klopfen: each seat may double after seeing the first half of its hand (dossier 5)."""

from engine.action_ids import KLOPFEN, NO_KLOPFEN
from engine.model import Deal


def begin(deal: Deal) -> None:
    """Ask everybody in turn, and then hold the auction."""
    deal.knocking = True
    deal.legal = bytes((NO_KLOPFEN, KLOPFEN))
    deal.step = _answer


def _answer(deal: Deal, action: int) -> None:
    if action == KLOPFEN:
        deal.klopfen.append(deal.turn)
    deal.turn = (deal.turn + 1) & 3
    if deal.turn == deal.forehand:
        deal.knocking = False
        deal.rules.procedure.begin(deal)

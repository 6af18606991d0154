"""What one seat may know: the only path from a deal to a bot."""

from typing import NamedTuple

from engine.model import Deal


class Observation(NamedTuple):
    """Everything the asked seat may know of its deal, in the protocol's codes."""

    seat: int
    forehand: int
    hand: int
    """The cards still held, as a set."""
    auction: bytes
    """Two bytes per call: seat, action."""
    game: int
    """The announcement of the game; 0 while there is none, as on the wire."""
    declarer: int
    """0 while there is no game, as on the wire."""
    plays: bytes
    """One byte per card: seat * 32 + card."""
    stoss: bytes
    """Seats that doubled."""
    legal: bytes
    """Action numbers, ascending."""


def observe(deal: Deal) -> Observation:
    """Return what the seat `deal.turn` is shown with its question."""
    seat = deal.turn
    game = deal.game
    return Observation(
        seat,
        deal.forehand,
        deal.hands[seat],
        bytes(deal.auction),
        0 if game is None else game.announcement,
        deal.declarer or 0,
        bytes(deal.plays),
        bytes(deal.stoss),
        deal.legal,
    )

"""What one seat may know: the only path from a deal to a bot."""

from typing import NamedTuple

from engine.model import Deal, Four


class House(NamedTuple):
    """What only some house rules have, and so most observations lack."""

    klopfen: bytes
    """Seats that doubled before the auction."""
    exchange: bytes
    """For who exchanged a card in a Hochzeit: the card given, the card got."""
    stock: int
    bock: int
    tally: bytes
    """Strokes and Schafköpfe of the two pairs, where they are counted."""


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
    house: House | None
    """None where the rules have nothing of it."""


def observe(deal: Deal) -> Observation:
    """Return what the seat `deal.turn` is shown with its question."""
    seat = deal.turn
    game = deal.game
    return Observation(
        seat,
        deal.forehand,
        deal.first[seat] if deal.knocking else deal.hands[seat],
        bytes(deal.auction),
        0 if game is None else game.announcement,
        deal.declarer or 0,
        bytes(deal.plays),
        bytes(deal.stoss),
        deal.legal,
        _house(deal, seat) if deal.rules.rare else None,
    )


def _house(deal: Deal, seat: int) -> House:
    return House(
        bytes(deal.klopfen),
        b"" if deal.exchange is None else _exchange(deal.exchange, seat),
        deal.carried.stock,
        deal.carried.bock,
        _tally(deal) if deal.rules.session.schafkopf_strokes else b"",
    )


def _exchange(exchange: Four, seat: int) -> bytes:
    offerer, taker, trump, returned = exchange
    if seat == offerer:
        return bytes((trump, returned))
    return bytes((returned, trump)) if seat == taker else b""


def _tally(deal: Deal) -> bytes:
    return bytes((*deal.carried.strokes, *deal.carried.schafkoepfe))

"""A journal's deal line from a finished deal; the same for who plays and who verifies."""

import msgspec

from arena.records import CarriedLine, DealLine, FaultLine, Key, Result, Times
from engine.actions import NAMES
from engine.cards import card_name, hand_text
from engine.model import Carried, Deal
from engine.scoring import doublings, settle

Four = tuple[int, int, int, int]


class Conduct(msgspec.Struct, frozen=True):
    """How the bots behaved, which can't be told from the cards; fields as in `DealLine`."""

    asked: Four
    think_us: Four
    faults: tuple[FaultLine, ...] = ()
    stood_down: tuple[int, ...] = ()
    cpu_us: tuple[int, ...] = ()
    times: tuple[Times | None, ...] = ()
    sent: tuple[str, ...] = ()
    thought_us: tuple[int, ...] = ()


def conduct_of(line: DealLine) -> Conduct:
    """Return how the bots behaved by a line that exists already."""
    return Conduct(
        line.asked,
        line.think_us,
        line.faults,
        line.stood_down,
        line.cpu_us,
        line.times,
        line.sent,
        line.thought_us,
    )


def deal_line(key: Key, seats: Four, deal: Deal, actions: bytes, conduct: Conduct) -> DealLine:
    """Return the line of a finished deal.

    `actions` holds every answer in the order of the questions, the house's included.
    """
    assert deal.finished, "only a finished deal is journaled"
    first, second, third, fourth = map(hand_text, deal.dealt)
    ending = settle(deal)
    return DealLine(
        key=key,
        seats=seats,
        forehand=deal.forehand,
        hands=(first, second, third, fourth),
        auction=_auction(deal),
        stoss=tuple(deal.stoss),
        plays=tuple([(play >> 5, card_name(play & 31)) for play in deal.plays]),
        actions=" ".join([NAMES[action] for action in actions]),
        asked=conduct.asked,
        think_us=conduct.think_us,
        faults=conduct.faults,
        stood_down=conduct.stood_down,
        result=Result(
            game=None if deal.game is None else deal.game.key,
            declarer=deal.declarer,
            side=ending.side,
            points=four(deal.points),
            tricks=four(deal.tricks),
            won=ending.won,
            schneider=ending.schneider,
            schwarz=ending.schwarz,
            laufende=ending.laufende,
            doublings=doublings(deal),
        ),
        payoff=ending.payoff,
        first=tuple(map(hand_text, deal.first)) if deal.rules.klopfen else (),
        klopfen=tuple(deal.klopfen),
        carried=carried_line(deal.carried) if deal.rules.session.carries else None,
        cpu_us=conduct.cpu_us,
        times=conduct.times,
        sent=conduct.sent,
        thought_us=conduct.thought_us,
    )


def carried_line(carried: Carried) -> CarriedLine:
    """Return what a deal was left by its session, as it stands in the journal."""
    return CarriedLine(carried.stock, carried.bock, carried.strokes, carried.schafkoepfe)


def _auction(deal: Deal) -> tuple[tuple[int, str], ...]:
    calls = deal.auction
    return tuple([(calls[at], NAMES[calls[at + 1]]) for at in range(0, len(calls), 2)])


def four(values: list[int]) -> Four:
    """Return four values, one per seat, as a tuple that the type checker can count."""
    first, second, third, fourth = values
    return first, second, third, fourth

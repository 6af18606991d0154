"""A journal's lines as people read them."""

from difflib import get_close_matches
from typing import Final

import msgspec

from arena.errors import OperatorError
from arena.names import composed, shown
from arena.records import (
    CarriedLine,
    DealLine,
    Footer,
    Header,
    IncidentLine,
    Line,
    Result,
)

_FEW_NAMES: Final = 5

LEGEND: Final = (
    "* bids first; suits Eichel, Gras, Herz, Schellen; ranks Ace, X ten, King, Ober, Unter, 9, 8, 7"
)
"""Explains what is shown of deals."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which lines are asked for; all are where nothing is."""

    deal: int | None = None
    bot: int | None = None
    """One of the header's bots."""
    faults: bool = False
    incidents: bool = False

    def takes(self, line: Line, header: Header) -> bool:
        """Return whether a line is one of those."""
        if self.incidents:
            return isinstance(line, IncidentLine) and (
                self.bot is None or line.bot == header.bots[self.bot].name
            )
        if self.deal is None and self.bot is None and not self.faults:
            return True
        return isinstance(line, DealLine) and self._takes_deal(line)

    def _takes_deal(self, line: DealLine) -> bool:
        at_fault = {line.seats[fault.seat] for fault in line.faults}
        return (
            (self.deal is None or line.key.deal == self.deal)
            and (self.bot is None or self.bot in line.seats)
            and (not self.faults or bool(at_fault if self.bot is None else self.bot in at_fault))
        )


def bot_number(name: str, header: Header) -> int:
    """Return the index of a league's bot. Raises OperatorError, naming those of similar names."""
    names = [bot.name for bot in header.bots]
    wanted = composed(name)
    if wanted in names:
        return names.index(wanted)
    near = get_close_matches(wanted, names) or names[:_FEW_NAMES]
    more = ", ..." if len(names) > len(near) else ""
    raise OperatorError(
        f"no bot {name!r} played in this league; there are {', '.join(map(repr, near))}{more}"
    )


def gain(line: DealLine, bot: int) -> int:
    """Return what a deal brought a bot, in all its seats together."""
    return sum(line.payoff[seat] for seat in range(4) if line.seats[seat] == bot)


def text(line: Line, header: Header, bot: int | None = None) -> str:
    """Return a line for people; a deal takes several rows, some about a bot that is asked for."""
    return "\n".join(map(shown, _text(line, header, bot).split("\n")))


def _text(line: Line, header: Header, bot: int | None) -> str:
    match line:
        case Header():
            bots = ", ".join(repr(bot.name) for bot in line.bots)
            text = f"league {line.league!r}, rules {line.rules['name']}, bots {bots}"
            origin = line.rescored_from
            return text if origin is None else f"{text}; played by the rules {origin.rules}"
        case IncidentLine():
            parts = (line.time, line.incident, line.shard, line.bot, line.detail)
            return " ".join(part for part in parts if part is not None)
        case Footer():
            return f"finished {line.time}: {line.deals} deals, {len(line.missing)} missing"
        case DealLine():
            return _deal_text(line, header, bot)


def _deal_text(line: DealLine, header: Header, bot: int | None) -> str:
    names = [header.bots[each].name for each in line.seats]
    rows = [f"deal {line.key.deal}, seating {line.key.seating} of lineup {line.key.lineup}"]
    rows.extend(
        f"  {names[seat]} in seat {seat}: {_role(line.result, seat)}, {line.payoff[seat]:+}"
        for seat in range(4)
        if line.seats[seat] == bot
    )
    if line.carried is not None:
        rows.append(f"  carried {_carried_text(line.carried)}")
    payoffs = [f"{payoff:+}" for payoff in line.payoff]
    width = max(5, *map(len, payoffs))
    for seat in range(4):
        mark = "*" if seat == line.forehand else " "
        rows.append(f" {mark}{seat} {payoffs[seat]:>{width}} {line.hands[seat]}  {names[seat]}")
    if line.klopfen:
        rows.append("  klopfen " + _seats(line.klopfen))
    rows.append("  auction " + " ".join(f"{seat}:{call}" for seat, call in line.auction))
    if line.stoss:
        rows.append("  stoss   " + _seats(line.stoss))
    for start in range(0, len(line.plays), 4):
        trick = " ".join(card for _, card in line.plays[start : start + 4])
        rows.append(f"  {line.plays[start][0]}: {trick}")
    rows.append("  " + _result_text(line.result))
    rows.extend(f"  fault of {f.seat}: {f.fault}: {f.detail}" for f in line.faults)
    return "\n".join(rows)


def _role(result: Result, seat: int) -> str:
    if result.game is None:
        return "passed out"
    if result.declarer is None:
        return "alone"
    if seat == result.declarer:
        return "declarer"
    return "partner" if seat in result.side else "opponent"


def _result_text(result: Result) -> str:
    if result.game is None:
        return "passed out"
    points = " ".join(map(str, result.points))
    rest = f"Laufende {result.laufende}, doubled {result.doublings} times"
    if result.declarer is None:
        return f"{result.game}: Augen {points}, {rest}"
    partners = _seats(tuple(seat for seat in result.side if seat != result.declarer))
    who = f"{result.declarer} with {partners}" if partners else f"{result.declarer}"
    ending = "won" if result.won else "lost"
    together = sum(result.points[seat] for seat in result.side)
    return f"{result.game} by {who}: {ending} with {together} Augen of {points}, {rest}"


def _carried_text(carried: CarriedLine) -> str:
    parts = []
    if carried.stock:
        parts.append(f"Stock {carried.stock}")
    if carried.bock:
        parts.append(f"{carried.bock} doubled deals of a Bock round")
    if any((*carried.strokes, *carried.schafkoepfe)):
        parts.append("strokes {}:{}".format(*carried.strokes))
        parts.append("Schafköpfe {}:{}".format(*carried.schafkoepfe))
    return ", ".join(parts) or "nothing"


def _seats(seats: tuple[int, ...]) -> str:
    return " ".join(map(str, seats))

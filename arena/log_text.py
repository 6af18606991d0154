"""A journal's lines as people read them."""

from arena.records import (
    CarriedLine,
    DealLine,
    Footer,
    Header,
    IncidentLine,
    Line,
    Result,
)


def wanted(line: Line, *, deal: int | None, faults: bool, incidents: bool) -> bool:
    """Return whether a line is one of those that are asked for; all are where nothing is."""
    if incidents:
        return isinstance(line, IncidentLine)
    if deal is None and not faults:
        return True
    if not isinstance(line, DealLine):
        return False
    return (deal is None or line.key.deal == deal) and (not faults or bool(line.faults))


def text(line: Line, header: Header) -> str:
    """Return a line for people; a deal takes several rows."""
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
            return _deal_text(line, header)


def _deal_text(line: DealLine, header: Header) -> str:
    names = [header.bots[bot].name for bot in line.seats]
    rows = [f"deal {line.key.deal}, seating {line.key.seating} of lineup {line.key.lineup}"]
    if line.carried is not None:
        rows.append(f"  carried {_carried_text(line.carried)}")
    for seat in range(4):
        mark = "*" if seat == line.forehand else " "
        rows.append(f" {mark}{seat} {line.payoff[seat]:+5} {line.hands[seat]}  {names[seat]}")
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


def _result_text(result: Result) -> str:
    if result.game is None:
        return "passed out"
    who = result.game if result.declarer is None else f"{result.game} by {result.declarer}"
    ending = "" if result.won is None else f" {'won' if result.won else 'lost'},"
    return (
        f"{who}:{ending} Augen {' '.join(map(str, result.points))}, "
        f"Laufende {result.laufende}, doubled {result.doublings} times"
    )


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

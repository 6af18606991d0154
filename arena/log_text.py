"""A journal's lines as people read them."""

from arena.records import DealLine, Footer, Header, IncidentLine, Line


def wanted(line: Line, *, deal: int | None, faults: bool) -> bool:
    """Return whether a line is of this deal, or has a fault, as far as either is asked for."""
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
            return f"league {line.league!r}, rules {line.rules['name']}, bots {bots}"
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
    for seat in range(4):
        mark = "*" if seat == line.forehand else " "
        rows.append(f" {mark}{seat} {line.payoff[seat]:+5} {line.hands[seat]}  {names[seat]}")
    rows.append("  auction " + " ".join(f"{seat}:{call}" for seat, call in line.auction))
    for start in range(0, len(line.plays), 4):
        trick = " ".join(card for _, card in line.plays[start : start + 4])
        rows.append(f"  {line.plays[start][0]}: {trick}")
    result = line.result
    if result.game is None:
        rows.append("  passed out")
    else:
        rows.append(
            f"  {result.game} by {result.declarer}: {'won' if result.won else 'lost'}, "
            f"Augen {' '.join(map(str, result.points))}, Laufende {result.laufende}, "
            f"doubled {result.doublings} times"
        )
    rows.extend(f"  fault of {f.seat}: {f.fault}: {f.detail}" for f in line.faults)
    return "\n".join(rows)

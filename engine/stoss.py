"""Doubling: who is asked when, so that asking never tells what a seat holds.

A seat is offered to double at its own turn while the window is open, and all but the
declarer once more just before it closes. A reply is offered at once. Whoever is asked
without a right gets the one answer that declines.
"""

from engine.action_ids import NO_STOSS, STOSS
from engine.model import Deal, StepFunction

_DECLINE = bytes((NO_STOSS,))
_CHOICE = bytes((NO_STOSS, STOSS))


def offer(deal: Deal, answer: StepFunction) -> None:
    """Add doubling to the question for a card, or put the poll before it.

    `answer` takes the answers of the poll.
    """
    rules = deal.rules.stoss
    laid = len(deal.plays)
    if laid >= rules.closes_before_card:
        deal.window = False
        return
    last_chance = laid == rules.closes_before_card - 1 and not rules.own_card_only
    if last_chance and not deal.polled and not deal.stoss:
        deal.polled = True
        deal.mover = deal.turn
        deal.poll = [seat for seat in _clockwise(deal.turn, 4) if seat != deal.declarer]
        deal.step = answer
        ask_next(deal)
    elif _may_double(deal, deal.turn):
        deal.legal += bytes((STOSS,))


def double(deal: Deal) -> None:
    """Record that the asked seat doubles, and line up those who are offered the reply."""
    speaker = deal.turn
    deal.stoss.append(speaker)
    deal.poll = _repliers(deal, speaker)


def ask_next(deal: Deal) -> bool:
    """Put the poll's question to the next seat; return whether one was left."""
    if not deal.poll:
        return False
    seat = deal.turn = deal.poll.pop(0)
    deal.legal = _CHOICE if _may_double(deal, seat) else _DECLINE
    return True


def _clockwise(start: int, count: int) -> list[int]:
    return [(start + offset) & 3 for offset in range(count)]


def _may_double(deal: Deal, seat: int) -> bool:
    rules = deal.rules.stoss
    said = len(deal.stoss)
    if said >= rules.steps:
        return False
    on_side = bool(deal.side >> seat & 1)
    if said % 2 == 0:
        return not on_side
    return seat == deal.declarer if rules.reply_by == "declarer" else on_side


def _repliers(deal: Deal, speaker: int) -> list[int]:
    """Who is asked for the next step: all who could have the right as far as anybody knows."""
    rules = deal.rules.stoss
    if len(deal.stoss) >= rules.steps:
        return []
    others = _clockwise(speaker + 1, 3)
    hidden = deal.game is not None and deal.game.hidden_partner
    declarer_only = rules.reply_by == "declarer" and len(deal.stoss) % 2 == 1
    if hidden and not declarer_only:
        return others
    return [seat for seat in others if _may_double(deal, seat)]

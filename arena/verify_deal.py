"""Checks one deal's line against the rules, the schedule and the secret."""

from collections.abc import Iterator
from typing import Final

import msgspec

from arena import dealing, schedule
from arena.deal_line import Conduct, deal_line
from arena.records import DealLine, FaultLine, Header
from engine.actions import parse_action
from engine.cards import LONG_DECK, SHORT_DECK, card_name, hand_text
from engine.errors import IllegalActionError, NotationError
from engine.model import Deal, RuleSet
from engine.rules import house_action, new_deal, play

Four = tuple[int, int, int, int]


_CARDS: Final = {card_name(card): 1 << card for card in range(32)}
"""Each card's bit by its one spelling in journals."""


class _Turn(msgspec.Struct, frozen=True):
    """One decision as the replay met it."""

    seat: int
    action: int
    by_house: int
    """What the house would have done."""


class _WrongError(ValueError):
    """The line can't be replayed; the message says why."""


def check_place(header: Header, line: DealLine) -> Iterator[str]:
    """Yield what the key, the seats and the forehand contradict in the schedule."""
    seats = schedule.expected_seats(header.schedule, line.key)
    if seats is None:
        yield f"the schedule has no key {_key(line)}"
    elif seats != line.seats:
        yield f"seats are {line.seats}, but the schedule says {seats}"
    forehand = dealing.forehand(line.key.deal)
    if line.forehand != forehand:
        yield f"forehand is {line.forehand}, but deal {line.key.deal} has {forehand}"


def check_hands(line: DealLine, rules: RuleSet, secret: bytes) -> Iterator[str]:
    """Yield what the hands contradict in the secret."""
    if not 0 <= line.key.deal < 1 << 64:
        return  # no deal at all, which the schedule says already
    dealt = dealing.hands(secret, line.key.deal, rules.deck)
    for seat, (said, true) in enumerate(zip(line.hands, dealt, strict=True)):
        if _hand(said) != true:
            yield f"hand of seat {seat} is {said!r}, but the secret deals {hand_text(true)!r}"


def _hand(text: str) -> int | None:
    """Read a hand as a mask; None where a word is no card."""
    mask = 0
    for word in text.split():
        if word not in _CARDS:
            return None
        mask |= _CARDS[word]
    return mask


def check_play(line: DealLine, rules: RuleSet) -> Iterator[str]:
    """Yield what the line contradicts in a replay of its hands and actions."""
    if sum(line.payoff) != 0:
        yield f"payoff {line.payoff} doesn't sum to 0"
    try:
        deal, turns = _replay(line, rules)
    except _WrongError as wrong:
        yield str(wrong)
        return
    conduct = Conduct(line.asked, line.think_us, line.faults, line.stood_down)
    actions = bytes([turn.action for turn in turns])
    replayed = deal_line(line.key, line.seats, deal, actions, conduct)
    yield from _differences(line, replayed)
    yield from _check_conduct(line, turns)


def _replay(line: DealLine, rules: RuleSet) -> tuple[Deal, list[_Turn]]:
    if not 0 <= line.forehand < 4:
        raise _WrongError(f"there is no seat {line.forehand}")
    deal = new_deal(rules, _hands(line, rules), line.forehand)
    turns = []
    for number, name in enumerate(line.actions.split()):
        if deal.finished:
            raise _WrongError(f"action {number} ({name}) comes after the end of the deal")
        try:
            action = parse_action(name)
            turns.append(_Turn(deal.turn, action, house_action(deal)))
            play(deal, action)
        except NotationError as error:
            raise _WrongError(f"action {number}: {error}") from None
        except IllegalActionError:
            problem = f"action {number} ({name}) of seat {deal.turn} is against the rules"
            raise _WrongError(problem) from None
    if not deal.finished:
        raise _WrongError(f"the deal isn't over after its {len(turns)} actions")
    return deal, turns


def _hands(line: DealLine, rules: RuleSet) -> Four:
    first, second, third, fourth = map(_hand, line.hands)
    if first is None or second is None or third is None or fourth is None:
        raise _WrongError(f"hands {line.hands} are not all cards")
    sizes = {hand.bit_count() for hand in (first, second, third, fourth)}
    deck = LONG_DECK if rules.deck == LONG_DECK.bit_count() else SHORT_DECK
    if first | second | third | fourth != deck or sizes != {rules.deck // 4}:
        raise _WrongError(f"hands are not the {rules.deck} cards, dealt to four")
    return first, second, third, fourth


def _differences(line: DealLine, replayed: DealLine) -> Iterator[str]:
    for name in line.__struct_fields__:
        said, true = getattr(line, name), getattr(replayed, name)
        if name != "chain" and said != true:
            yield f"{name} is {_plain(said)}, but a replay gives {_plain(true)}"


def _plain(value: object) -> object:
    return msgspec.to_builtins(value) if isinstance(value, msgspec.Struct) else value


def _check_conduct(line: DealLine, turns: list[_Turn]) -> Iterator[str]:
    for fault in line.faults:
        yield from _check_fault(fault, turns)
    places = [fault.decision for fault in line.faults]
    if places != sorted(set(places)):
        yield "faults are not in the order of the decisions, each at most once"
    if line.stood_down != tuple(sorted(set(line.stood_down) & {0, 1, 2, 3})):
        yield f"stood_down is {line.stood_down}, no ascending list of seats"
    for seat in range(4):
        yield from _check_asked(line, seat, [turn for turn in turns if turn.seat == seat])


def _check_fault(fault: FaultLine, turns: list[_Turn]) -> Iterator[str]:
    if not 0 <= fault.decision < len(turns):
        yield f"there is no decision {fault.decision} for a fault"
        return
    turn = turns[fault.decision]
    if turn.seat != fault.seat:
        yield f"decision {fault.decision} was seat {turn.seat}'s, not seat {fault.seat}'s"
    if turn.action != turn.by_house:
        yield f"decision {fault.decision} was a fault, but isn't what the house decides"


def _check_asked(line: DealLine, seat: int, turns: list[_Turn]) -> Iterator[str]:
    """A seat is asked at each of its turns; once stood down, the house decides the rest."""
    asked = line.asked[seat]
    if line.think_us[seat] < 0:
        yield f"seat {seat} thought for {line.think_us[seat]} microseconds"
    if asked != len(turns) and not (seat in line.stood_down and 0 <= asked < len(turns)):
        yield f"seat {seat} was asked {asked} times, but had {len(turns)} turns"
    elif any(turn.action != turn.by_house for turn in turns[asked:]):
        yield f"seat {seat} was stood down, but the house doesn't play like that"


def _key(line: DealLine) -> str:
    return str(msgspec.structs.astuple(line.key))

"""Checks one deal's line against the rules, the schedule and the secret."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from arena import dealing, schedule
from arena.deal_line import conduct_of, deal_line
from arena.records import DealLine, FaultLine, Header
from arena.sent import DIGEST_BYTES
from engine.actions import parse_action
from engine.cards import LONG_DECK, SHORT_DECK, card_name, hand_text
from engine.errors import IllegalActionError, NotationError
from engine.model import NOTHING_CARRIED, Carried, Deal, RuleSet
from engine.rules import house_action, new_deal, play
from engine.scoring import settle
from engine.session import carry

Four = tuple[int, int, int, int]


_CARDS: Final = {card_name(card): 1 << card for card in range(32)}
"""Each card's bit by its one spelling in journals."""
_DIGEST: Final = re.compile(f"[0-9a-f]{{{2 * DIGEST_BYTES}}}")


class Turn(msgspec.Struct, frozen=True):
    """One decision as the replay met it."""

    seat: int
    action: int
    by_house: int
    """What the house would have done."""


class LineError(ValueError):
    """The line can't be replayed; the message says why."""


def check_place(header: Header, line: DealLine) -> Iterator[str]:
    """Yield what the key, the seats and the forehand contradict in the schedule."""
    seats = schedule.expected_seats(header.schedule, line.key)
    if seats is None:
        yield f"the schedule has no key {_key(line)}"
    elif seats != line.seats:
        yield f"seats are {line.seats}, but the schedule says {seats}"
    yield from _check_recorded(header, line)
    forehand = dealing.forehand(line.key.deal)
    if line.forehand != forehand:
        yield f"forehand is {line.forehand}, but deal {line.key.deal} has {forehand}"


def _check_recorded(header: Header, line: DealLine) -> Iterator[str]:
    """Yield what only some leagues record and this one doesn't, or the other way round."""
    recorded = header.recording
    if bool(line.times) != recorded.times:
        yield f"times holds {len(line.times)} decisions, but the header says {recorded.times}"
    if line.cpu_us and header.limits.cpu_ms is None:
        yield "cpu_us tells of CPU time, which isn't limited and so isn't measured"
    asks_for = 4 if recorded.sent and any(line.asked) else 0
    if len(line.sent) != asks_for:
        yield f"sent holds {len(line.sent)} digests, but the header asks for {asks_for}"
    for asked, digest in zip(line.asked, line.sent, strict=False):
        if not _DIGEST.fullmatch(digest) and (asked or digest):
            yield f"sent holds {digest!r}, which is no digest"
    if line.thought_us and not (recorded.sent and header.limits.bank_ms is not None):
        yield "thought_us is told, which only digests and time banks together ask for"


def check_hands(line: DealLine, rules: RuleSet, secret: bytes) -> Iterator[str]:
    """Yield what the hands contradict in the secret."""
    if not 0 <= line.key.deal < 1 << 64:
        return  # no deal at all, which the schedule says already
    dealt: list[tuple[str, tuple[str, ...], Four]] = [
        ("hand", line.hands, dealing.hands(secret, line.key.deal, rules.deck))
    ]
    if rules.klopfen:
        halves = dealing.first_halves(secret, line.key.deal, rules.deck)
        dealt.append(("first half", line.first, halves))
    for what, hands, truth in dealt:
        if len(hands) != len(truth):
            yield f"there are {len(hands)} of: {what}"
            continue
        for seat, (said, true) in enumerate(zip(hands, truth, strict=True)):
            if _hand(said) != true:
                yield f"{what} of seat {seat} is {said!r}, but the secret deals {hand_text(true)!r}"


def _hand(text: str) -> int | None:
    """Read a hand as a mask; None where a word is no card."""
    mask = 0
    for word in text.split():
        if word not in _CARDS:
            return None
        mask |= _CARDS[word]
    return mask


class Replayed(msgspec.Struct, frozen=True):
    """What a replay found."""

    problems: tuple[str, ...]
    """What the line contradicts."""
    left: Carried | None
    """What the deal leaves to the next one of its session; None where it can't be replayed."""


def check_play(line: DealLine, rules: RuleSet) -> Replayed:
    """Replay a line's hands and actions."""
    problems = [] if sum(line.payoff) == 0 else [f"payoff {line.payoff} doesn't sum to 0"]
    try:
        deal, turns = replay_line(line, rules)
    except LineError as wrong:
        return Replayed((*problems, str(wrong)), None)
    conduct = conduct_of(line)
    actions = bytes([turn.action for turn in turns])
    replayed = deal_line(line.key, line.seats, deal, actions, conduct)
    problems.extend(_differences(line, replayed))
    problems.extend(_check_conduct(line, turns))
    return Replayed(tuple(problems), carry(deal, settle(deal)))


def replay_line(line: DealLine, rules: RuleSet) -> tuple[Deal, list[Turn]]:
    """Play a line's actions on its hands, from what it says was carried. Raises LineError."""
    deal = opened(line, rules)
    turns = []
    for number, name in enumerate(line.actions.split()):
        if deal.finished:
            raise LineError(f"action {number} ({name}) comes after the end of the deal")
        try:
            action = parse_action(name)
            turns.append(Turn(deal.turn, action, house_action(deal)))
            play(deal, action)
        except NotationError as error:
            raise LineError(f"action {number}: {error}") from None
        except IllegalActionError:
            problem = f"action {number} ({name}) of seat {deal.turn} is against the rules"
            raise LineError(problem) from None
    if not deal.finished:
        raise LineError(f"the deal isn't over after its {len(turns)} actions")
    return deal, turns


def opened(line: DealLine, rules: RuleSet) -> Deal:
    """Return a line's deal with its first question put. Raises LineError."""
    if not 0 <= line.forehand < 4:
        raise LineError(f"there is no seat {line.forehand}")
    hands = _hands(line, rules)
    return new_deal(rules, hands, line.forehand, _first(line, rules, hands), _carried(line))


def _hands(line: DealLine, rules: RuleSet) -> Four:
    first, second, third, fourth = map(_hand, line.hands)
    if first is None or second is None or third is None or fourth is None:
        raise LineError(f"hands {line.hands} are not all cards")
    sizes = {hand.bit_count() for hand in (first, second, third, fourth)}
    deck = LONG_DECK if rules.deck == LONG_DECK.bit_count() else SHORT_DECK
    if first | second | third | fourth != deck or sizes != {rules.deck // 4}:
        raise LineError(f"hands are not the {rules.deck} cards, dealt to four")
    return first, second, third, fourth


def _first(line: DealLine, rules: RuleSet, hands: Four) -> Four:
    """The half of each hand that was dealt first; all empty where nobody sees it."""
    if not rules.klopfen:
        return (0, 0, 0, 0)
    first, second, third, fourth = (_hand(text) or 0 for text in (*line.first, "", "", "", "")[:4])
    halves = (first, second, third, fourth)
    size = rules.deck // 8
    if any(h.bit_count() != size or h & ~hand for h, hand in zip(halves, hands, strict=True)):
        raise LineError(f"first halves {line.first} are not {size} cards of each hand")
    return halves


def _carried(line: DealLine) -> Carried:
    if line.carried is None:
        return NOTHING_CARRIED
    return Carried(
        stock=line.carried.stock,
        bock=line.carried.bock,
        strokes=line.carried.strokes,
        schafkoepfe=line.carried.schafkoepfe,
    )


def _differences(line: DealLine, replayed: DealLine) -> Iterator[str]:
    for name in line.__struct_fields__:
        said, true = getattr(line, name), getattr(replayed, name)
        if name != "chain" and said != true:
            yield f"{name} is {_plain(said)}, but a replay gives {_plain(true)}"


def _plain(value: object) -> object:
    return msgspec.to_builtins(value) if isinstance(value, msgspec.Struct) else value


def _check_conduct(line: DealLine, turns: list[Turn]) -> Iterator[str]:
    for fault in line.faults:
        yield from _check_fault(fault, turns)
    places = [fault.decision for fault in line.faults]
    if places != sorted(set(places)):
        yield "faults are not in the order of the decisions, each at most once"
    if line.stood_down != tuple(sorted(set(line.stood_down) & {0, 1, 2, 3})):
        yield f"stood_down is {line.stood_down}, no ascending list of seats"
    for seat in range(4):
        yield from _check_asked(line, seat, [turn for turn in turns if turn.seat == seat])
    if line.cpu_us and (len(line.cpu_us) != 4 or min(line.cpu_us) < 0):
        yield f"cpu_us is {line.cpu_us}, no time for each seat"
    if line.times:
        yield from _check_times(line, turns)
    if line.thought_us:
        yield from _check_thought(line, turns)


def _check_fault(fault: FaultLine, turns: list[Turn]) -> Iterator[str]:
    if not 0 <= fault.decision < len(turns):
        yield f"there is no decision {fault.decision} for a fault"
        return
    turn = turns[fault.decision]
    if turn.seat != fault.seat:
        yield f"decision {fault.decision} was seat {turn.seat}'s, not seat {fault.seat}'s"
    if turn.action != turn.by_house:
        yield f"decision {fault.decision} was a fault, but isn't what the house decides"


def _check_asked(line: DealLine, seat: int, turns: list[Turn]) -> Iterator[str]:
    """A seat is asked at each of its turns; once stood down, the house decides the rest."""
    asked = line.asked[seat]
    if line.think_us[seat] < 0:
        yield f"seat {seat} thought for {line.think_us[seat]} microseconds"
    if asked != len(turns) and not (seat in line.stood_down and 0 <= asked < len(turns)):
        yield f"seat {seat} was asked {asked} times, but had {len(turns)} turns"
    elif any(turn.action != turn.by_house for turn in turns[asked:]):
        yield f"seat {seat} was stood down, but the house doesn't play like that"


def _check_times(line: DealLine, turns: list[Turn]) -> Iterator[str]:
    """Time goes on, and what nobody was asked is what the house decided."""
    if len(line.times) != len(turns):
        yield f"there are times of {len(line.times)} decisions, but {len(turns)} were made"
        return
    for number, (times, turn) in enumerate(zip(line.times, turns, strict=True)):
        if times is None:
            if turn.action != turn.by_house:
                yield f"decision {number} was not asked, but isn't what the house decides"
            continue
        moments = [each for each in times if each is not None]
        if moments != sorted(moments):
            yield f"the times of decision {number} are out of order: {list(times)}"


def _check_thought(line: DealLine, turns: list[Turn]) -> Iterator[str]:
    """The think times of each seat's decisions are its think time."""
    if len(line.thought_us) != sum(line.asked) or min(line.thought_us) < 0:
        yield "thought_us holds no think time for each decision that was asked"
        return
    asked = [0, 0, 0, 0]
    sums = [0, 0, 0, 0]
    thought = iter(line.thought_us)
    for turn in turns:
        if asked[turn.seat] < line.asked[turn.seat]:
            asked[turn.seat] += 1
            sums[turn.seat] += next(thought)
    if tuple(sums) != line.think_us:
        yield f"thought_us adds up to {sums}, but think_us is {list(line.think_us)}"


def _key(line: DealLine) -> str:
    return str(msgspec.structs.astuple(line.key))

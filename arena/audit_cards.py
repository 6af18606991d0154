"""Keeps account of what each seat may know, from a journal's line alone.

It never looks at a deal in play or at what builds observations: it reads the encoded
question and holds it against its own books.
"""

import re
from collections.abc import Iterator
from typing import Final

from arena.records import DealLine, FaultLine, Limits
from arena.reply import BANK_USED_UP, TOO_MANY_ANSWERS
from engine.action_ids import (
    FIRST_ANNOUNCEMENT,
    KLOPFEN,
    NO_KLOPFEN,
    NO_STOSS,
    PASS,
    REPORT_SCHELLEN,
    REPORTED_FIVE,
    STOSS,
    TAKE,
    plays_of,
)
from engine.actions import NAMES, NEVER_LEGAL, parse_action
from engine.cards import Rank, Suit, card_name, card_of, hand_text, mask_of, parse_cards

_CARDS: Final = range(1, 33)
"""Actions that play a card."""
_REPORTS: Final = range(REPORT_SCHELLEN, REPORTED_FIVE)
_UNTER: Final = mask_of(card_of(suit, Rank.UNTER) for suit in Suit)
_USUAL_TRUMPS: Final = (
    _UNTER | mask_of(card_of(suit, Rank.OBER) for suit in Suit) | 0xFF << Suit.HERZ * 8
)
"""The trumps of which a bride of a Hochzeit has one."""

_DETAILS: Final = {
    "late": (
        r"no answer within (?P<budget>\d+) ms",
        r"used \d+\.\d ms of CPU time, (?P<cpu>\d+) ms are allowed",
        re.escape(BANK_USED_UP),
    ),
    "garbled": (
        r"\d+ actions for \d+ decisions",
        r"\d+ bytes that are no PlayRequest",
        "expected an answer",
        re.escape(TOO_MANY_ANSWERS),
    ),
}
"""All that a bot is told of faults that have nothing to do with cards."""

Fields = dict[str, int | bytes]


class Accountant:
    """The books of one deal: what lies open, and what each seat holds."""

    def __init__(self, line: DealLine) -> None:
        self._line = line
        self._held = [int(mask_of(parse_cards(hand))) for hand in line.hands]
        self._first = [int(mask_of(parse_cards(half))) for half in line.first]
        self._knocked = 0
        self._klopfen = bytearray()
        self._calls = bytearray()
        self._stoss = bytearray()
        self._plays = bytearray()
        self._offerer = 0
        self._returning = False
        """Whether the next card is given back in a Hochzeit."""
        self._exchange: dict[int, bytes] = {}
        """For the two seats that exchanged: the card given, the card got."""
        self.cards = 0
        """Cards seen in questions so far."""

    def take(self, seat: int, action: int) -> None:
        """Enter an answer."""
        if action in _CARDS:
            self._take_card(seat, action - 1)
        elif action in (KLOPFEN, NO_KLOPFEN):
            self._knocked += 1
            self._klopfen += bytes((seat,)) if action == KLOPFEN else b""
        elif action in (STOSS, NO_STOSS):
            self._stoss += bytes((seat,)) if action == STOSS else b""
        else:
            self._calls += bytes((seat, self._heard(seat, action)))
            if action == TAKE:
                self._returning = True
            elif action != PASS:
                self._offerer = seat

    def _heard(self, seat: int, action: int) -> int:
        """Return what the others hear of a call: of a report its count alone."""
        if action not in _REPORTS:
            return action
        trumps = self._held[seat] & (_UNTER | 0xFF << (action - REPORT_SCHELLEN) * 8)
        return REPORTED_FIVE + trumps.bit_count() - 5

    def _take_card(self, seat: int, card: int) -> None:
        if not self._returning:
            self._held[seat] &= ~(1 << card)
            self._plays.append(seat << 5 | card)
            return
        self._returning = False
        bride = self._offerer
        trump = (self._held[bride] & _USUAL_TRUMPS).bit_length() - 1
        for one, given, got in ((bride, trump, card), (seat, card, trump)):
            self._held[one] = self._held[one] & ~(1 << given) | 1 << got
            self._exchange[one] = bytes((given, got))

    def check(self, seat: int, fields: Fields) -> Iterator[str]:
        """Yield what a question tells its seat that the seat may not know, or tells it wrong."""
        hand = self._hand(seat)
        shown = fields.get("hand", 0)
        assert isinstance(shown, int)
        if shown & ~hand:
            yield f"hand shows {hand_text(shown & ~hand)}, which seat {seat} doesn't hold"
        if hand & ~shown:
            yield f"hand lacks {hand_text(hand & ~shown)}"
        yield from self._check_open(seat, fields)
        yield from self._check_game(fields)
        yield from self._check_legal(hand, _bytes(fields, "legal"))
        self.cards += shown.bit_count() + len(_bytes(fields, "plays"))

    def _hand(self, seat: int) -> int:
        """Return what a seat has of the cards that are dealt so far."""
        return self._first[seat] if self._knocked < len(self._first) else self._held[seat]

    def _check_open(self, seat: int, fields: Fields) -> Iterator[str]:
        """Check the fields that follow from what lies open to this seat."""
        carried = self._line.carried
        expected: Fields = {
            "seat": seat,
            "forehand": self._line.forehand,
            "auction": bytes(self._calls),
            "plays": bytes(self._plays),
            "stoss": bytes(self._stoss),
            "klopfen": bytes(self._klopfen),
            "exchange": self._exchange.get(seat, b""),
            "stock": 0 if carried is None else carried.stock,
            "bock": 0 if carried is None else carried.bock,
        }
        for name, value in expected.items():
            said = fields.get(name, type(value)())
            if said != value:
                yield f"{name} is {_shown(name, said)}, but open to it is {_shown(name, value)}"
        tally = () if carried is None else (*carried.strokes, *carried.schafkoepfe)
        if _bytes(fields, "tally") not in (b"", bytes(tally)):
            yield f"tally is {fields['tally']!r}, but the session left {tally}"
        known = {*expected, "handle", "seed", "hand", "game", "declarer", "legal", "tally"}
        for name in fields.keys() - known:
            yield f"field {name!r} is none that the audit knows"
        self.cards += len(self._exchange.get(seat, b""))

    def _check_game(self, fields: Fields) -> Iterator[str]:
        """A game and its declarer are open once announced, or once the auction is over."""
        calls = bytes(self._calls)
        announced = {
            (calls[at + 1], calls[at])
            for at in range(0, len(calls), 2)
            if calls[at + 1] >= FIRST_ANNOUNCEMENT
        }
        result = self._line.result
        over = len(calls) == 2 * len(self._line.auction) and not self._returning
        if over and result.game is not None:
            announced.add((parse_action(result.game), result.declarer or 0))
        said = (fields.get("game", 0), fields.get("declarer", 0))
        if said not in {(0, 0), *announced}:
            yield f"game is {said[0]!r} of seat {said[1]!r}, which nobody has announced"

    def _check_legal(self, hand: int, legal: bytes) -> Iterator[str]:
        own = plays_of(hand)
        for action in legal:
            if action in _CARDS and action not in own:
                yield f"legal holds {card_name(action - 1)}, which isn't in the hand"
            elif action not in NAMES or action in NEVER_LEGAL:
                yield f"legal holds {action}, which is no answer"
        if list(legal) != sorted(set(legal)) or not legal:
            yield "legal isn't ascending"
        self.cards += sum(action in _CARDS for action in legal)


def check_fault(fault: FaultLine, legal: bytes, limits: Limits) -> Iterator[str]:
    """Yield what the detail of a fault tells its bot beyond its own answer and its time.

    A bot that is gone is told nothing.
    """
    if fault.fault == "illegal":
        _, _, listed = fault.detail.partition(" is not among: ")
        names = [NAMES[action] for action in legal if action in NAMES]
        for word in set(listed.split()) - set(names):
            yield f"the fault that followed told of {word!r}, which can't be answered"
        said = re.fullmatch(r"(action \d+|\S+) is not among: (.*)", fault.detail)
        if said is None or (set(listed.split()) <= set(names) and listed.split() != names):
            yield f"the fault that followed told {fault.detail!r}, not what can be answered"
    elif fault.fault in _DETAILS:
        matches = (re.fullmatch(each, fault.detail) for each in _DETAILS[fault.fault])
        if not any(match is not None and _even(match, limits) for match in matches):
            yield f"the fault that followed told {fault.detail!r}, which no fault does"


def _even(told: re.Match[str], limits: Limits) -> bool:
    """Whether the time that a fault tells of is that of some number of decisions."""
    found = told.groupdict()
    if "budget" in found and limits.bank_ms is None:
        return int(found["budget"]) % limits.decision_ms == 0
    return "cpu" not in found or int(found["cpu"]) % (limits.cpu_ms or 1) == 0


def _bytes(fields: Fields, name: str) -> bytes:
    value = fields.get(name, b"")
    assert isinstance(value, bytes)
    return value


def _shown(name: str, value: int | bytes) -> object:
    if isinstance(value, int):
        return value
    if name in {"plays", "exchange"}:
        return " ".join(card_name(card & 31) for card in value) or "nothing"
    return list(value)

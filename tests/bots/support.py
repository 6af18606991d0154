"""Questions to put to bots: real ones from played deals, and ones written by hand."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from arena.rulebook import effective, names
from arena.v1.arena_pb2 import Decision, PlayResponse
from arena.wire import Question, ask
from engine.actions import parse_action
from engine.cards import mask_of, members, parse_card, parse_cards
from engine.model import Deal, RuleSet
from engine.order import deck_of
from engine.rules import legal, new_deal, play
from engine.ruleset import rule_set
from engine.scoring import settle
from engine.view import observe

Chooser = Callable[[Decision], int]


def _with(base: str, changes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    rules: dict[str, Any] = effective(base)
    for table, entries in changes.items():
        rules[table] = {**rules[table], **entries}
    return rules


_MORE_GAMES: Final = [["rufspiel"], ["bettel"], ["wenz"], ["solo"]]
_PRICES: Final = {
    "base": {"rufspiel": 20, "bettel": 30, "wenz": 50, "solo": 50, "hochzeit": 20, "ramsch": 20}
}

RULES: Final[dict[str, dict[str, Any]]] = {
    **{name: effective(name) for name in names()},
    "with Bettel and Hochzeit": _with(
        "sauspiel", {"auction": {"ranking": _MORE_GAMES, "hochzeit": True}, "tariff": _PRICES}
    ),
    "with Muss, also on a void suit": _with(
        "online", {"auction": {"pass_out": "must_play", "forced_may_call_void": True}}
    ),
    "with trumps at any time": _with("deutscher", {"follow": {"trump_instead": True}}),
}
"""All shipped rule sets, and what none of them has."""


def new_shuffled_deal(rules: RuleSet, chance: random.Random) -> Deal:
    """Return a deal of shuffled cards, its first halves included."""
    deck = list(members(deck_of(rules.deck)))
    chance.shuffle(deck)
    size = rules.deck // 4
    hands, halves = (
        tuple(mask_of(deck[start : start + length]) for start in range(0, len(deck), size))
        for length in (size, size // 2)
    )
    return new_deal(rules, hands, chance.randrange(4), halves)


def question(deal: Deal, chance: random.Random) -> Decision:
    """Return what the seat whose turn it is would be asked."""
    asked = Question(1, chance.getrandbits(32), observe(deal))
    return PlayResponse.FromString(ask(1, 1000, [asked])).ask.decisions[0]


def decisions_of_a_deal(rules: str, seed: int) -> list[Decision]:
    """Return every question of one deal that chance alone plays, whichever seat it goes to."""
    chance = random.Random(seed)
    deal = new_shuffled_deal(rule_set(RULES[rules]), chance)
    asked = []
    while not deal.finished:
        asked.append(question(deal, chance))
        play(deal, chance.choice(legal(deal)))
    return asked


def payoff(deal: Deal, seats: Sequence[Chooser], chance: random.Random) -> tuple[int, ...]:
    """Let four bots play a deal in this process."""
    while not deal.finished:
        play(deal, seats[deal.turn](question(deal, chance)))
    return settle(deal).payoff


def auction_question(hand: str, said: str, legal_names: str) -> Decision:
    """Ask seat 3 in the auction. `said` holds calls by seat, such as `0:pass 1:bid`."""
    calls = [call.split(":") for call in said.split()]
    return Decision(
        seat=3,
        hand=mask_of(parse_cards(hand)),
        auction=bytes(n for seat, name in calls for n in (int(seat), parse_action(name))),
        legal=_actions(legal_names),
    )


def card_question(game: str, declarer: int, plays: str, hand: str, may: str = "") -> Decision:
    """Ask seat 3 for a card. `plays` holds cards by seat, such as `1:EO 2:H7`."""
    laid = [play.split(":") for play in plays.split()]
    return Decision(
        seat=3,
        hand=mask_of(parse_cards(hand)),
        game=parse_action(game),
        declarer=declarer,
        plays=bytes(int(seat) * 32 + parse_card(card) for seat, card in laid),
        legal=_actions(may or hand),
    )


def _actions(names: str) -> bytes:
    return bytes(sorted(parse_action(name) for name in names.split()))

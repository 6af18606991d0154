"""Questions to put to bots: real ones from played deals, and ones written by hand."""

import random

from arena.rulebook import load
from arena.v1.arena_pb2 import Decision
from engine.actions import parse_action
from engine.cards import mask_of, members, parse_card, parse_cards
from engine.order import deck_of
from engine.rules import legal, new_deal, play
from engine.view import observe


def decisions_of_a_deal(rule_set: str, seed: int) -> list[Decision]:
    """Return every question of one deal that chance alone plays, whichever seat it goes to."""
    chance = random.Random(seed)
    rules = load(rule_set)
    deck = list(members(deck_of(rules.deck)))
    chance.shuffle(deck)
    first, second, third, fourth = (mask_of(deck[seat::4]) for seat in range(4))
    deal = new_deal(rules, (first, second, third, fourth), chance.randrange(4))
    asked = []
    while not deal.finished:
        observed = observe(deal)._asdict()
        asked.append(Decision(handle=seed, seed=chance.getrandbits(32), **observed))
        play(deal, chance.choice(legal(deal)))
    return asked


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

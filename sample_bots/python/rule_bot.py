"""Plays as beginners are taught: weighs what a trick is worth against what a card is worth."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from arena_client import Choose, Observation, play_by_rules
from rule_bidding import NO_STOSS, STOSS, bid, wants_stoss
from rule_games import ACE, AUGEN, LONG_DECK, OBER, TRUMP, UNTER, House, beats, game_of, house_of
from rule_knowledge import Table, read_table

AUGEN_TO_COME: Final = 1.5
"""What a seat that has not played yet is taken to add to a trick."""
AUGEN_FROM_FOES: Final = 4.0
"""The same where everybody gives away what counts."""
ALL_TRICKS_WORTH: Final = 60.0
"""What any trick is worth, in Augen, where all of them are needed."""

PRICE_OF_OBER: Final = 9.0
PRICE_OF_UNTER: Final = 4.0
PRICE_OF_TRUMP: Final = 1.0
PRICE_OF_ACE: Final = 6.0
"""In Augen: what a card is still good for when it stays in the hand."""

DRAW_TRUMPS: Final = 6.0
DRAW_TRUMPS_FOR_CERTAIN: Final = 12.0
HIDE_CALLED_ACE: Final = 6.0
SPARE_TRUMPS: Final = 6.0
SEARCH_CALLED_SUIT: Final = 4.0
"""In Augen: what a lead is worth beyond its trick."""

DANGER: Final = 8.0
"""In Augen: what it is worth to be rid of a card that beats all others, where tricks cost."""

NONE_OF: Final = tuple(tuple((1 - 1 / max(hands, 1)) ** n for n in range(33)) for hands in range(4))
"""The chance that a hand has none of n cards that so many hands share."""


def chooser(rules: Mapping[str, Any]) -> Choose:
    """Return what chooses by these rules."""
    return partial(choose, house_of(rules))


def choose(house: House, observation: Observation) -> int:
    """Return a legal action; a pure function of rules and observation."""
    legal = observation.legal
    if len(legal) == 1:
        return legal[0]
    game = game_of(observation.game, house.deck)
    if STOSS in legal and game is not None and wants_stoss(house, observation, game):
        return STOSS
    if NO_STOSS in legal:
        return NO_STOSS
    plays = [action - 1 for action in legal if action <= len(AUGEN)]
    if not plays:
        return bid(house, observation)
    if game is None:
        return min(plays, key=AUGEN.__getitem__) + 1
    return _best_card(read_table(observation, game), plays) + 1


def _best_card(table: Table, plays: list[int]) -> int:
    if table.game.kind.avoids:
        return max(plays, key=lambda card: _avoiding_value(table, card))
    if table.best is None:
        return max(plays, key=lambda card: _lead_value(table, card))
    return max(plays, key=lambda card: _follow_value(table, card))


def _avoiding_value(table: Table, card: int) -> float:
    """Where tricks only cost: keep out of this one, and get rid of what takes the next."""
    if table.best is None:
        ours = _chance_of_trick(table, card, 1.0, table.game.group[card], seats_after=3)
        return _danger(table, card) - ours * _stakes(table, card, 3)
    led, after = table.game.group[table.trick[0]], 3 - len(table.trick)
    ours = 0.0
    if beats(table.game, card, table.best):
        ours = _chance_of_trick(table, card, 1.0, led, after)
    return _danger(table, card) - ours * _stakes(table, card, after)


def _danger(table: Table, card: int) -> float:
    """How likely a card takes a trick later on, in Augen."""
    game = table.game
    others = game.masks[game.group[card]] & ~table.seen
    lower = others & ~game.beaten_by[card]
    return DANGER * lower.bit_count() / max(others.bit_count(), 1) + AUGEN[card] / 2


def _lead_value(table: Table, card: int) -> float:
    ours = _chance_of_trick(table, card, 1.0, table.game.group[card], seats_after=3)
    return (2 * ours - 1) * _stakes(table, card, 3) - _price(table, card) + _plan(table, card)


def _follow_value(table: Table, card: int) -> float:
    best = table.best
    assert best is not None
    led = table.game.group[table.trick[0]]
    after = 3 - len(table.trick)
    if beats(table.game, card, best):
        ours = _chance_of_trick(table, card, 1.0, led, after)
    else:
        ours = _chance_of_trick(table, best, table.friend[table.winner], led, after)
    return (2 * ours - 1) * _stakes(table, card, after) - _price(table, card)


def _stakes(table: Table, card: int, seats_after: int) -> float:
    """What goes to the winner of the open trick, as far as can be told."""
    laid = sum(AUGEN[other] for other in table.trick) + AUGEN[card]
    kind = table.game.kind
    worth = laid + seats_after * (AUGEN_FROM_FOES if kind.avoids else AUGEN_TO_COME)
    return worth + ALL_TRICKS_WORTH if kind.all_tricks else worth


def _chance_of_trick(table: Table, best: int, ours: float, led: int, seats_after: int) -> float:
    """Return how likely my side gets the trick that `best` holds for it with chance `ours`."""
    for offset in range(1, seats_after + 1):
        seat = (table.me + offset) & 3
        beaten = _chance_to_beat(table, seat, best, led)
        ours += beaten * (table.friend[seat] - ours)
    return ours


def _chance_to_beat(table: Table, seat: int, best: int, led: int) -> float:
    game, lacks, unseen = table.game, table.lacks[seat], LONG_DECK & ~table.seen
    higher = (game.beaten_by[best] & unseen).bit_count()
    none_of_trumps = NONE_OF[table.holders[TRUMP]]
    if game.group[best] == TRUMP:
        over = 0.0 if lacks >> TRUMP & 1 else 1 - none_of_trumps[higher]
        return over if led == TRUMP else over * _chance_void(table, lacks, led, unseen)
    ruff = 0.0
    if not lacks >> TRUMP & 1:
        trumps = (game.masks[TRUMP] & unseen).bit_count()
        ruff = (1 - none_of_trumps[trumps]) * _chance_void(table, lacks, led, unseen)
    return ruff if lacks >> led & 1 else min(1.0, ruff + 1 - NONE_OF[table.holders[led]][higher])


def _chance_void(table: Table, lacks: int, led: int, unseen: int) -> float:
    if lacks >> led & 1:
        return 1.0
    return NONE_OF[table.holders[led]][(table.game.masks[led] & unseen).bit_count()]


def _price(table: Table, card: int) -> float:
    if table.game.group[card] == TRUMP:
        rank = card & 7
        if rank == OBER:
            return PRICE_OF_OBER
        return PRICE_OF_UNTER if rank == UNTER else PRICE_OF_TRUMP
    return PRICE_OF_ACE if card & 7 == ACE else 0.0


def _plan(table: Table, card: int) -> float:
    """Return what this lead is worth to my side's plan."""
    if table.declaring:
        return _declaring_plan(table, card)
    if table.game.group[card] == TRUMP:
        return -SPARE_TRUMPS
    ace = table.game.kind.called_ace
    searches = ace is not None and ace >> 3 == card >> 3 and not table.called_suit_led
    return SEARCH_CALLED_SUIT if searches else 0.0


def _declaring_plan(table: Table, card: int) -> float:
    game = table.game
    if game.group[card] != TRUMP:
        return -HIDE_CALLED_ACE if card == game.kind.called_ace else 0.0
    others = game.masks[TRUMP] & ~table.seen
    if not others:
        return -SPARE_TRUMPS
    return DRAW_TRUMPS if others & game.beaten_by[card] else DRAW_TRUMPS_FOR_CERTAIN


if __name__ == "__main__":
    play_by_rules(chooser, name="rule", version="2")

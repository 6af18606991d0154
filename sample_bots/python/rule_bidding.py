"""How the rule bot bids, calls and doubles: it counts its trumps and sure tricks."""

from typing import Final

from rule_knowledge import (
    ACE,
    AUGEN,
    DECK,
    HERZ,
    OBER,
    RUFSPIEL_BASE,
    SIE,
    SOLO_BASE,
    TEN,
    TRUMP,
    UNTER,
    WENZ,
    WENZ_TOUT,
    Game,
    cards,
    game_of,
)

from arena.v1 import arena_pb2
from arena.v1.arena_pb2 import Decision

PASS: Final = int(arena_pb2.ACTION_PASS)
BID: Final = int(arena_pb2.ACTION_BID)
CEDE: Final = int(arena_pb2.ACTION_CEDE)
NO_STOSS: Final = int(arena_pb2.ACTION_NO_STOSS)
STOSS: Final = int(arena_pb2.ACTION_STOSS)

OBER_COUNTS: Final = (1.4, 1.7, 1.9, 2.0)
"""By suit. Any other trump counts 1, and so does a plain ace."""
WENZ_UNTER_COUNTS: Final = (1.1, 1.2, 1.5, 1.8)
"""By suit. An ace counts 1, and its ten a half."""

RUFSPIEL_NEEDS: Final = 5.5
SOLO_NEEDS: Final = 7.8
WENZ_NEEDS: Final = 5.4
STOSS_NEEDS: Final = 7.5
"""Break-even points of the counts, found by letting this bot play many deals."""

_FROM_GAME_TO_TOUT: Final = WENZ_TOUT - WENZ
_SUITS: Final = (0, 1, 2, 3)
_COURTS: Final = sum(1 << suit * 8 + rank for suit in _SUITS for rank in (UNTER, OBER))
_NEVER: Final = -100.0


def bid(observation: Decision) -> int:
    """Answer in the auction: announce what the hand is good for, else stay out."""
    legal, hand = observation.legal, observation.hand
    alone = _games_alone(observation)
    if BID in legal:
        first = BID not in observation.auction[1::2]
        return BID if alone or (first and wants_rufspiel(hand)) else PASS
    for action in alone:
        if action in legal:
            return action
    stay_out = next((action for action in (PASS, CEDE) if action in legal), None)
    calls = [action for action in legal if RUFSPIEL_BASE <= action < WENZ]
    if calls and (stay_out is None or wants_rufspiel(hand)):
        return min(calls, key=lambda action: _cost_of_calling(hand, action - RUFSPIEL_BASE))
    if stay_out is not None:
        return stay_out
    return max(legal, key=lambda action: _margin(hand, action))


def wants_rufspiel(hand: int) -> bool:
    """Tell whether the hand is good enough to play with a called partner."""
    good = trump_count(hand, HERZ) >= RUFSPIEL_NEEDS
    return good and any(_can_call(hand, suit) for suit in _SUITS)


def wants_stoss(observation: Decision, game: Game) -> bool:
    """Tell whether doubling pays for a defender; a Stoß itself is never answered."""
    if observation.stoss:
        return False
    trump_suit = next((suit for suit in _SUITS if game.group[suit * 8] == TRUMP), None)
    if trump_suit is None:
        return False  # against a Wenz no defence was ever found strong enough
    return trump_count(observation.hand, trump_suit) >= STOSS_NEEDS


def trump_count(hand: int, trump_suit: int) -> float:
    """Weigh the trumps of a game with Ober and Unter, and the aces beside them."""
    count = 0.0
    for card in cards(hand):
        rank, suit = card & 7, card >> 3
        if rank == OBER:
            count += OBER_COUNTS[suit]
        elif rank in (UNTER, ACE) or suit == trump_suit:
            count += 1
    return count


def solo_count(hand: int, trump_suit: int) -> float:
    """Weigh a Solo in this suit; every plain suit is a way to lose tricks."""
    plain = hand & ~_COURTS
    suits = sum(1 for suit in _SUITS if suit != trump_suit and plain >> suit * 8 & 0xFF)
    return trump_count(hand, trump_suit) - suits / 2


def wenz_count(hand: int) -> float:
    """Weigh a Wenz: Unter and aces take tricks, suits without the ace lose them."""
    count = 0.0
    for suit in _SUITS:
        colour = hand >> suit * 8 & 0xFF
        if colour >> UNTER & 1:
            count += WENZ_UNTER_COUNTS[suit]
        if colour >> ACE & 1:
            count += 1.5 if colour >> TEN & 1 else 1.0
        elif colour & ~(1 << UNTER):
            count -= 0.5
    return count


def takes_all_tricks(hand: int, game: Game) -> bool:
    """Tell whether whoever leads first with this hand is certain of every trick."""
    others = DECK & ~hand
    for cards_of_group in game.masks:
        mine = cards(hand & cards_of_group)
        tops = sum(1 for card in mine if not game.beaten_by[card] & others)
        if tops < min(len(mine), (others & cards_of_group).bit_count()):
            return False
    return (hand & game.masks[TRUMP]).bit_count() >= (others & game.masks[TRUMP]).bit_count()


def _games_alone(observation: Decision) -> list[int]:
    """Return the games that the hand is good enough to play alone, the dearest first."""
    hand = observation.hand
    if not hand & ~_COURTS:
        return [SIE]
    best = max((WENZ, *(SOLO_BASE + suit for suit in _SUITS)), key=lambda a: _margin(hand, a))
    if _margin(hand, best) < 0:
        return []
    game = game_of(best)
    leads = observation.forehand == observation.seat
    if leads and game is not None and takes_all_tricks(hand, game):
        return [best + _FROM_GAME_TO_TOUT, best]
    return [best]


def _margin(hand: int, action: int) -> float:
    """By how much the hand is better than this game needs."""
    if action == WENZ:
        return wenz_count(hand) - WENZ_NEEDS
    if SOLO_BASE <= action < SOLO_BASE + len(_SUITS):
        return solo_count(hand, action - SOLO_BASE) - SOLO_NEEDS
    return _NEVER


def _can_call(hand: int, suit: int) -> bool:
    colour = hand & ~_COURTS & 0xFF << suit * 8
    return suit != HERZ and colour != 0 and not hand >> suit * 8 + ACE & 1


def _cost_of_calling(hand: int, suit: int) -> tuple[int, int]:
    """Few cards of the called suit are best, then low ones."""
    colour = cards(hand & ~_COURTS & 0xFF << suit * 8)
    return len(colour), sum(AUGEN[card] for card in colour)

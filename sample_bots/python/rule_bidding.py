"""How the rule bot bids, calls and doubles: it counts its trumps and sure tricks."""

from collections.abc import Iterator
from typing import Final

from rule_games import (
    ACE,
    AUGEN,
    BID_OF,
    HERZ,
    KINDS,
    LONG_DECK,
    OBER,
    SUITS,
    TEN,
    TOUT_OF,
    TRUMP,
    UNTER,
    Game,
    House,
    Kind,
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
NO_KLOPFEN: Final = int(arena_pb2.ACTION_NO_KLOPFEN)
KLOPFEN: Final = int(arena_pb2.ACTION_KLOPFEN)
REPORT: Final = int(arena_pb2.ACTION_REPORT_SCHELLEN)

TOP_COUNTS: Final = (1.4, 1.7, 1.9, 2.0)
"""What the highest rank of trumps counts, by suit. Other trumps and plain aces count 1."""
BARE_TOP_COUNTS: Final = (1.1, 1.2, 1.5, 1.8)
"""The same where no suit is trump. An ace counts 1, and its ten a half."""

NEEDS_RUFSPIEL: Final = (5.5, 5.2)
NEEDS_SUIT: Final = (7.8, 6.9)
NEEDS_SUIT_OF_ONE_RANK: Final = (6.9, 5.6)
NEEDS_BARE: Final = (5.4, 4.6)
NEEDS_STOSS: Final = (7.5, 6.0)
NEEDS_KLOPFEN: Final = (3.3, 3.0)
"""Break-even points of the counts, for the long deck and the short one, found by letting
this bot play many deals; those for Klopfen are for the first half of a hand."""

_NEVER: Final = -100.0
_ALL_COURTS: Final = sum(1 << suit * 8 + rank for suit in SUITS for rank in (UNTER, OBER))


def bid(house: House, observation: Decision) -> int:
    """Answer in the auction: announce what the hand is good for, else stay out."""
    legal, hand = observation.legal, observation.hand
    if KLOPFEN in legal:
        return KLOPFEN if _knocks(house, hand) else NO_KLOPFEN
    if BID in legal:
        return BID if any(_wishes(house, observation)) else PASS
    for game in _wishes(house, observation):
        for action in (game, BID_OF.get(game, game)):
            if action in legal:
                return action
    stay_out = next((action for action in (PASS, CEDE) if action in legal), None)
    if stay_out is not None:
        return stay_out
    return max(legal, key=lambda action: _least_evil(house, hand, action))


def wants_stoss(house: House, observation: Decision, game: Game) -> bool:
    """Tell whether doubling pays for a defender; a Stoß itself is never answered."""
    if observation.stoss or game.kind.suit is None:
        return False  # against a Wenz no defence was ever found strong enough
    return trump_count(observation.hand, game.kind) >= NEEDS_STOSS[house.short]


def trump_count(hand: int, kind: Kind) -> float:
    """Weigh the trumps of a game, and the aces beside them."""
    count = 0.0
    for card in cards(hand):
        rank, suit = card & 7, card >> 3
        if rank == kind.ranks[0]:
            count += TOP_COUNTS[suit]
        elif rank in kind.ranks or rank == ACE or suit == kind.suit:
            count += 1
    return count


def solo_count(hand: int, kind: Kind) -> float:
    """Weigh a game alone with a trump suit; every plain suit is a way to lose tricks."""
    plain = [card for card in cards(hand) if card & 7 not in kind.ranks]
    return trump_count(hand, kind) - len({card >> 3 for card in plain} - {kind.suit}) / 2


def bare_count(hand: int, rank: int) -> float:
    """Weigh a Wenz or Geier: its trumps and aces take tricks, suits without the ace lose them."""
    count = 0.0
    for suit in SUITS:
        colour = hand >> suit * 8 & 0xFF
        if colour >> rank & 1:
            count += BARE_TOP_COUNTS[suit]
        if colour >> ACE & 1:
            count += 1.5 if colour >> TEN & 1 else 1.0
        elif colour & ~(1 << rank):
            count -= 0.5
    return count


def takes_all_tricks(hand: int, game: Game) -> bool:
    """Tell whether whoever leads first with this hand is certain of every trick."""
    others = LONG_DECK & ~hand
    for cards_of_group in game.masks:
        mine = cards(hand & cards_of_group)
        tops = sum(1 for card in mine if not game.beaten_by[card] & others)
        if tops < min(len(mine), (others & cards_of_group).bit_count()):
            return False
    return (hand & game.masks[TRUMP]).bit_count() >= (others & game.masks[TRUMP]).bit_count()


def _knocks(house: House, half: int) -> bool:
    kind = Kind((OBER, UNTER), HERZ)
    return trump_count(half, kind) >= NEEDS_KLOPFEN[house.short]


def _wishes(house: House, observation: Decision) -> Iterator[int]:
    """Yield the announcements that the hand is good for, the best first."""
    hand = observation.hand
    calls = [action for action in house.games if _can_call(hand, action)]
    if not (house.blocked_only and calls):
        yield from _games_alone(house, observation)
    late = house.first_bidder_only and BID in _others_calls(observation)
    enough = trump_count(hand, Kind((OBER, UNTER), HERZ)) >= NEEDS_RUFSPIEL[house.short]
    if enough and not late:
        yield from sorted(calls, key=lambda action: _cost_of_calling(hand, action))


def _others_calls(observation: Decision) -> list[int]:
    """Return what others said in the auction before the asked seat spoke first."""
    calls = list(zip(observation.auction[::2], observation.auction[1::2], strict=True))
    mine = [place for place, (seat, _) in enumerate(calls) if seat == observation.seat]
    return [action for _, action in calls[: mine[0] if mine else None]]


def _games_alone(house: House, observation: Decision) -> Iterator[int]:
    """Yield the games that the hand is good enough to play alone, the dearest first."""
    hand = observation.hand
    if not hand & ~_ALL_COURTS:
        yield int(arena_pb2.ACTION_SIE)
    margins = {action: _margin(house, hand, action) for action in house.games}
    for action in sorted(margins, key=margins.__getitem__, reverse=True):
        if margins[action] < 0:
            return
        game = game_of(action, house.deck)
        leads = observation.forehand == observation.seat
        if leads and game is not None and takes_all_tricks(hand, game):
            yield TOUT_OF[action]
        yield action


def _margin(house: House, hand: int, action: int) -> float:
    """By how much the hand is better than it needs to be to play this game alone."""
    if action not in TOUT_OF:
        return _NEVER  # no game alone, or one that isn't won by Augen
    kind = KINDS[action]
    if kind.suit is None:
        return bare_count(hand, kind.ranks[0]) - NEEDS_BARE[house.short]
    needs = NEEDS_SUIT if len(kind.ranks) > 1 else NEEDS_SUIT_OF_ONE_RANK
    return solo_count(hand, kind) - needs[house.short]


def _least_evil(house: House, hand: int, action: int) -> tuple[int, float]:
    """Rank what has to be chosen from when nothing can be declined: a partner is best."""
    if REPORT <= action < REPORT + len(SUITS):
        return 0, trump_count(hand, Kind((UNTER,), action - REPORT))
    games = [game for game in house.games if action in (game, BID_OF.get(game, game))]
    if any(KINDS[game].called_ace is not None for game in games):
        return 1, -min(sum(_cost_of_calling(hand, game)) for game in games)
    if any(KINDS[game].opposite for game in games):
        return 0, max(trump_count(hand, KINDS[game]) for game in games)
    return 0, max((_margin(house, hand, game) for game in games), default=_NEVER)


def _can_call(hand: int, action: int) -> bool:
    ace = KINDS[action].called_ace
    return ace is not None and _plain_cards(hand, ace >> 3) != [] and not hand >> ace & 1


def _cost_of_calling(hand: int, action: int) -> tuple[int, int]:
    """Few cards of the called suit are best, then low ones."""
    ace = KINDS[action].called_ace
    assert ace is not None
    colour = _plain_cards(hand, ace >> 3)
    return len(colour), sum(AUGEN[card] for card in colour)


def _plain_cards(hand: int, suit: int) -> list[int]:
    return cards(hand & ~_ALL_COURTS & 0xFF << suit * 8)

"""What the rule bot knows of cards and games: which are trumps, and which card beats which."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from arena.v1 import arena_pb2

SEVEN, EIGHT, NINE, UNTER, OBER, KING, TEN, ACE = range(8)
SCHELLEN, HERZ, GRAS, EICHEL = SUITS = range(4)
TRUMP: Final = 4
"""The group of the trumps; a plain card's group is its suit."""

AUGEN: Final = tuple((0, 0, 0, 2, 3, 4, 10, 11)[card & 7] for card in range(32))
LONG_DECK, SHORT_DECK = 0xFFFF_FFFF, 0xFCFC_FCFC

_COURTS: Final = (OBER, UNTER)
_USUAL: Final = (ACE, TEN, KING, OBER, UNTER, NINE, EIGHT, SEVEN)
_TEN_LOW: Final = (ACE, KING, OBER, UNTER, TEN, NINE, EIGHT, SEVEN)


def cards(mask: int) -> list[int]:
    """Return the cards of a set, lowest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


@dataclass(frozen=True, slots=True)
class Kind:
    """What makes a game different from others."""

    ranks: tuple[int, ...]
    """Ranks that are trumps in every suit, strongest first."""
    suit: int | None = None
    """The suit below those ranks, if any."""
    order: tuple[int, ...] = _USUAL
    """A suit from strong to weak."""
    called_ace: int | None = None
    all_tricks: bool = False
    """Tricks count, not Augen: one trick for the others decides."""
    avoids: bool = False
    """Everybody is better off without tricks, and has no partner."""
    opposite: bool = False
    """Partners sit opposite each other."""
    exchanged: bool = False
    """The partner is who offered a trump in the auction."""


def _in_each_suit(first: int, kind: Kind) -> dict[int, Kind]:
    return {first + suit: replace(kind, suit=suit) for suit in SUITS}


KINDS: Final[Mapping[int, Kind]] = {
    **{
        arena_pb2.ACTION_RUFSPIEL_SCHELLEN + suit: Kind(_COURTS, HERZ, called_ace=suit * 8 + ACE)
        for suit in (SCHELLEN, GRAS, EICHEL)
    },
    **_in_each_suit(arena_pb2.ACTION_SOLO_SCHELLEN, Kind(_COURTS)),
    **_in_each_suit(arena_pb2.ACTION_SOLO_TOUT_SCHELLEN, Kind(_COURTS, all_tricks=True)),
    arena_pb2.ACTION_WENZ: Kind((UNTER,)),
    arena_pb2.ACTION_WENZ_TOUT: Kind((UNTER,), all_tricks=True),
    **_in_each_suit(arena_pb2.ACTION_FARBWENZ_SCHELLEN, Kind((UNTER,))),
    **_in_each_suit(arena_pb2.ACTION_FARBWENZ_TOUT_SCHELLEN, Kind((UNTER,), all_tricks=True)),
    arena_pb2.ACTION_GEIER: Kind((OBER,)),
    arena_pb2.ACTION_GEIER_TOUT: Kind((OBER,), all_tricks=True),
    **_in_each_suit(arena_pb2.ACTION_FARBGEIER_SCHELLEN, Kind((OBER,))),
    **_in_each_suit(arena_pb2.ACTION_FARBGEIER_TOUT_SCHELLEN, Kind((OBER,), all_tricks=True)),
    arena_pb2.ACTION_SIE: Kind(_COURTS, all_tricks=True),
    arena_pb2.ACTION_RAMSCH: Kind(_COURTS, HERZ, avoids=True),
    arena_pb2.ACTION_BETTEL: Kind((), order=_TEN_LOW, all_tricks=True, avoids=True),
    arena_pb2.ACTION_HOCHZEIT: Kind(_COURTS, HERZ, exchanged=True),
    **_in_each_suit(
        arena_pb2.ACTION_DEUTSCHER_SCHELLEN, Kind((UNTER,), order=_TEN_LOW, opposite=True)
    ),
}
"""All games by the action that stands for them."""


def _family(action: int) -> str:
    """Return the name that a rule set gives to the games of this action's family."""
    name = arena_pb2.Action.Name(arena_pb2.Action.ValueType(action)).removeprefix("ACTION_")
    for suit in ("_SCHELLEN", "_HERZ", "_GRAS", "_EICHEL"):
        name = name.removesuffix(suit)
    return name.lower().replace("_", "-")


_ACTION_NAMES: Final = frozenset(arena_pb2.Action.keys())
FAMILY: Final = {action: _family(action) for action in KINDS}
BID_OF: Final = {
    action: arena_pb2.Action.Value(bid)
    for action, family in FAMILY.items()
    if (bid := "ACTION_BID_" + family.upper().replace("-", "_")) in _ACTION_NAMES
}
"""The bid that comes before an announcement where kinds are bid first."""

TOUT_OF: Final = {
    action: tout
    for action, kind in KINDS.items()
    for tout, harder in KINDS.items()
    if not kind.all_tricks and harder == replace(kind, all_tricks=True)
}
"""The game that is won like this one, but with all tricks only."""


@dataclass(frozen=True, slots=True)
class House:
    """What the bot takes from the rules of its table."""

    deck: int
    games: tuple[int, ...]
    """Announcements that the rules know."""
    first_bidder_only: bool
    """Whether a Rufspiel can only be had by who bids first."""
    blocked_only: bool
    """Whether who can call an ace must not play alone."""

    @property
    def short(self) -> bool:
        """Whether sevens and eights are missing."""
        return self.deck == SHORT_DECK


def house_of(rules: Mapping[str, Any]) -> House:
    """Read the rule set that the arena sends with its welcome."""
    auction = rules["auction"]
    families = {family for group in auction["ranking"] for family in group}
    return House(
        deck=SHORT_DECK if rules["deck"] == SHORT_DECK.bit_count() else LONG_DECK,
        games=tuple(action for action in KINDS if FAMILY[action] in families),
        first_bidder_only=auction["partner_games_first_bidder_only"],
        blocked_only=auction["single_games_only_if_blocked"],
    )


@dataclass(frozen=True, slots=True)
class Game:
    """A kind of game with its orders as tables indexed by card."""

    kind: Kind
    group: tuple[int, ...]
    strength: tuple[int, ...]
    """Comparable within a group, and of any trump with any plain card."""
    masks: tuple[int, ...]
    """The cards of each group."""
    beaten_by: tuple[int, ...]
    """The cards of the same group that beat this one."""


@cache
def game_of(action: int, deck: int) -> Game | None:
    """Return the game of an announcement; none for one that this bot was not taught."""
    kind = KINDS.get(action)
    return None if kind is None else _game(kind, deck)


def _game(kind: Kind, deck: int) -> Game:
    group = tuple(
        TRUMP if card & 7 in kind.ranks or card >> 3 == kind.suit else card >> 3
        for card in range(32)
    )
    strength = tuple(_strength(card, kind) for card in range(32))
    masks = tuple(sum(1 << c for c in cards(deck) if group[c] == g) for g in (*SUITS, TRUMP))
    beaten_by = tuple(
        sum(1 << c for c in cards(masks[group[card]]) if strength[c] > strength[card])
        for card in range(32)
    )
    return Game(kind, group, strength, masks, beaten_by)


def _strength(card: int, kind: Kind) -> int:
    rank = card & 7
    if rank in kind.ranks:
        return 100 - 10 * kind.ranks.index(rank) + (card >> 3)
    plain = len(kind.order) - kind.order.index(rank)
    return plain + 50 if card >> 3 == kind.suit else plain


def beats(game: Game, card: int, best: int) -> bool:
    """Tell whether a card takes the trick from the best card so far."""
    if game.group[card] == game.group[best]:
        return game.strength[card] > game.strength[best]
    return game.group[card] == TRUMP

"""What the rule bot knows of cards, games and the deal in front of it. No decisions here."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from arena.v1.arena_pb2 import Decision

SEVEN, EIGHT, NINE, UNTER, OBER, KING, TEN, ACE = range(8)
SCHELLEN, HERZ, GRAS, EICHEL = range(4)
TRUMP: Final = 4
"""The group of the trumps; a plain card's group is its suit."""

AUGEN: Final = tuple((0, 0, 0, 2, 3, 4, 10, 11)[card & 7] for card in range(32))
DECK: Final = 0xFFFF_FFFF
RUFSPIEL_BASE, WENZ, SOLO_BASE, WENZ_TOUT, SOLO_TOUT_BASE, SIE = 64, 68, 72, 76, 80, 84


def cards(mask: int) -> list[int]:
    """Return the cards of a set, lowest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


@dataclass(frozen=True, slots=True)
class Game:
    """An announced game, its orders as tables indexed by card."""

    group: tuple[int, ...]
    strength: tuple[int, ...]
    """Comparable within a group, and of any trump with any plain card."""
    masks: tuple[int, ...]
    """The cards of each group."""
    beaten_by: tuple[int, ...]
    """The cards of the same group that beat this one."""
    called_ace: int | None
    all_tricks: bool
    """Tout or Sie: tricks count, not Augen."""


@cache
def game_of(action: int) -> Game | None:
    """Return the game of an announcement; none for one that this bot was not taught."""
    if RUFSPIEL_BASE <= action < WENZ:
        suit = action - RUFSPIEL_BASE
        return _game((OBER, UNTER), HERZ, called_ace=suit * 8 + ACE)
    if action in (WENZ, WENZ_TOUT):
        return _game((UNTER,), None, all_tricks=action == WENZ_TOUT)
    if SOLO_BASE <= action < SOLO_BASE + 4:
        return _game((OBER, UNTER), action - SOLO_BASE)
    if SOLO_TOUT_BASE <= action < SOLO_TOUT_BASE + 4:
        return _game((OBER, UNTER), action - SOLO_TOUT_BASE, all_tricks=True)
    if action == SIE:
        return _game((OBER, UNTER), None, all_tricks=True)
    return None


def _game(
    ranks: tuple[int, ...],
    suit: int | None,
    *,
    called_ace: int | None = None,
    all_tricks: bool = False,
) -> Game:
    group = tuple(
        TRUMP if card & 7 in ranks or card >> 3 == suit else card >> 3 for card in range(32)
    )
    strength = tuple(_strength(card, ranks, suit) for card in range(32))
    masks = tuple(sum(1 << c for c in range(32) if group[c] == g) for g in range(5))
    beaten_by = tuple(
        sum(1 << c for c in cards(masks[group[card]]) if strength[c] > strength[card])
        for card in range(32)
    )
    return Game(group, strength, masks, beaten_by, called_ace, all_tricks)


def _strength(card: int, ranks: tuple[int, ...], suit: int | None) -> int:
    rank = card & 7
    if rank in ranks:
        return 100 - 10 * ranks.index(rank) + (card >> 3)
    return rank + 50 if card >> 3 == suit else rank


@dataclass(slots=True)
class Table:
    """What a seat can work out from its observation while cards are being played."""

    game: Game
    me: int
    hand: int
    declarer: int
    friend: list[float]
    """How likely each seat is on my side."""
    lacks: list[int]
    """One bit for each group of which the seat has shown that it has none."""
    seen: int
    """Cards that were played or are mine."""
    trick: list[int]
    """The cards of the open trick."""
    leader: int
    best: int | None
    """The strongest card of the open trick."""
    winner: int
    """The seat that played it."""
    called_suit_led: bool
    holders: list[int]
    """For each group, how many of the others may still hold it."""

    @property
    def declaring(self) -> bool:
        """Whether I play, or was called."""
        return self.friend[self.declarer] == 1.0


def read_table(observation: Decision, game: Game) -> Table:
    """Replay what was played."""
    table = Table(
        game=game,
        me=observation.seat,
        hand=observation.hand,
        declarer=observation.declarer,
        friend=[],
        lacks=[0, 0, 0, 0],
        seen=observation.hand,
        trick=[],
        leader=observation.seat,
        best=None,
        winner=observation.seat,
        called_suit_led=False,
        holders=[3, 3, 3, 3, 3],
    )
    ace_holder = _replay(table, observation.plays)
    table.friend = _friends(table, ace_holder)
    for seat, lacks in enumerate(table.lacks):
        if lacks and seat != table.me:
            for group in range(5):
                table.holders[group] -= lacks >> group & 1
    return table


def _replay(table: Table, plays: bytes) -> int | None:
    """Fill in the tricks; return who played the called ace."""
    game = table.game
    group, lacks, ace = game.group, table.lacks, game.called_ace
    called = None if ace is None else ace >> 3
    open_from = len(plays) & ~3
    seen, led, ace_holder = table.seen, 0, None
    for index, play in enumerate(plays):
        card = play & 31
        seen |= 1 << card
        if not index & 3:
            led = group[card]
            if led == called:
                table.called_suit_led = True
        elif group[card] != led:
            lacks[play >> 5] |= 1 << led
        if card == ace:
            ace_holder = play >> 5
    table.seen = seen
    for play in plays[open_from:]:
        _lay(table, play >> 5, play & 31)
    return ace_holder


def _lay(table: Table, seat: int, card: int) -> None:
    if table.best is None:
        table.leader = seat
    table.trick.append(card)
    if table.best is None or beats(table.game, card, table.best):
        table.best, table.winner = card, seat


def beats(game: Game, card: int, best: int) -> bool:
    """Tell whether a card takes the trick from the best card so far."""
    if game.group[card] == game.group[best]:
        return game.strength[card] > game.strength[best]
    return game.group[card] == TRUMP


def _friends(table: Table, ace_holder: int | None) -> list[float]:
    me, declarer, ace = table.me, table.declarer, table.game.called_ace
    if ace is None:
        return [1.0 if (seat == declarer) == (me == declarer) else 0.0 for seat in range(4)]
    partner = me if table.hand >> ace & 1 else ace_holder
    if partner is not None:
        sides = (declarer, partner)
        return [1.0 if (seat in sides) == (me in sides) else 0.0 for seat in range(4)]
    return _guess(table, ace)


def _guess(table: Table, ace: int) -> list[float]:
    """Share the called ace out evenly among those who may still hold it."""
    called = 1 << (ace >> 3)
    me, declarer = table.me, table.declarer
    holders = [s for s in range(4) if s not in (me, declarer) and not table.lacks[s] & called]
    chance = 1.0 / len(holders) if holders else 0.0
    re_side = [chance if seat in holders else 0.0 for seat in range(4)]
    re_side[declarer] = 1.0
    friend = re_side if me == declarer else [1.0 - value for value in re_side]
    friend[me] = 1.0
    return friend

"""What a seat can work out from its observation while cards are being played."""

from dataclasses import dataclass

from rule_games import Game, beats

from arena.v1 import arena_pb2
from arena.v1.arena_pb2 import Decision


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
    partner = _shown_partner(observation, game)
    ace_holder = _replay(table, observation.plays)
    table.friend = _friends(table, ace_holder if partner is None else partner)
    for seat, lacks in enumerate(table.lacks):
        if lacks and seat != table.me:
            for group in range(5):
                table.holders[group] -= lacks >> group & 1
    return table


def _replay(table: Table, plays: bytes) -> int | None:
    """Fill in the tricks; return who played the called ace."""
    game = table.game
    group, lacks, ace = game.group, table.lacks, game.kind.called_ace
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


def _shown_partner(observation: Decision, game: Game) -> int | None:
    """Return the declarer's partner where the game or the auction shows him."""
    if game.kind.opposite:
        return (observation.declarer + 2) & 3
    if game.kind.exchanged:
        calls = observation.auction
        return calls[calls.index(arena_pb2.ACTION_OFFER, 1) - 1]
    return None


def _friends(table: Table, partner: int | None) -> list[float]:
    me, declarer, kind = table.me, table.declarer, table.game.kind
    if kind.avoids:
        return [1.0 if seat == me else 0.0 for seat in range(4)]
    ace = kind.called_ace
    if partner is None and ace is not None:
        if not table.hand >> ace & 1:
            return _guess(table, ace)
        partner = me
    sides = (declarer, declarer if partner is None else partner)
    return [1.0 if (seat in sides) == (me in sides) else 0.0 for seat in range(4)]


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

"""Teams: what two bots that always sat opposite each other won together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.rating_blocks import Order
from arena.rating_fit import generator, interval
from arena.rating_records import Team
from arena.rating_sample import rated
from arena.records import Header
from arena.schedule import pairing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

_Bots = tuple[int, int]


class _Blocks:
    """The rated blocks of one team."""

    def __init__(self) -> None:
        self.sessions: list[Integers] = []
        self.gains: list[Integers] = []
        """Money of both seats over each block."""
        self.deals: list[int] = []
        """Deals of one block, for each entry of the others."""


def rated_teams(orders: Sequence[Order], header: Header, resamples: int) -> tuple[Team, ...]:
    """Return all teams that met another one, best first."""
    found: dict[_Bots, _Blocks] = {}
    for order in orders:
        teams = pairing(order.places)
        if teams[0] == teams[1]:
            continue  # a team against itself
        sessions, payoffs, _ = rated(order)
        for place in (0, 1):
            first, second = sorted((order.places[place], order.places[place + 2]))
            blocks = found.setdefault((first, second), _Blocks())
            blocks.sessions.append(sessions)
            blocks.gains.append(payoffs[:, place] + payoffs[:, place + 2])
            blocks.deals.append(order.deals)
    teams_found = [_team(bots, blocks, header, resamples) for bots, blocks in found.items()]
    return tuple(sorted(teams_found, key=lambda team: (-team.payoff, team.bots)))


def _team(bots: _Bots, blocks: _Blocks, header: Header, resamples: int) -> Team:
    import numpy as np

    sessions = np.concatenate(blocks.sessions)
    gains = np.concatenate(blocks.gains)
    deals = np.repeat(blocks.deals, [len(each) for each in blocks.gains])
    _, row_of = np.unique(sessions, return_inverse=True)
    # A session's cards are shared by all its blocks, so sessions are what is drawn anew.
    gained = np.bincount(row_of, gains)
    played = np.bincount(row_of, deals)
    count = len(gained)
    draws = np.zeros(0)
    if count > 1:
        dice = generator(header.commitment)
        chosen = (dice.integers(0, count, count - 1) for _ in range(resamples))
        draws = np.array([gained[drawn].sum() / (2 * played[drawn].sum()) for drawn in chosen])
    return Team(
        bots=bots,
        payoff=float(gains.sum() / (2 * deals.sum())),
        payoff_interval=interval(draws, count),
        deals=int(deals.sum()),
        blocks=len(gains),
        won_share=float(((gains > 0) + (gains == 0) / 2).mean()),
    )

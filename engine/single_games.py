"""What games of one against three, and who may announce a game, have in common."""

from engine.cards import Rank, Suit
from engine.model import Deal, GameType
from engine.scoring import settle_by_points, settle_by_tricks


def always(_hand: int) -> bool:
    """Any hand entitles to a single game; the trump suit needn't be held (dossier 2.2)."""
    return True


def never(_hand: int) -> bool:
    """No hand entitles to a game that a pass-out leads to and nobody announces."""
    return False


def declarer_alone(deal: Deal) -> int:
    """Return the declarer as the only member of his side."""
    assert deal.declarer is not None
    return 1 << deal.declarer


def single_game(
    family: str,
    announcement: int,
    bid: int,
    ranks: tuple[Rank, ...],
    suit: Suit | None,
    kind: str = "",
) -> GameType:
    """Return a plain single game, or a Tout where `kind` names what it intensifies.

    `announcement` is that of the first suit of the family, `bid` that of the family.
    """
    return GameType(
        key=family if suit is None else f"{family}-{suit.name.lower()}",
        family=family,
        kind=kind or family,
        announcement=announcement if suit is None else announcement + suit,
        bid=bid,
        trump_ranks=ranks,
        trump_suit=suit,
        may_announce=always,
        side=declarer_alone,
        settle=settle_by_tricks if kind else settle_by_points,
        tout=bool(kind),
    )

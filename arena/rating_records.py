"""What ratings are made of. Money is in units of the tariff, per deal and seat."""

import msgspec


class Interval(msgspec.Struct, frozen=True):
    """Holds the true value with the league's confidence."""

    low: float
    high: float


class Faults(msgspec.Struct, frozen=True):
    """Decisions that the house made in a bot's place, by kind."""

    late: int
    illegal: int
    garbled: int
    gone: int


class BotRating(msgspec.Struct, frozen=True):
    """One bot's row of the table. What the blocks don't tell is None."""

    name: str
    version: str
    group: int
    """Bots of different groups never met, not even through others, and can't be compared."""
    rank: int | None
    """Place within the group, by strength; None if unrated or stood down too often."""
    rank_interval: tuple[int, int] | None
    """Best and worst place that the differences to the others allow."""
    strength: float | None
    """Points per deal against three average bots of the group."""
    strength_interval: Interval | None
    elo: float | None
    """Bradley-Terry on block outcomes, 400 to a factor of ten, the group's mean at 0. It grows
    with the number of deals in a block, so it is no measure across leagues."""
    elo_interval: Interval | None
    elo_bounded: bool
    """Whether some bots of the group beat the rest in every block, so that only the drawn block
    added to every pair keeps the figure finite."""
    payoff: float | None
    """Mean per deal over the rated blocks, whoever the opponents were."""
    payoff_faultless: float | None
    """The same over the rated blocks without any bot's fault."""
    deals: int
    """Deals in rated blocks, once per seat held."""
    blocks: int
    """Rated blocks."""
    complete_share: float | None
    """Share of the bot's deals in the journal for which it wasn't stood down."""
    stood_down: int
    """Deals that the house played for it."""
    faults: Faults


class Pair(msgspec.Struct, frozen=True):
    """One bot compared with another."""

    difference: float
    """Of strengths, in points per deal."""
    interval: Interval | None
    superiority: float | None
    """Likelihood that the bot is the stronger one: its share of the resamples, ties halved."""


class Team(msgspec.Struct, frozen=True):
    """Two bots that sat opposite each other, where partners are fixed."""

    bots: tuple[int, int]
    """Indexes into the header's bots."""
    payoff: float
    """Mean per deal and seat over the rated blocks, whoever the opponents were."""
    payoff_interval: Interval | None
    deals: int
    """Deals in rated blocks."""
    blocks: int
    """Rated blocks."""
    won_share: float
    """Share of the blocks with a gain; one without gain or loss counts half."""


class League(msgspec.Struct, frozen=True):
    """What the ratings rest on."""

    name: str
    fixed_partners: bool
    confidence: float
    """Of all intervals."""
    resamples: int
    deals: int
    """Different deal lines, each seating counted."""
    passed_out_share: float | None
    sessions: int
    """Sessions with a rated block; these are the independent samples."""
    scheduled_blocks: int
    complete_blocks: int
    """Blocks that are rated."""
    stood_down_blocks: int
    """Complete blocks left out for all four, because the house played for a bot."""
    incomplete_blocks: int
    """Blocks that were begun and lack deals."""


class Ratings(msgspec.Struct, frozen=True):
    """The whole result. Bots stand as in the header."""

    league: League
    bots: tuple[BotRating, ...]
    pairs: tuple[tuple[Pair | None, ...], ...]
    """Row against column; None on the diagonal and between groups."""
    teams: tuple[Team, ...]
    """Best first; empty unless partners are fixed."""
    warnings: tuple[str, ...]


class Leader(msgspec.Struct, frozen=True):
    """Who is ahead while a league runs."""

    bot: int
    """Index into the header's bots."""
    strength: float
    blocks: int
    """Rated blocks of the league so far."""

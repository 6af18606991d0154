"""What the reader of a table has to be told before believing it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from arena.rating_blocks import Blocks
from arena.rating_records import BotRating, League
from arena.schedule import Four, Pairing, pairing, pairings

FEWEST_SESSIONS: Final = 30
LEAST_COMPLETE: Final = 0.95
"""A bot that was stood down in more of its deals than this leaves isn't ranked."""


def notes(blocks: Blocks, league: League, bots: Sequence[BotRating]) -> tuple[str, ...]:
    """Return the warnings, the gravest first."""
    return (
        *_evidence(blocks, league, bots),
        *_comparability(blocks, league, bots),
        *_left_out(league, bots),
    )


def connected(lineups: Iterable[Four], bots: int) -> list[set[int]]:
    """Return the sets of bots that lineups link with each other, directly or through others."""
    parts = [{bot} for bot in range(bots)]
    for lineup in lineups:
        touched = [part for part in parts if part & set(lineup)]
        parts = [part for part in parts if part not in touched] + [set().union(*touched)]
    return sorted(parts, key=min)


def _evidence(blocks: Blocks, league: League, bots: Sequence[BotRating]) -> Iterator[str]:
    unit = "deals" if blocks.header.schedule.session_deals == 1 else "sessions"
    if not league.complete_blocks:
        yield "No complete block yet: nothing can be rated."
    elif league.sessions < FEWEST_SESSIONS:
        yield f"Too few to rate: {league.sessions} different {unit}, under {FEWEST_SESSIONS}."
    few = [bot.name for bot in bots if 0 < bot.blocks < FEWEST_SESSIONS <= league.sessions]
    if few:
        yield f"Too few to rate, under {FEWEST_SESSIONS} blocks: {_names(few)}."
    begun = league.complete_blocks + league.stood_down_blocks
    if begun < league.scheduled_blocks:
        yield f"Only {begun} of {league.scheduled_blocks} blocks are complete."
    if blocks.header.open:
        yield "The league is open: its operator chose the secret and could know the deals."


def _comparability(blocks: Blocks, league: League, bots: Sequence[BotRating]) -> Iterator[str]:
    lineups = blocks.header.schedule.lineups
    if any(len(set(lineup)) == 1 for lineup in lineups):
        yield "A lineup of one bot alone is self-play and gives no rating."
    if league.fixed_partners and _pairings_lack(blocks):
        yield (
            "Fixed partners: not all pairings of each lineup were played, so that where bots "
            "always had the same partner only teams can be compared."
        )
    parts = connected(lineups, len(bots))
    played = [lineups[order.lineup] for order in blocks.orders.values() if order.rated]
    so_far = connected(played, len(bots))
    if len(parts) > 1:
        yield f"The schedule is unconnected; {_apart(parts, bots)}."
    elif len(so_far) > 1 and league.complete_blocks:
        yield f"Not connected yet; {_apart(so_far, bots)}."
    bounded = [bot.name for bot in bots if bot.elo_bounded]
    if bounded:
        yield (
            "Elo is bounded only by the drawn block added to every pair, because some won or "
            f"lost all their blocks: {_names(bounded)}."
        )


def _left_out(league: League, bots: Sequence[BotRating]) -> Iterator[str]:
    if league.stood_down_blocks:
        yield (
            f"{league.stood_down_blocks} complete blocks are left out for all four, because "
            "a bot was stood down before it was asked anything in them."
        )
    unranked = [
        bot.name
        for bot in bots
        if bot.complete_share is not None and bot.complete_share < LEAST_COMPLETE
    ]
    if unranked:
        yield f"Unranked, under {LEAST_COMPLETE:.0%} of their deals complete: {_names(unranked)}."


def _pairings_lack(blocks: Blocks) -> bool:
    played: dict[int, set[Pairing]] = {}
    for order in blocks.orders.values():
        if order.rated:
            played.setdefault(order.lineup, set()).add(pairing(order.places))
    lineups = blocks.header.schedule.lineups
    return any(found != pairings(lineups[lineup]) for lineup, found in played.items())


def _apart(parts: Sequence[set[int]], bots: Sequence[BotRating]) -> str:
    groups = (_names([bots[bot].name for bot in sorted(part)]) for part in parts)
    return f"bots of different groups can't be compared: {' | '.join(groups)}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(names)

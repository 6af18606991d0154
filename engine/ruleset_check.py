"""Refuses rule sets that can't be played or priced."""

from collections.abc import Collection, Iterator, Mapping

from engine.errors import RuleSetError
from engine.model import RuleSet
from engine.variants import GAMES

NEXT_DEAL = "next_deal"

_MOST = 2**31 - 2**25
"""No deal may pay more, so that every payoff fits into a message, the Stock included."""


def check(rules: RuleSet) -> None:
    """Refuse what can't be played or priced. Raises RuleSetError naming the key."""
    in_range = {
        "stoss.steps": (rules.stoss.steps, 0, 4),
        "stoss.closes_before_card": (rules.stoss.closes_before_card, 1, 4),
        "duties.runaway_threshold": (rules.duties.runaway_threshold, 2, 8),
        "thresholds.win": (rules.thresholds.win, 1, 120),
        "thresholds.schneider": (rules.thresholds.schneider, 61, 121),
        "thresholds.defenders_schneider": (rules.thresholds.defenders_schneider, 60, 121),
        "tariff.schneider": (rules.tariff.schneider, 0, 1_000_000),
        "tariff.schwarz": (rules.tariff.schwarz, 0, 1_000_000),
        "tariff.laufende": (rules.tariff.laufende, 0, 1_000_000),
        "thresholds.forced_with_few_trumps": (rules.thresholds.forced_with_few_trumps, 0, 8),
        "session.stock": (rules.session.stock, 0, 1_000_000),
        "session.bock_deals": (rules.session.bock_deals, 0, 100),
        "session.schafkopf_strokes": (rules.session.schafkopf_strokes, 0, 255),
        "session.match_schafkoepfe": (rules.session.match_schafkoepfe, 1, 255),
        "tariff.lost_factor": (rules.tariff.lost_factor, 1, 100),
        "tariff.forced_lost_factor": (rules.tariff.forced_lost_factor, 1, 100),
    }
    for key, (value, low, high) in in_range.items():
        _check_range(key, value, low, high)
    _check_prices(rules)
    for problem in _problems(rules):
        if problem is not None:
            raise RuleSetError(problem)


def _check_prices(rules: RuleSet) -> None:
    kinds = {game.kind for game in GAMES.values()}
    rows = {game.kind for game in GAMES.values() if game.trump_ranks and not game.everybody_alone}
    touts = {game.family for game in GAMES.values() if game.tout}
    _check_entries("laufende.minimum", rules.laufende.minimum, rows, (1, 32))
    _check_entries("tariff.base", rules.tariff.base, kinds, (0, 1_000_000))
    _check_entries("tariff.factor", rules.tariff.factor, touts, (1, 1_000))
    for kind in sorted({game.kind for game in (*rules.games, *rules.pass_out.games)}):
        if kind not in rules.tariff.base:
            raise RuleSetError(f"tariff.base: no price for {kind!r}")
    if _most_paid(rules) > _MOST:
        raise RuleSetError(f"tariff: a deal could pay more than {_MOST}")


def _most_paid(rules: RuleSet) -> int:
    """Return more than any seat can win or lose in a deal, apart from the Stock."""
    tariff = rules.tariff
    once = (
        max(tariff.base.values()) + tariff.schneider + tariff.schwarz + tariff.laufende * rules.deck
    )
    factor = max(1, *tariff.factor.values(), tariff.lost_factor, tariff.forced_lost_factor)
    virgins = 3
    doublings = max(rules.stoss.steps, virgins) + 4 * rules.klopfen + (rules.session.bock_deals > 0)
    return 3 * once * factor**2 << doublings


def _problems(rules: RuleSet) -> Iterator[str | None]:
    """Yield why settings don't go together; None where they do."""
    session = rules.session
    if session.stock and session.schafkopf_strokes:
        yield "session.stock: a table counts either money or strokes"
    if session.schafkopf_strokes and not all(game.fixed_partners for game in rules.games):
        yield "session.schafkopf_strokes: only pairs that stay together count strokes"
    if bool(session.bock_deals) != bool(session.bock_after):
        yield "session.bock_deals: a Bock round needs a number of deals and an event in bock_after"
    if session.stock and rules.pass_out.key != NEXT_DEAL:
        yield "session.stock: is paid when nobody plays, so auction.pass_out must be 'next_deal'"
    if rules.stoss.steps and rules.stoss.own_card_only and rules.stoss.closes_before_card == 1:
        yield "stoss.own_card_only: nobody could double before card 1"
    if not rules.games:
        yield "auction.ranking: no game to announce"
    if rules.follow.trump_instead and not rules.follow.must_trump:
        yield "follow.trump_instead: needs must_trump, as trumps then serve like the suit led"
    yield rules.procedure.problem(rules)
    if rules.pass_out.problem is not None:
        yield rules.pass_out.problem(rules)


def _check_entries(
    path: str, entries: Mapping[str, int], known: Collection[str], limits: tuple[int, int]
) -> None:
    """Refuse an entry that no game would ever read, as a misspelt one is."""
    for key, value in entries.items():
        if key not in known:
            raise RuleSetError(f"{path}.{key}: unknown; allowed: {', '.join(sorted(known))}")
        _check_range(f"{path}.{key}", value, *limits)


def _check_range(key: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise RuleSetError(f"{key}: {value} is out of range; allowed: {low} to {high}")

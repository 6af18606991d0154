"""From a finished deal to its settlement: Augen, Schneider, Laufende, payoff (dossier 1)."""

from dataclasses import replace

from engine.model import Deal, Four, GameType, RuleSet, Settlement
from engine.order import order_of
from engine.session import with_stock

_ALL_POINTS = 120


def settle(deal: Deal) -> Settlement:
    """Return how a finished deal ended; a passed-out deal pays nothing."""
    if deal.game is None:
        return Settlement()
    settlement = deal.game.settle(deal)
    if not deal.carried.stock:
        return settlement
    return replace(settlement, payoff=with_stock(deal, settlement))


def seats_of(side: int) -> tuple[int, ...]:
    """Return the seats of a set of seats, ascending."""
    return tuple(seat for seat in range(4) if side >> seat & 1)


def settle_by_points(deal: Deal) -> Settlement:
    """Settle a game in which the declarer's side needs the majority of the Augen."""
    game, rules = _game(deal), deal.rules
    mine = seats_of(deal.side)
    points = sum(deal.points[seat] for seat in mine)
    tricks = sum(deal.tricks[seat] for seat in mine)
    won = points >= _needed(deal, rules)
    loser_tricks = sum(deal.tricks) - tricks if won else tricks
    loser_points = _ALL_POINTS - points if won else points
    schneider = (
        points >= rules.thresholds.schneider
        if won
        else _ALL_POINTS - points >= rules.thresholds.defenders_schneider
    )
    by_tricks = rules.thresholds.schwarz_by == "tricks"
    schwarz = (loser_tricks if by_tricks else loser_points) == 0
    laufende = counted_laufende(deal)
    value = (
        rules.tariff.base[game.kind]
        + rules.tariff.schneider * schneider
        + rules.tariff.schwarz * schwarz
        + rules.tariff.laufende * laufende
    )
    return Settlement(
        side=mine,
        won=won,
        schneider=schneider,
        schwarz=schwarz,
        laufende=laufende,
        payoff=paid(deal, won, value),
    )


def settle_by_tricks(deal: Deal) -> Settlement:
    """Settle a game that is lost with the first trick lost: Tout and Sie."""
    game, rules = _game(deal), deal.rules
    mine = seats_of(deal.side)
    others = sum(deal.tricks) - sum(deal.tricks[seat] for seat in mine)
    won = others == 0
    laufende = counted_laufende(deal)
    value = rules.tariff.base[game.kind] + rules.tariff.laufende * laufende
    value *= rules.tariff.factor.get(game.family, 1)
    return Settlement(
        side=mine,
        won=won,
        laufende=laufende,
        payoff=paid(deal, won, value),
    )


def doublings(deal: Deal) -> int:
    """Return how often the deal is doubled: by Klopfen, by Stoß, and in a Bock round."""
    return len(deal.stoss) + len(deal.klopfen) + (deal.carried.bock > 0)


def paid(deal: Deal, won: bool, value: int) -> Four:
    """Return what each seat gets for a game of this value, lost or doubled as the deal was."""
    tariff = deal.rules.tariff
    if not won:
        value *= tariff.forced_lost_factor if deal.forced else tariff.lost_factor
    return pairwise(deal.side, won, value << doublings(deal))


def pairwise(side: int, won: bool, value: int) -> Four:
    """Return what each seat gets when each loser pays each winner his share.

    Two against two: everybody wins or loses the value once; one against three: the one
    plays for three times the value.
    """
    mine = side.bit_count()
    gain = value if won else -value
    on_side = gain * (4 - mine) // mine
    a, b, c, d = (on_side if side >> seat & 1 else -gain for seat in range(4))
    return (a, b, c, d)


def laufende_row(game: GameType, rules: RuleSet, side_cards: int) -> int:
    """Return the length of the unbroken row of highest trumps that one side was dealt.

    Counts from the top, "with" or "without", and knows no minimum.
    """
    trumps = order_of(game, rules).ranked_trumps
    if rules.laufende.scope == "trump_ranks":
        trumps = tuple(card for card in trumps if (card & 7) in game.trump_ranks)
    held = side_cards >> trumps[0] & 1
    if not held and not rules.laufende.without:
        return 0
    row = 0
    for card in trumps:
        if side_cards >> card & 1 != held:
            break
        row += 1
    return row


def counted_laufende(deal: Deal) -> int:
    """Return the length of the row that is paid; 0 where it is too short."""
    game, rules = _game(deal), deal.rules
    minimum = rules.laufende.minimum.get(game.kind)
    if minimum is None:
        return 0
    side_cards = 0
    for seat in seats_of(deal.side):
        side_cards |= deal.opening[seat]
    row = laufende_row(game, rules, side_cards)
    return row if row >= minimum else 0


def _needed(deal: Deal, rules: RuleSet) -> int:
    """Augen that the declarer's side needs; with takeover whoever doubled last needs the majority.

    That is the majority of all Augen whatever else would be needed (dossier section 4).
    """
    if rules.stoss.takeover and deal.stoss:
        defenders_doubled_last = len(deal.stoss) % 2 == 1
        return _ALL_POINTS // 2 + (0 if defenders_doubled_last else 1)
    if deal.forced and _few_trumps(deal, rules):
        return rules.thresholds.win - 1
    return rules.thresholds.win


def _few_trumps(deal: Deal, rules: RuleSet) -> bool:
    assert deal.order is not None
    assert deal.declarer is not None
    trumps = (deal.opening[deal.declarer] & deal.order.trumps).bit_count()
    few = rules.thresholds.forced_with_few_trumps
    return few > 0 and trumps <= few


def _game(deal: Deal) -> GameType:
    assert deal.game is not None, "only an announced game is settled"
    return deal.game

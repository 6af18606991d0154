"""Count of trumps (S2): who could have most trumps names the suit; Unter are always trumps.

The intended suit is locked with the report. Others are told the count alone.
"""

from engine.action_ids import PASS, REPORT_SCHELLEN, REPORTED_FIVE
from engine.cards import POINTS, Rank, Suit, card_of, mask_of, members
from engine.model import Deal, GameType, Procedure, RuleSet
from engine.rules import begin_play, end_unplayed

_LEAST = 5
"""Trumps from which a seat must report (S2)."""
_UNTER = mask_of(card_of(suit, Rank.UNTER) for suit in Suit)
_FORCED_CARD = 1 << card_of(Suit.EICHEL, Rank.UNTER)
"""Whoever holds it must play when nobody reports (S2)."""


def trumps_with(hand: int, suit: int) -> int:
    """Return the trumps of a hand if this suit were trump."""
    return hand & (_UNTER | 0xFF << suit * 8)


def _begin(deal: Deal) -> None:
    deal.step = _take_report
    _ask(deal)


def _ask(deal: Deal) -> None:
    hand = deal.dealt[deal.turn]
    counts = [trumps_with(hand, suit).bit_count() for suit in Suit]
    most = max(counts)
    longest = [REPORT_SCHELLEN + suit for suit in Suit if counts[suit] == most]
    deal.legal = bytes(longest) if most >= _LEAST else bytes((PASS,))


def _take_report(deal: Deal, action: int) -> None:
    seat = deal.turn
    if action == PASS:
        deal.auction += bytes((seat, PASS))
    else:
        suit = action - REPORT_SCHELLEN
        trumps = trumps_with(deal.dealt[seat], suit)
        deal.auction += bytes((seat, REPORTED_FIVE + trumps.bit_count() - _LEAST))
        deal.bidding.locked.append((seat, suit))
    deal.turn = (seat + 1) & 3
    if deal.turn != deal.forehand:
        _ask(deal)
    elif deal.bidding.locked:
        seat, suit = max(deal.bidding.locked, key=lambda lock: _strength(deal, *lock))
        begin_play(deal, _game(deal, suit), seat)
    else:
        _force(deal)


def _strength(deal: Deal, seat: int, suit: int) -> tuple[int, int]:
    """Count first, then the Augen of those trumps; of equal ones `max` takes the earlier."""
    trumps = trumps_with(deal.dealt[seat], suit)
    return trumps.bit_count(), sum(POINTS[card] for card in members(trumps))


def _game(deal: Deal, suit: int) -> GameType:
    return next(game for game in deal.rules.games if game.trump_suit == suit)


def _force(deal: Deal) -> None:
    deal.forced = True
    deal.turn = next(seat for seat in range(4) if deal.dealt[seat] & _FORCED_CARD)
    deal.step = _take_forced
    deal.legal = bytes(game.announcement for game in deal.rules.games)


def _take_forced(deal: Deal, action: int) -> None:
    deal.auction += bytes((deal.turn, action))
    game = next(game for game in deal.rules.games if game.announcement == action)
    begin_play(deal, game, deal.turn)


def _problem(rules: RuleSet) -> str | None:
    if {game.trump_suit for game in rules.games} != set(Suit) or len(rules.games) != len(Suit):
        return "auction.ranking: the count of trumps needs one family with a game for each suit"
    if any(game.trump_ranks != (Rank.UNTER,) for game in rules.games):
        return "auction.ranking: the count of trumps is made for games with the Unter on top"
    if not all(game.fixed_partners for game in rules.games):
        return "auction.ranking: the count of trumps is made for games with fixed partners"
    if rules.pass_out.begin is not end_unplayed:
        return "auction: with the count of trumps somebody always plays; drop pass_out and hochzeit"
    return None


PROCEDURES = (Procedure("count", _begin, _problem),)

"""Rufspiel: Herz is trump, and whoever holds the called ace is the partner (dossier 3)."""

from engine.cards import Rank, Suit, card_of, mask_of
from engine.model import Deal, GameType
from engine.scoring import settle_by_points

_PLAIN = (Rank.SEVEN, Rank.EIGHT, Rank.NINE, Rank.KING, Rank.TEN, Rank.ACE)
_FIRST_ANNOUNCEMENT = 64
_BID = 48


class _Call:
    """The rights and duties around one called ace."""

    def __init__(self, called: Suit) -> None:
        self.ace_card = card_of(called, Rank.ACE)
        self.ace = 1 << self.ace_card
        self.suit = mask_of(card_of(called, rank) for rank in _PLAIN)

    def may_announce(self, hand: int) -> bool:
        """The ace must be elsewhere, and a plain card of its suit in the own hand."""
        return not hand & self.ace and bool(hand & self.suit)

    def may_announce_forced(self, hand: int) -> bool:
        """Who must play may call a suit that he doesn't hold, where the rules say so."""
        return not hand & self.ace

    def holder(self, deal: Deal) -> int:
        return next(seat for seat in range(4) if deal.dealt[seat] & self.ace)

    def side(self, deal: Deal) -> int:
        assert deal.declarer is not None
        return 1 << deal.declarer | 1 << self.holder(deal)

    def restrict(self, deal: Deal, may: int) -> int:
        """The ace comes when its suit is first led, and is neither led under nor thrown away."""
        duties = deal.rules.duties
        if deal.lying == 0:
            if not duties.lead_restriction or self._may_run_away(deal):
                return may
            return may & ~self.suit | self.ace
        if deal.follow & self.ace:
            return self.ace
        late = deal.hands[deal.turn].bit_count() <= 2
        if duties.ace_discard == "free" or (duties.ace_discard == "penultimate" and late):
            return may
        return may & ~self.ace or may

    def _may_run_away(self, deal: Deal) -> bool:
        duties, seat = deal.rules.duties, deal.turn
        counted = deal.hands[seat] if duties.runaway_count == "now" else deal.dealt[seat]
        return (counted & self.suit).bit_count() >= duties.runaway_threshold

    def releases(self, deal: Deal, card: int) -> bool:
        """The duties end with the ace itself, or with running away from it."""
        return card == self.ace_card or (deal.lying == 0 and bool(self.suit >> card & 1))


def _rufspiel(called: Suit) -> GameType:
    call = _Call(called)
    return GameType(
        key=f"rufspiel-{called.name.lower()}",
        family="rufspiel",
        kind="rufspiel",
        announcement=_FIRST_ANNOUNCEMENT + called,
        bid=_BID,
        trump_ranks=(Rank.OBER, Rank.UNTER),
        trump_suit=Suit.HERZ,
        may_announce=call.may_announce,
        may_announce_forced=call.may_announce_forced,
        side=call.side,
        settle=settle_by_points,
        hidden_partner=True,
        bound_seat=call.holder,
        restrict=call.restrict,
        releases=call.releases,
    )


GAME_TYPES = tuple(_rufspiel(suit) for suit in (Suit.SCHELLEN, Suit.GRAS, Suit.EICHEL))

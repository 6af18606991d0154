"""Random deals, and how they are brought to a game."""

import random
from collections.abc import Iterable

from engine.action_ids import BID, CEDE, NO_STOSS, OFFER, PASS, REPORT_SCHELLEN, TAKE
from engine.auctions.count import trumps_with
from engine.cards import LONG_DECK, Suit, mask_of, members
from engine.model import NOTHING_CARRIED, Carried, Deal, Four, GameType, RuleSet
from engine.order import ranked_trumps
from engine.rules import house_action, new_deal, play, replay
from engine.variants import GAMES
from tests.engine.support import deck_mask

PARTNER_GAMES = {
    number
    for game in GAMES.values()
    if game.hidden_partner
    for number in (game.announcement, game.bid)
}
"""Announcements and bids of games with a hidden partner."""


def shuffled(rng: random.Random, deck: int = LONG_DECK) -> Four:
    cards = list(members(deck))
    rng.shuffle(cards)
    a, b, c, d = (mask_of(cards[seat::4]) for seat in range(4))
    return a, b, c, d


def halves(hands: Four, rng: random.Random) -> Four:
    """Return a random half of each hand, as it is dealt first."""
    picked = []
    for cards in map(list, map(members, hands)):
        rng.shuffle(cards)
        picked.append(mask_of(cards[: len(cards) // 2]))
    return picked[0], picked[1], picked[2], picked[3]


def fresh(
    rules: RuleSet,
    rng: random.Random,
    hands: Four | None = None,
    carried: Carried = NOTHING_CARRIED,
) -> Deal:
    """Return a new deal of random hands, if none are given, and of a random forehand."""
    hands = hands or shuffled(rng, deck_mask(rules))
    return new_deal(rules, hands, rng.randrange(4), halves(hands, rng), carried)


def again(deal: Deal, actions: Iterable[int]) -> Deal:
    """Return the same deal after these actions."""
    return replay(deal.rules, deal.dealt, deal.forehand, actions, deal.first, deal.carried)


def entitled(rules: RuleSet, game: GameType, hands: Four, seat: int) -> bool:
    """Return whether this seat will play the game if it wants to."""
    if game.fixed_partners:
        assert game.trump_suit is not None
        count = trumps_with(hands[seat], game.trump_suit).bit_count()
        most = [max(trumps_with(h, suit).bit_count() for suit in Suit) for h in hands]
        own = most.pop(seat)
        return count == own >= 5 and own > max(most)
    if game is GAMES["hochzeit"]:
        return (hands[seat] & mask_of(ranked_trumps(game))).bit_count() == 1
    if rules.auction.single_games_only_if_blocked and game.announced and not game.hidden_partner:
        return not any(g.may_announce(hands[seat]) for g in rules.games if g.hidden_partner)
    return game.everybody_alone or game.may_announce(hands[seat])


def hands_for(rules: RuleSet, game: str, seat: int, rng: random.Random) -> Four:
    """Return random hands of which this seat's entitles to the game."""
    deck = deck_mask(rules)
    for _ in range(200):
        hands = shuffled(rng, deck)
        if entitled(rules, GAMES[game], hands, seat):
            return hands
    # Chance didn't find one: the seat gets the highest trumps, or but one of them.
    trumps = [card for card in ranked_trumps(GAMES[game]) if deck >> card & 1]
    plain = [card for card in members(deck) if card not in trumps]
    ranked = [trumps[0], *plain] if game == "hochzeit" else [*trumps, *plain]
    own = mask_of(ranked[: deck.bit_count() // 4])
    rest = list(members(deck & ~own))
    rng.shuffle(rest)
    others = iter(mask_of(rest[i::3]) for i in range(3))
    a, b, c, d = (own if s == seat else next(others) for s in range(4))
    return a, b, c, d


def announce(deal: Deal, game: str, seat: int) -> list[int]:
    """Hold the auction so that this seat plays the game; return what was said.

    A Hochzeit is offered and taken by whoever can first.
    """
    kind = GAMES[game]
    wanted = [kind.announcement, BID]
    if kind.bid is not None:
        wanted.append(kind.bid)
    if kind.fixed_partners and kind.trump_suit is not None:
        wanted.append(REPORT_SCHELLEN + kind.trump_suit)
    said: list[int] = []
    while deal.order is None and not deal.finished:
        action = house_action(deal)
        if game == "hochzeit":
            action = next((a for a in (OFFER, TAKE) if a in deal.legal), action)
        elif deal.turn == seat and kind.announced:
            action = next((a for a in wanted if a in deal.legal), action)
        said.append(action)
        play(deal, action)
    return said


def random_action(deal: Deal, rng: random.Random) -> int:
    """Answer at random, but let more called aces stand than chance would."""
    calls = [action for action in deal.legal if action in PARTNER_GAMES]
    if calls and rng.random() < 0.8:
        return rng.choice(calls)
    outbids = deal.legal[0] == PASS and deal.game is not None
    if (outbids or deal.legal[0] in (CEDE, NO_STOSS)) and rng.random() < 0.7:
        return deal.legal[0]
    return rng.choice(deal.legal)

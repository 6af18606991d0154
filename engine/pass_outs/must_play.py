"""Muss: the holder of the highest trump of a Rufspiel must play (dossier 5)."""

from engine.auctions.offers import announceable, game_announced, no_game_for_all
from engine.cards import Rank, Suit, card_of
from engine.model import Deal, GameType, PassOut
from engine.rules import begin_play

_OLD_ONE = 1 << card_of(Suit.EICHEL, Rank.OBER)


def _begin(deal: Deal) -> None:
    deal.forced = True
    deal.turn = next(seat for seat in range(4) if deal.dealt[seat] & _OLD_ONE)
    deal.step = _take
    deal.legal = bytes(sorted(game.announcement for game in _offers(deal)))


def _offers(deal: Deal) -> list[GameType]:
    games = announceable(deal, -1, first=True)
    blocked = not any(game.hidden_partner for game in games)
    if blocked and deal.rules.auction.forced_may_call_void:
        hand = deal.dealt[deal.turn]
        games += [
            game
            for game in deal.rules.games
            if game.may_announce_forced is not None and game.may_announce_forced(hand)
        ]
    return games


def _take(deal: Deal, action: int) -> None:
    deal.auction += bytes((deal.turn, action))
    begin_play(deal, game_announced(deal, action), deal.turn)


PASS_OUTS = (PassOut("must_play", _begin, problem=no_game_for_all),)

"""Which games a seat may announce: what all procedures share."""

from engine.model import Deal, GameType, RuleSet

PROCEDURES = ()


def announceable(deal: Deal, above: int, *, first: bool) -> list[GameType]:
    """Return the games that the asked seat may announce, ranked higher than `above`.

    `first` says whether it spoke first of those who want to play.
    """
    rules = deal.rules
    hand = deal.dealt[deal.turn]
    mine = [game for game in rules.games if game.may_announce(hand)]
    callable_ace = any(game.hidden_partner for game in mine)
    if rules.auction.single_games_only_if_blocked and callable_ace:
        mine = [game for game in mine if game.hidden_partner]
    if rules.auction.partner_games_first_bidder_only and not first:
        mine = [game for game in mine if not game.hidden_partner]
    return [game for game in mine if rules.rank[game.announcement] > above]


def game_announced(deal: Deal, action: int) -> GameType:
    """Return the game that an action announces."""
    return next(game for game in deal.rules.games if game.announcement == action)


def no_game_for_all(rules: RuleSet) -> str | None:
    """Say so when no listed game can be announced with every hand."""
    if any(game.may_announce(0) for game in rules.games):
        return fixed_partners_listed(rules)
    return (
        "auction.ranking: a bidder, or who is forced, must play, so at least one game "
        "that any hand may announce must be listed"
    )


def nothing_for_later_bidders(rules: RuleSet) -> str | None:
    """Say so when a bidder might be left without a game because of its place in the round."""
    auction = rules.auction
    calls = any(game.hidden_partner for game in rules.games)
    if calls and auction.single_games_only_if_blocked and auction.partner_games_first_bidder_only:
        return (
            "auction.single_games_only_if_blocked: a later bidder who holds a card of a "
            "callable ace could announce nothing; set partner_games_first_bidder_only to false"
        )
    return no_game_for_all(rules)


def fixed_partners_listed(rules: RuleSet) -> str | None:
    """Say so when a game is listed whose declarer isn't found by announcing."""
    for game in rules.games:
        if game.fixed_partners:
            return (
                f"auction.ranking: {game.family!r} has fixed partners; "
                "only the count of trumps finds who plays it"
            )
    return None

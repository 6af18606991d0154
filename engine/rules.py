"""The whole interface to a deal: `new_deal`, `legal`, `play`, `replay`, `house_action`."""

from collections.abc import Iterable

from engine import klopfen, stoss
from engine.action_ids import (
    CEDE,
    EICHEL_PLAYS,
    GRAS_PLAYS,
    HERZ_PLAYS,
    NO_KLOPFEN,
    NO_STOSS,
    PASS,
    SCHELLEN_PLAYS,
    STOSS,
    play_of,
    plays_of,
)
from engine.cards import LAID_POINTS, POINTS
from engine.errors import IllegalActionError, ReplayError
from engine.model import NOTHING_CARRIED, Carried, Deal, Four, GameType, RuleSet
from engine.order import order_of


def new_deal(
    rules: RuleSet,
    hands: Four,
    forehand: int,
    first: Four = (0, 0, 0, 0),
    carried: Carried = NOTHING_CARRIED,
) -> Deal:
    """Return a deal with its first question put. `hands` are card sets by seat.

    `first` holds the half of each hand that is dealt first; only Klopfen needs it.
    `carried` is what the session's earlier deals left.
    """
    deal = Deal(rules, hands, forehand, _play_card, first, carried)
    if rules.klopfen:
        klopfen.begin(deal)
    else:
        rules.procedure.begin(deal)
    return deal


def legal(deal: Deal) -> bytes:
    """Return what the seat `deal.turn` may answer, ascending; empty when finished."""
    return deal.legal


def play(deal: Deal, action: int) -> None:
    """Take the answer of the seat `deal.turn` and put the next question.

    Raises IllegalActionError and then leaves the deal as it was.
    """
    try:
        known = action in deal.legal
    except ValueError:  # no byte, so no action
        known = False
    if not known:
        raise IllegalActionError(f"action {action} is not among {list(deal.legal)}")
    deal.step(deal, action)


def replay(
    rules: RuleSet,
    hands: Four,
    forehand: int,
    actions: Iterable[int],
    first: Four = (0, 0, 0, 0),
    carried: Carried = NOTHING_CARRIED,
) -> Deal:
    """Return the deal after these actions. Raises ReplayError where one is illegal."""
    deal = new_deal(rules, hands, forehand, first, carried)
    for number, action in enumerate(actions):
        if deal.finished:
            raise ReplayError(f"action {number} comes after the end of the deal")
        try:
            play(deal, action)
        except IllegalActionError as error:
            raise ReplayError(f"action {number} of seat {deal.turn}: {error}") from None
    return deal


def house_action(deal: Deal) -> int:
    """Return what the house does in place of the asked seat: the fixed, unskilled default."""
    for action in (PASS, CEDE, NO_STOSS, NO_KLOPFEN):
        if action in deal.legal:
            return action
    return deal.legal[0]


def begin_play(deal: Deal, game: GameType, declarer: int | None) -> None:
    """Start the tricks of a game. For the auction's procedures.

    `declarer` is None in a game that nobody announces.
    """
    deal.game = game
    deal.declarer = declarer
    deal.order = order_of(game, deal.rules)
    deal.otherwise = deal.order.otherwise
    deal.side = game.side(deal)
    if game.bound_seat is not None:
        deal.bound = game.bound_seat(deal)
    if game.wins_at_once:
        assert declarer is not None
        deal.points[declarer] = sum(POINTS)
        deal.tricks[declarer] = deal.dealt[declarer].bit_count()
        _finish(deal)
        return
    by_forehand = declarer is None or deal.rules.leader == "forehand"
    deal.turn = deal.forehand if by_forehand else declarer  # type: ignore[assignment]
    deal.window = deal.rules.stoss.steps > 0 and declarer is not None
    deal.step = _play_card
    _ask_card(deal)


def pass_out(deal: Deal) -> None:
    """Go on with a deal that nobody wants to play. For the auction's procedures."""
    deal.rules.pass_out.begin(deal)


def end_unplayed(deal: Deal) -> None:
    """End a deal in which nobody plays. For the ways to go on after a pass-out."""
    _finish(deal)


def _finish(deal: Deal) -> None:
    deal.finished = True
    deal.legal = b""


def _ask_card(deal: Deal) -> None:
    """Put the question for the next card to the seat `deal.turn`."""
    may = deal.hands[deal.turn]
    if deal.lying:
        may = may & deal.follow or may & deal.otherwise or may
    if deal.turn == deal.bound:
        may = _restricted(deal, may)
    deal.legal = plays_of(may)
    if deal.window:
        stoss.offer(deal, _answer_poll)


def _restricted(deal: Deal, may: int) -> int:
    assert deal.game is not None
    assert deal.game.restrict is not None
    return deal.game.restrict(deal, may)


def _answer_poll(deal: Deal, action: int) -> None:
    if action == STOSS:
        stoss.double(deal)
    _ask_poll_or_card(deal)


def _ask_poll_or_card(deal: Deal) -> None:
    if stoss.ask_next(deal):
        deal.step = _answer_poll
    else:
        deal.step = _play_card
        deal.turn = deal.mover
        _ask_card(deal)


def _play_card(deal: Deal, action: int) -> None:
    """Lay a card. The hottest function of all: what it could call stands in it."""
    if action == STOSS:
        deal.mover = deal.turn
        stoss.double(deal)
        _ask_poll_or_card(deal)
        return
    card = action - 1
    seat = deal.turn
    hands = deal.hands
    hands[seat] ^= 1 << card
    deal.plays.append(seat << 5 | card)
    if seat == deal.bound:
        _release(deal, card)
    lying = deal.lying
    if lying == 3:
        _take_trick(deal)
        return
    if lying == 0:
        follow = deal.follow = deal.order.follow[card]  # type: ignore[union-attr]  # begin_play
    else:
        follow = deal.follow
    deal.lying = lying + 1
    deal.turn = seat = (seat + 1) & 3
    may = hands[seat]
    may = may & follow or may & deal.otherwise or may
    if seat == deal.bound:
        may = _restricted(deal, may)
    deal.legal = (
        SCHELLEN_PLAYS[may & 255]
        + HERZ_PLAYS[may >> 8 & 255]
        + GRAS_PLAYS[may >> 16 & 255]
        + EICHEL_PLAYS[may >> 24]
    )
    if deal.window:
        stoss.offer(deal, _answer_poll)


def _release(deal: Deal, card: int) -> None:
    assert deal.game is not None
    assert deal.game.releases is not None
    if deal.game.releases(deal, card):
        deal.bound = None


def _take_trick(deal: Deal) -> None:
    order = deal.order
    assert order is not None
    first, second, third, fourth = deal.plays[-4:]
    powers = order.powers[first & 31]
    winning, best = first, powers[first]
    power = powers[second]
    if power > best:
        winning, best = second, power
    power = powers[third]
    if power > best:
        winning, best = third, power
    if powers[fourth] > best:
        winning = fourth
    winner = winning >> 5
    deal.points[winner] += (
        LAID_POINTS[first] + LAID_POINTS[second] + LAID_POINTS[third] + LAID_POINTS[fourth]
    )
    deal.tricks[winner] += 1
    deal.lying = 0
    deal.turn = winner
    left = deal.hands[winner]
    if deal.game is not None and deal.game.over is not None and deal.game.over(deal):
        _finish(deal)
    elif left & (left - 1):
        _ask_card(deal)
    elif left:
        _play_last_trick(deal)
    else:
        _finish(deal)


def _play_last_trick(deal: Deal) -> None:
    """Nobody is asked in the last trick: every seat has one card, which must be legal."""
    deal.window = False
    for _ in range(4):
        _play_card(deal, play_of(deal.hands[deal.turn].bit_length() - 1))

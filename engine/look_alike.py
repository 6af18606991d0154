"""Deals that look alike to one seat: what it can't see is dealt anew, what is known stays.

The same answers are then given again; where an answer is secret, any that looks the same
will do. If they fit the rules, both deals look alike to that seat, and so must all its
questions, and who was asked how often.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from engine.action_ids import NO_STOSS, REPORT_SCHELLEN, REPORTED_FIVE
from engine.auctions.count import trumps_with
from engine.cards import mask_of, members
from engine.model import Deal, Four
from engine.rules import new_deal, play

_MOST_ANSWERS = 200
"""No deal asks so often."""

Show = Callable[[Deal], object]
"""Returns what the seat `deal.turn` is shown with its question."""


class Chance(Protocol):
    """What is drawn by chance; `random.Random` will do."""

    def shuffle(self, x: list[int], /) -> None: ...
    def choice(self, seq: Sequence[int], /) -> int: ...


class Question(NamedTuple):
    """A question as one seat knows it; what the others are shown is missing."""

    asked: int
    poll: bool
    finished: bool
    shown: object


class Story(NamedTuple):
    """A deal's questions and answers up to some point, as one seat, the viewer, knows them."""

    viewer: int
    questions: list[Question]
    forms: list[object]
    """What the viewer knows of each answer."""
    facts: list[object]
    """What the auction had led to at each question, which the rules tell everybody."""


def is_poll(deal: Deal) -> bool:
    """Whether the question is of a poll, which everybody sees."""
    return NO_STOSS in deal.legal


def told(deal: Deal, actions: Sequence[int], viewer: int, show: Show) -> Story:
    """Answer a new deal's questions; return the story up to the question after the last."""
    story = Story(viewer, [], [], [])
    for action in actions:
        _ask(story, deal, show)
        story.forms.append(_form(deal, action, viewer))
        play(deal, action)
    _ask(story, deal, show)
    return story


def retold(story: Story, deal: Deal, show: Show, chance: Chance) -> tuple[Story, bool]:
    """Answer the questions of another new deal so that the viewer hears the same.

    Return its story as far as that goes, and whether it goes to the end: then both deals
    look alike to the viewer.
    """
    other = Story(story.viewer, [], [], [])
    for number in range(_MOST_ANSWERS):
        if _known(deal) != story.facts[number]:
            return other, False
        _ask(other, deal, show)
        if number == len(story.forms):
            return other, True
        wanted = story.forms[number]
        fitting = [each for each in deal.legal if _form(deal, each, story.viewer) == wanted]
        if not fitting:
            return other, False
        play(deal, chance.choice(fitting))
    raise AssertionError("no deal asks so often")


def _ask(story: Story, deal: Deal, show: Show) -> None:
    shown = show(deal) if deal.turn == story.viewer and not deal.finished else None
    story.questions.append(Question(deal.turn, is_poll(deal), deal.finished, shown))
    story.facts.append(_known(deal))


def _form(deal: Deal, action: int, viewer: int) -> object:
    """Return what the viewer knows of an answer before it is taken."""
    if deal.turn == viewer or deal.order is not None:
        return action
    if REPORT_SCHELLEN <= action < REPORTED_FIVE:
        cards = trumps_with(deal.dealt[deal.turn], action - REPORT_SCHELLEN)
        return "reports", cards.bit_count()
    if action <= 32:  # the card returned in a Hochzeit
        couple = (deal.turn, deal.bidding.holder)
        return action if viewer in couple else "returns a card"
    return action


def _known(deal: Deal) -> object:
    if deal.order is None:
        return deal.turn if deal.forced else None
    return deal.declarer, deal.game and deal.game.key


def dealt_anew(deal: Deal, viewer: int, chance: Chance) -> Deal:
    """Return a new deal in which the cards that the viewer can't see lie elsewhere.

    What lies open stays, as do cards that were exchanged, and what earlier deals left.
    """
    exchanged = 0 if deal.exchange is None else mask_of(deal.exchange[2:])
    hands = [
        dealt & (~held | exchanged) for dealt, held in zip(deal.dealt, deal.hands, strict=True)
    ]
    hands[viewer] = deal.first[viewer] if deal.knocking else deal.dealt[viewer]
    unseen: list[int] = list(members(sum(deal.dealt) & ~sum(hands)))
    chance.shuffle(unseen)
    for seat in range(4):
        missing = deal.rules.deck // 4 - hands[seat].bit_count()
        hands[seat] |= mask_of(unseen[:missing])
        del unseen[:missing]
    a, b, c, d = hands
    first = _halves((a, b, c, d), deal.first, viewer, chance) if deal.rules.klopfen else deal.first
    return new_deal(deal.rules, (a, b, c, d), deal.forehand, first, deal.carried)


def _halves(hands: Four, dealt_first: Four, viewer: int, chance: Chance) -> Four:
    """Return any half of each hand, but the viewer's as it was."""
    halves = []
    for hand in hands:
        cards: list[int] = list(members(hand))
        chance.shuffle(cards)
        halves.append(mask_of(cards[: len(cards) // 2]))
    halves[viewer] = mask_of(members(dealt_first[viewer]))
    return halves[0], halves[1], halves[2], halves[3]

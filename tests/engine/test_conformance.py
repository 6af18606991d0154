"""What holds for every game of every rule set that comes with the engine."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import POINTS, mask_of, members
from engine.errors import IllegalActionError, ReplayError
from engine.model import Deal
from engine.rules import house_action, legal, new_deal, play, replay
from engine.ruleset import rule_set, to_mapping
from engine.scoring import settle
from engine.view import observe
from tests.engine.support import (
    MODEL,
    ONLINE,
    PRO,
    SHIPPED,
    announce,
    dealt,
    deck_mask,
    hands_for,
    random_action,
    shipped,
    shuffled,
)

PAIRS = [(name, game.key) for name in SHIPPED for game in shipped(name).games]
SEEDS = st.integers(0, 2**32 - 1)
NEVER = (0, -1, 255, 256, 10**9)
"""Numbers that are no action."""


def state(deal: Deal) -> list[object]:
    """Copy all that a deal holds."""
    values = (getattr(deal, slot) for slot in Deal.__slots__)
    return [type(v)(v) if isinstance(v, list | bytearray) else v for v in values]


def check_question(deal: Deal) -> None:
    """Look at what the asked seat may do, and at what it mustn't."""
    may = legal(deal)
    assert may, "somebody must be able to go on"
    assert list(may) == sorted(set(may))
    cards = mask_of(action - 1 for action in may if action <= 32)
    assert cards & ~deal.hands[deal.turn] == 0, "only own cards"
    assert house_action(deal) in may
    shown = observe(deal)
    assert (shown.seat, shown.hand, shown.legal) == (deal.turn, deal.hands[deal.turn], may)
    before = state(deal)
    for action in (*NEVER, *(a for a in range(1, 100) if a not in may)):
        with pytest.raises(IllegalActionError):
            play(deal, action)
    assert state(deal) == before, "a refused action changes nothing"


def play_out(deal: Deal, rng: random.Random) -> list[int]:
    """Answer every question at random; return the answers."""
    actions = []
    checked = rng.randrange(40)
    while not deal.finished:
        if len(actions) == checked:
            check_question(deal)
        assert deal.legal
        actions.append(random_action(deal, rng))
        play(deal, actions[-1])
    return actions


def check_end(deal: Deal) -> None:
    assert legal(deal) == b""
    payoff = settle(deal).payoff
    assert sum(payoff) == 0
    if deal.game is None:
        assert payoff == (0, 0, 0, 0)
        return
    size = deck_mask(deal.rules).bit_count() // 4
    assert (sum(deal.points), sum(deal.tricks)) == (sum(POINTS), size)
    if not deal.game.wins_at_once:
        assert mask_of(laid & 31 for laid in deal.plays) == deck_mask(deal.rules)
        for seat in range(4):
            own = mask_of(laid & 31 for laid in deal.plays if laid >> 5 == seat)
            assert own == deal.dealt[seat], "everybody played his own cards"


@pytest.mark.parametrize(("name", "game"), PAIRS)
@settings(max_examples=25)
@given(seed=SEEDS)
def test_every_game_is_playable_to_the_end(name, game, seed):
    rules, rng = shipped(name), random.Random(seed)
    seat, forehand = rng.randrange(4), rng.randrange(4)
    hands = hands_for(rules, game, seat, rng)
    deal = new_deal(rules, hands, forehand)
    actions = announce(deal, game, seat)
    assert deal.game is not None
    assert (deal.game.key, deal.declarer) == (game, seat)
    actions += play_out(deal, rng)
    check_end(deal)
    assert state(replay(rules, hands, forehand, actions)) == state(deal)


@pytest.mark.parametrize("name", SHIPPED)
@settings(max_examples=60)
@given(seed=SEEDS)
def test_every_auction_comes_to_an_end(name, seed):
    rules, rng = shipped(name), random.Random(seed)
    hands = shuffled(rng, deck_mask(rules))
    deal = new_deal(rules, hands, rng.randrange(4))
    actions = play_out(deal, rng)
    check_end(deal)
    assert state(replay(rules, hands, deal.forehand, actions)) == state(deal)


@pytest.mark.parametrize("name", SHIPPED)
@settings(max_examples=10)
@given(seed=SEEDS)
def test_the_house_can_play_every_deal(name, seed):
    rules, rng = shipped(name), random.Random(seed)
    deal = new_deal(rules, shuffled(rng, deck_mask(rules)), rng.randrange(4))
    play(deal, deal.legal[-1])
    while not deal.finished:
        play(deal, house_action(deal))
    check_end(deal)


@settings(max_examples=15)
@given(seed=SEEDS, stop=st.integers(0, 45))
def test_every_question_offers_own_cards_and_refuses_the_rest(seed, stop):
    rng = random.Random(seed)
    deal = new_deal(PRO, shuffled(rng), rng.randrange(4))
    for _ in range(stop):
        if deal.finished:
            return
        play(deal, random_action(deal, rng))
    if not deal.finished:
        check_question(deal)


@pytest.mark.parametrize("action", NEVER)
def test_a_finished_deal_takes_no_action(action):
    deal = replay(ONLINE, dealt(*MODEL), 0, [33] * 4)
    before = state(deal)
    for refused in (action, 33):
        with pytest.raises(IllegalActionError):
            play(deal, refused)
    assert state(deal) == before


BROKEN = [
    ([33, 33, 33, 33, 33], "action 4 comes after the end", "one too many"),
    ([33, 34, 33, 33, 66, 1], "action 5 of seat 0", "a card that seat 0 doesn't hold"),
    ([33, 300], "action 1 of seat 1", "no byte"),
]


@pytest.mark.parametrize(("actions", "message", "because"), BROKEN)
def test_replay_says_where_it_breaks(actions, message, because):
    with pytest.raises(ReplayError, match=message):
        replay(ONLINE, dealt(*MODEL), 0, actions)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_rule_set_survives_its_own_mapping(name):
    rules = shipped(name)
    assert rules.name == name
    again = rule_set(to_mapping(rules))
    assert again == rules
    assert [g.key for g in again.games] == [g.key for g in rules.games]
    assert again.rank == rules.rank


@pytest.mark.parametrize("key", sorted({key for _, key in PAIRS}))
def test_hands_are_found_for_every_game(key):
    """The table above would prove little if no hand ever entitled to the game."""
    rng = random.Random(1)
    hands = hands_for(ONLINE, key, 2, rng)
    assert [h.bit_count() for h in hands] == [8] * 4
    assert sorted(c for h in hands for c in members(h)) == list(range(32))

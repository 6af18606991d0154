"""What holds for every game of every rule set that comes with the engine."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import POINTS, mask_of
from engine.errors import IllegalActionError, ReplayError
from engine.model import Bidding, Carried, Deal
from engine.rules import house_action, legal, play, replay
from engine.ruleset import rule_set, to_mapping
from engine.scoring import settle
from engine.session import carry
from engine.variants import GAMES
from engine.view import observe
from tests.engine.chance import again, announce, entitled, fresh, hands_for, random_action
from tests.engine.support import MODEL, ONLINE, dealt, deck_mask
from tests.engine.tables import TABLES

PAIRS = [
    (name, game.key)
    for name, rules in TABLES.items()
    for game in (*rules.games, *rules.pass_out.games)
]
SEEDS = st.integers(0, 2**32 - 1)
NEVER = (0, -1, 255, 256, 10**9)
"""Numbers that are no action."""


def state(deal: Deal) -> list[object]:
    """Copy all that a deal holds; what takes the next answer is a function of it."""
    values = [getattr(deal, slot) for slot in Deal.__slots__ if slot not in ("step", "bidding")]
    values += [getattr(deal.bidding, slot) for slot in Bidding.__slots__]
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
    held = deal.first[deal.turn] if deal.knocking else deal.hands[deal.turn]
    assert (shown.seat, shown.hand, shown.legal) == (deal.turn, held, may)
    before = state(deal)
    for action in (*NEVER, *(a for a in range(1, 120) if a not in may)):
        with pytest.raises(IllegalActionError):
            play(deal, action)
    assert state(deal) == before, "a refused action changes nothing"


def play_out(deal: Deal, rng: random.Random) -> list[int]:
    """Answer every question at random; return the answers."""
    actions = []
    checked = rng.randrange(60)
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
    laid = [mask_of(card & 31 for card in deal.plays if card >> 5 == seat) for seat in range(4)]
    held = [cards & ~left for cards, left in zip(deal.opening, deal.hands, strict=True)]
    if deal.game.wins_at_once:
        assert not deal.plays
    else:
        assert laid == held, "everybody played his own cards"
    size = deck_mask(deal.rules).bit_count() // 4
    if deal.game.over is None:
        assert (sum(deal.points), sum(deal.tricks)) == (sum(POINTS), size)
    else:
        assert sum(deal.tricks) == size or deal.game.over(deal)


@pytest.mark.parametrize(("name", "game"), PAIRS)
@settings(max_examples=6)
@given(seed=SEEDS)
def test_every_game_is_playable_to_the_end(name, game, seed):
    rules, rng = TABLES[name], random.Random(seed)
    seat = rng.randrange(4)
    deal = fresh(rules, rng, hands_for(rules, game, seat, rng))
    actions = announce(deal, game, seat)
    assert deal.game is not None
    assert deal.game.key == game
    if deal.game.announced:
        assert deal.declarer == seat
    actions += play_out(deal, rng)
    check_end(deal)
    assert state(again(deal, actions)) == state(deal)


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=30)
@given(seed=SEEDS)
def test_every_auction_comes_to_an_end(name, seed):
    rng = random.Random(seed)
    deal = fresh(TABLES[name], rng)
    actions = play_out(deal, rng)
    check_end(deal)
    assert state(again(deal, actions)) == state(deal)


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=8)
@given(seed=SEEDS)
def test_the_house_can_play_every_deal(name, seed):
    deal = fresh(TABLES[name], random.Random(seed))
    play(deal, deal.legal[-1])
    while not deal.finished:
        play(deal, house_action(deal))
    check_end(deal)


@pytest.mark.parametrize("name", [name for name in TABLES if TABLES[name].session.carries])
@settings(max_examples=12)
@given(seed=SEEDS)
def test_a_session_is_the_same_when_it_is_replayed(name, seed):
    """Each deal follows from what was dealt, carried over and said; none makes money."""
    rng = random.Random(seed)
    carried = Carried()
    for _ in range(6):
        deal = fresh(TABLES[name], rng, carried=carried)
        weary = rng.random() < 0.4
        actions = []
        while not deal.finished:
            actions.append(house_action(deal) if weary else random_action(deal, rng))
            play(deal, actions[-1])
        check_end(deal)
        twin = again(deal, actions)
        assert state(twin) == state(deal)
        carried = carry(deal, settle(deal))
        assert carry(twin, settle(twin)) == carried
        assert observe_ends(carried)


def observe_ends(carried: Carried) -> bytes:
    """Return the tally as it is shown; it must fit into bytes."""
    return bytes((*carried.strokes, *carried.schafkoepfe))


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=10)
@given(seed=SEEDS, stop=st.integers(0, 45))
def test_every_question_offers_own_cards_and_refuses_the_rest(name, seed, stop):
    rng = random.Random(seed)
    deal = fresh(TABLES[name], rng)
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


@pytest.mark.parametrize("name", TABLES)
def test_a_rule_set_survives_its_own_mapping(name):
    rules = TABLES[name]
    again = rule_set(to_mapping(rules))
    assert again == rules
    assert [g.key for g in again.games] == [g.key for g in rules.games]
    assert (again.rank, again.procedure, again.rare) == (rules.rank, rules.procedure, rules.rare)


def test_every_game_is_played_somewhere():
    assert {key for _, key in PAIRS} == set(GAMES)


@pytest.mark.parametrize(("name", "key"), PAIRS)
def test_hands_are_found_for_every_game(name, key):
    """The table above would prove little if no hand ever entitled to the game."""
    rules = TABLES[name]
    hands = hands_for(rules, key, 2, random.Random(1))
    assert entitled(rules, GAMES[key], hands, 2)
    assert sum(hands) == deck_mask(rules)
    assert {h.bit_count() for h in hands} == {rules.deck // 4}

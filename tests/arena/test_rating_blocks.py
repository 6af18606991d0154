import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import EvidenceError
from arena.rating import rate
from arena.records import FaultLine, Key
from tests.arena.leagues import PASSED_OUT, Four, header, league, nothing, simulated, strengths


@settings(max_examples=15, deadline=None)
@given(dice=st.randoms(use_true_random=False), span=st.sampled_from([1, 2, 3]))
def test_order_and_duplicates_do_not_matter(dice, span):
    head = header(5, 6, slice_deals=span, session_deals=span)
    lines = league(head, simulated([2, 1, 0, 0, 0], seed=8))
    shuffled = lines + [dice.choice(lines) for _ in range(20)]
    dice.shuffle(shuffled)
    assert rate(head, shuffled, resamples=100) == rate(head, lines, resamples=100)


def test_the_first_of_two_lines_with_the_same_key_counts():
    head = header(4, 3)
    lines = league(head, simulated([2, 1, 0, 0], seed=9))
    later = [msgspec.structs.replace(line, payoff=(900, -300, -300, -300)) for line in lines]
    assert rate(head, lines + later) == rate(head, lines)
    assert rate(head, later + lines) != rate(head, lines)


def test_incomplete_blocks_do_not_count():
    head = header(4, 40, slice_deals=4)
    lines = league(head, simulated([2, 1, 0, -3], seed=11))
    whole = [line for line in lines if line.key.session != 17]
    part = [line for line in lines if line.key.session != 17 or line.key.seating != 2]
    with_part, without = rate(head, part), rate(head, whole)
    assert with_part.bots == without.bots
    assert with_part.pairs == without.pairs
    assert with_part.league.incomplete_blocks == 1
    assert with_part.league.complete_blocks == 39
    assert any("39 of 40 blocks" in warning for warning in with_part.warnings)


def test_a_session_counts_when_all_its_deals_are_there():
    head = header(4, 12, slice_deals=3, session_deals=3)
    lines = league(head, simulated([2, 1, 0, -3], seed=12))
    assert rate(head, lines).league.complete_blocks == 4
    ratings = rate(head, lines[1:])
    assert ratings.league.complete_blocks == 3
    assert ratings.league.incomplete_blocks == 1


def test_the_sessions_are_the_samples_and_not_their_deals():
    """Deals that hang on each other don't make a result more certain."""
    single = header(4, 48, slice_deals=12)
    whole = header(4, 48, slice_deals=12, session_deals=12)
    by_deal, by_session = (
        rate(head, league(head, simulated([2, 1, 0, -3], seed=12))) for head in (single, whole)
    )
    assert (by_deal.league.sessions, by_session.league.sessions) == (48, 4)
    assert (by_deal.league.complete_blocks, by_session.league.complete_blocks) == (48, 4)
    for one, other in zip(by_deal.bots, by_session.bots, strict=True):
        assert one.strength == pytest.approx(other.strength)
        assert one.deals == other.deals
    assert any("4 different sessions" in warning for warning in by_session.warnings)


def test_blocks_with_a_bot_stood_down_are_left_out_for_all_four():
    head = header(4, 40)
    lines = league(head, simulated([2, 1, 0, -3], seed=13))
    key = next(line.key for line in lines if line.key.session == 5 and line.seats[2] == 3)
    stood = [
        msgspec.structs.replace(line, stood_down=(2,)) if line.key == key else line
        for line in lines
    ]
    without = rate(head, [line for line in lines if line.key.session != 5])
    ratings = rate(head, stood)
    assert ratings.pairs == without.pairs
    assert ratings.league.stood_down_blocks == 1
    assert [bot.stood_down for bot in ratings.bots] == [0, 0, 0, 1]
    assert ratings.bots[3].complete_share == pytest.approx(1 - 1 / 160)
    assert ratings.bots[3].rank == 4


def test_a_deal_that_a_bot_left_in_the_midst_counts():
    """Else a bot that sees its deals going badly could void them by crashing."""
    head = header(4, 40)
    lines = league(head, simulated([2, 1, 0, -3], seed=13))
    left = [
        msgspec.structs.replace(line, stood_down=(2,), asked=(3, 3, 1, 3))
        if line.key.session == 5 and line.seats[2] == 3
        else line
        for line in lines
    ]
    ratings = rate(head, left)
    assert ratings.pairs == rate(head, lines).pairs
    assert ratings.league.stood_down_blocks == 0
    assert ratings.bots[3].stood_down == 1, "its bot is told all the same"


def test_a_bot_that_was_stood_down_too_often_is_unranked():
    head = header(4, 40)
    lines = [
        msgspec.structs.replace(line, stood_down=(line.seats.index(0),))
        if line.key.session < 3
        else line
        for line in league(head, simulated([9, 1, 0, -3], seed=14))
    ]
    ratings = rate(head, lines)
    assert [bot.rank for bot in ratings.bots] == [None, 1, 2, 3]
    assert ratings.bots[0].strength == max(strengths(ratings))
    assert ratings.bots[0].complete_share == pytest.approx(0.925)
    assert any("Unranked" in warning and "bot 0" in warning for warning in ratings.warnings)


def test_faults_are_counted_and_their_blocks_rated_and_shown_apart():
    head = header(4, 2)

    def payoffs(deal: int, seats: Four) -> list[float]:
        gain = (30, 6)[deal]
        return [gain if bot == 0 else -gain / 3 for bot in seats]

    faults = tuple(FaultLine(1, 3, kind, "") for kind in ("late", "late", "gone"))
    lines = [
        msgspec.structs.replace(line, faults=faults, result=PASSED_OUT)
        if line.key.deal == 0 and line.seats[1] == 0
        else line
        for line in league(head, payoffs)
    ]
    ratings = rate(head, lines)
    bot = ratings.bots[0]
    assert (bot.faults.late, bot.faults.illegal, bot.faults.gone) == (2, 0, 1)
    assert (bot.deals, bot.blocks) == (8, 2)
    assert bot.payoff == 18
    assert bot.payoff_faultless == 6
    assert ratings.bots[1].payoff_faultless == -2
    assert ratings.league.passed_out_share == pytest.approx(1 / 8)


def test_a_bot_on_two_seats_is_counted_on_both():
    head = header(2, 4)
    ratings = rate(head, league(head, simulated([1, 0], seed=15)))
    lines = league(head, simulated([1, 0], seed=15))
    assert [bot.deals for bot in ratings.bots] == [2 * len(lines)] * 2
    assert [bot.blocks for bot in ratings.bots] == [4, 4]


@pytest.mark.parametrize(
    "changes",
    [
        {"seats": (3, 2, 1, 0)},
        {"key": Key(0, 0, 0, 99, 99)},
        {"key": Key(0, 0, 7, 0, 0)},
        {"key": Key(4, 0, 0, 0, 0)},
    ],
)
def test_a_line_outside_the_schedule_is_refused(changes):
    head = header(4, 2)
    lines = league(head, nothing)
    with pytest.raises(EvidenceError, match="not in the schedule"):
        rate(head, [msgspec.structs.replace(lines[0], **changes)])

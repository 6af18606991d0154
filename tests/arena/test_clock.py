"""Budgets, banks and charges: arithmetic, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import Bank, Budget, Timeline, bank_of, budget
from arena.records import Limits

MILLISECOND = 1_000_000


def banks(*left_ms: int) -> list[Bank | None]:
    """Banks in which seat 0 has so much left."""
    return [Bank(left, 0) for left in left_ms]


@pytest.mark.parametrize(
    ("limits", "given_banks", "ms", "shares", "because"),
    [
        (Limits(decision_ms=50), [None], 50, (50,), "one decision"),
        (Limits(decision_ms=50), [None] * 3, 150, (50, 50, 50), "each brings its own"),
        (Limits(decision_ms=50, bank_ms=200), banks(200), 50, (50,), "the decision's limit"),
        (Limits(decision_ms=50, bank_ms=200), banks(20), 20, (20,), "no more than is left"),
        (
            Limits(decision_ms=50, bank_ms=200),
            banks(200, 20, 70),
            120,
            (50, 20, 50),
            "a poor deal takes nothing from the others",
        ),
    ],
)
def test_budgets(
    limits: Limits,
    given_banks: list[Bank | None],
    ms: int,
    shares: tuple[int, ...],
    because: str,
) -> None:
    found = budget(limits, 0, given_banks)
    assert (found.ms, found.shares_ms) == (ms, shares), because


@pytest.mark.parametrize(
    ("margin_ms", "elapsed_ns", "late", "because"),
    [
        (0, 50 * MILLISECOND, False, "the very limit is in time"),
        (0, 50 * MILLISECOND + 1, True, "a nanosecond more isn't"),
        (10, 60 * MILLISECOND, False, "limit and margin"),
        (10, 60 * MILLISECOND + 1, True, "a nanosecond beyond the margin"),
    ],
)
def test_the_boundary(margin_ms: int, elapsed_ns: int, late: bool, because: str) -> None:
    assert Budget(50, (50,), margin_ms).is_late(elapsed_ns) is late, because


def test_a_bank_is_charged_first_and_gets_its_increment_then() -> None:
    """Else an answer could be paid with time that it only earns by being given."""
    bank = Bank(100, 30)
    bank.charge(0, 100_000)
    assert bank.left_ms(0) == 30, "all of it, and the increment"
    bank.charge(0, 45_000)
    assert bank.left_ms(0) == 30, "beyond what was left: nothing is owed"
    bank.charge(0, 10_500)
    assert bank.left_ms(0) == 49, "whole milliseconds of 49.5"
    assert [bank.left_ms(seat) for seat in (1, 2, 3)] == [100] * 3, "the others' are their own"


def test_a_bank_without_increment_runs_dry() -> None:
    bank = Bank(5, 0)
    bank.charge(2, 4_500)
    assert bank.left_ms(2) == 0, "half a millisecond is no time to answer"


def test_no_bank_where_none_is_asked_for() -> None:
    assert bank_of(Limits()) is None
    bank = bank_of(Limits(bank_ms=70))
    assert bank is not None
    assert bank.left_ms(3) == 70


@given(
    shares=st.lists(st.integers(1, 30_000), min_size=1, max_size=64),
    part=st.floats(0, 1),
)
def test_in_time_means_that_no_bank_is_overdrawn(shares: list[int], part: float) -> None:
    found = Budget(sum(shares), tuple(shares), 0)
    elapsed_ns = int(found.allowed_ns * part)
    charges = found.charges_us(elapsed_ns)
    assert all(us <= ms * 1000 for us, ms in zip(charges, shares, strict=True))
    assert sum(charges) <= elapsed_ns // 1000 < sum(charges) + len(shares) + 1
    assert sum(found.all_of_it_us()) == found.ms * 1000


def test_the_four_times_count_from_the_shards_beginning() -> None:
    timeline = Timeline(1_000_000)
    timeline.queued(3_000_000)
    timeline.judged(5_000_000, 8_000_000, 9_000_999)
    timeline.not_asked()
    timeline.queued(10_000_000)
    timeline.judged(11_000_000, None, 12_000_000)
    assert timeline.times() == (
        (2000, 4000, 7000, 8000),
        None,
        (9000, 10_000, None, 11_000),
    )

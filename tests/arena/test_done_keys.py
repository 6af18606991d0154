"""The set of finished deals."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from arena.done_keys import DoneKeys
from arena.records import Key
from arena.schedule import Shard

keys = st.builds(
    Key,
    lineup=st.integers(0, 2),
    arrangement=st.integers(0, 5),
    seating=st.integers(0, 3),
    session=st.just(0),
    deal=st.integers(0, 99),
)


@given(added=st.lists(keys), asked=st.lists(keys))
def test_done_keys_are_a_set(added: list[Key], asked: list[Key]) -> None:
    done, model = DoneKeys(), set(added)
    done.bound(100)
    for key in added:
        done.add(key)
    assert len(done) == len(model)
    assert all(key in done for key in model)
    assert [key in done for key in asked] == [key in model for key in asked]


@given(
    added=st.sets(st.integers(0, 99)),
    first=st.integers(0, 11),
    sessions=st.integers(1, 11),
    span=st.integers(1, 8),
)
def test_missing_is_what_is_not_done_in_whole_sessions(
    added: set[int], first: int, sessions: int, span: int
) -> None:
    shard = Shard(0, 0, 0, first * span, sessions * span, span, (0, 1, 2, 3))
    done = DoneKeys()
    done.bound(200)
    for deal in added:
        done.add(shard.key(deal))
    starts = range(shard.first_deal, shard.first_deal + shard.deals, span)
    assert done.missing(shard) == tuple(
        deal
        for start in starts
        if not added.issuperset(range(start, start + span))
        for deal in range(start, start + span)
    )


def test_what_other_tables_played_is_missing_here() -> None:
    done = DoneKeys()
    done.bound(100)
    for deal in range(100):
        done.add(Key(0, 0, 1, deal, deal))
    assert done.missing(Shard(0, 0, 0, 8, 2, 1, (0, 1, 2, 3))) == (8, 9)
    assert done.missing(Shard(0, 0, 1, 8, 2, 1, (0, 1, 2, 3))) == ()


def test_ten_million_keys_are_small() -> None:
    done = DoneKeys()
    done.bound(10_000_000)
    tracemalloc.start()
    for seating in range(4):
        for deal in range(seating, 10_000_000, 997):
            done.add(Key(0, 0, seating, deal, deal))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000, "bytes"

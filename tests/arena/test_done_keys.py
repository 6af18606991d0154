"""The set of finished deals."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from arena.done_keys import DoneKeys
from arena.records import Key

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

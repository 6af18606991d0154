"""Signs of life must carry progress: a shard that beats and gets nowhere is ended, too."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from arena.executor import _Pulse
from arena.frames import Alive
from tests.arena.test_shard import specification

BEAT_S = 5.0
SILENCE_S = 60.0


@pytest.fixture
def autojump_clock() -> MockClock:
    return MockClock(autojump_threshold=0)


async def beats(folder: Path, asks: list[int]) -> bool:
    """Return whether patience lasted through beats with these numbers of asks."""
    with trio.CancelScope() as patience:
        pulse = _Pulse(specification(folder), SILENCE_S, patience)
        for number in asks:
            await trio.sleep(BEAT_S)
            pulse.feel(Alive(number))
    return not patience.cancelled_caught


async def test_a_shard_that_beats_without_progress_is_ended(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    assert not await beats(tmp_path, [7] * 1000)


async def test_a_slow_shard_that_gets_on_is_left_alone(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    slowly = [count for count in range(50) for _ in range(10)]
    assert await beats(tmp_path, slowly)


async def test_a_shard_without_a_beat_is_ended(tmp_path: Path, autojump_clock: MockClock) -> None:
    with trio.CancelScope() as patience:
        _Pulse(specification(tmp_path), SILENCE_S, patience)
        await trio.sleep(SILENCE_S + 1)
    assert patience.cancelled_caught

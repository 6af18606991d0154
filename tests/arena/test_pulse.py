"""Signs of life must carry progress: a shard that beats and gets nowhere is ended, too."""

from pathlib import Path

import pytest
import trio
import trio.testing
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
    pulse = _Pulse(specification(folder), SILENCE_S)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pulse.watch, nursery.cancel_scope)
        for number in asks:
            await trio.sleep(BEAT_S)
            pulse.feel(Alive(number))
        nursery.cancel_scope.cancel()
    return not pulse.stopped


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
    pulse = _Pulse(specification(tmp_path), SILENCE_S)
    with trio.CancelScope() as shard:
        await pulse.watch(shard)
        await trio.sleep_forever()
    assert shard.cancelled_caught
    assert pulse.stopped


async def test_an_arena_that_stood_still_itself_looks_once_more(tmp_path: Path) -> None:
    """Its own clock ran out, too; what the shard said meanwhile is only read afterwards."""
    clock = MockClock()
    pulses: list[_Pulse] = []

    async def stands_still() -> None:
        pulse = _Pulse(specification(tmp_path), SILENCE_S)
        pulses.append(pulse)
        push, beats = trio.open_memory_channel[Alive](10)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pulse.watch, nursery.cancel_scope)

            async def hear() -> None:
                async for beat in beats:
                    pulse.feel(beat)

            nursery.start_soon(hear)
            await trio.testing.wait_all_tasks_blocked()
            clock.jump(SILENCE_S + 4)
            push.send_nowait(Alive(5))
            clock.autojump_threshold = 0
            await trio.sleep(SILENCE_S / 2)
            nursery.cancel_scope.cancel()

    await trio.to_thread.run_sync(lambda: trio.run(stands_still, clock=clock))
    assert not pulses[0].stopped

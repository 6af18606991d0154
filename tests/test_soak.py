"""What the soak program takes for a problem."""

from pathlib import Path

import pytest

from tests.soak import Progress, Sample, Watch, _speed, _tell

LOOKS = 200
CORES = 2


def growing(minutes: float, megabytes_per_hour: float, descriptors_per_hour: float) -> Watch:
    """A run at even speed with one process that grows."""
    watch = Watch(1, Path())
    watch.progress = played(minutes, deals_at_last=100)
    for seconds in (each.seconds for each in watch.progress):
        hours = seconds / 3600
        held = Sample(seconds, 50 + megabytes_per_hour * hours, 10 + descriptors_per_hour * hours)
        watch.samples.setdefault("shard 1", []).append(held)
    return watch


def played(
    minutes: float, *, deals_at_last: int, others: float = 0, slow_cpu: float = 1
) -> list[Progress]:
    """A league with 100 deals per second and half a core, and in its second half with others.

    `others` is the share of the machine that other work has in that half; `slow_cpu` is how
    much more processor time a deal takes then.
    """
    pause = minutes * 60 / LOOKS
    told = [Progress(0, 1, 0, 0, 0)]
    for look in range(LOOKS):
        late = look >= LOOKS // 2
        last = told[-1]
        deals = round((deals_at_last if late else 100) * pause)
        cpu_s = deals / 200 * (slow_cpu if late else 1)
        busy_s = cpu_s + (others if late else 0) * pause * CORES
        told.append(
            Progress(
                last.seconds + pause,
                last.deals + deals,
                last.cpu_s + cpu_s,
                last.busy_s + busy_s,
                last.idle_s + pause * CORES - busy_s,
            )
        )
    return told


@pytest.mark.parametrize(
    ("minutes", "megabytes", "descriptors", "problem", "because"),
    [
        (2, 5.3, 0, None, "a tenth of a megabyte in 90 seconds says nothing"),
        (30, 5.3, 0, "grows by 5.3 MB", "in half an hour it is a slope"),
        (2, 100, 0, "grows by 100.0 MB", "a short run still sees what pours"),
        (30, 3, 0, None, "so little is allowed"),
        (2, 0, 2, None, "no whole descriptor was opened"),
        (30, 0, 2, "opens 2.0 more", "but over half an hour one is lost"),
    ],
)
def test_what_isnt_flat_is_a_problem(
    minutes: float, megabytes: float, descriptors: float, problem: str | None, because: str
) -> None:
    found = list(_tell(growing(minutes, megabytes, descriptors)))
    assert len(found) == (problem is not None), because
    assert all(str(problem) in each for each in found), because


@pytest.mark.parametrize(
    ("deals", "others", "slow_cpu", "problem", "because"),
    [
        (100, 0, 1, None, "as fast as before"),
        (95, 0, 1, None, "a little is allowed"),
        (80, 0, 1, "waited more", "each deal costs as much, but waits while the machine idles"),
        (50, 0, 1, "waited more", "as well"),
        (50, 0.5, 1, None, "half of the machine went to others"),
        (20, 0.5, 1, "waited more", "which explains only the half of it"),
        (50, 0, 2, "slower", "each deal costs more"),
        (100, 0, 2, None, "a core that was idle has made up for it"),
    ],
)
def test_a_league_that_slows_down_is_a_problem(
    deals: int, others: float, slow_cpu: float, problem: str | None, because: str
) -> None:
    found = list(_speed(played(30, deals_at_last=deals, others=others, slow_cpu=slow_cpu)))
    assert len(found) == (problem is not None), because
    assert all(str(problem) in each for each in found), because

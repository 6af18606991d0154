import pytest

from arena.records import Level
from tests.arena.offered import ALL, lacking


@pytest.fixture(params=ALL)
def level(request: pytest.FixtureRequest) -> Level:
    """Each level of isolation that this machine offers."""
    reason = lacking(request.param)
    if reason is not None:
        pytest.skip(reason)
    return request.param


@pytest.fixture
def ample_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """To tidy up in, once a bot is asked to end; it takes its time on a busy machine."""
    monkeypatch.setattr("arena.process._GRACE_S", 60)

"""The surroundings that all tests share, whatever those of whoever starts them are."""

import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.machine import short_folder

settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],  # which is the machine's doing
)
settings.load_profile("house")

WANTED_FILES = 8192
"""As many open files as the busiest test and the servers that it starts need together."""
PROXIES = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy", "no_proxy", "no_grpc_proxy")
MEDDLERS = {
    *PROXIES,
    *map(str.upper, PROXIES),
    "FORCE_COLOR",
    "NO_COLOR",
    "PYTHONDEVMODE",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONWARNINGS",
    "XDG_DATA_HOME",
}
"""What would change where programs connect to, or what they print."""


def meddles(name: str) -> bool:
    return name in MEDDLERS or name.startswith(("ARENA_", "GRPC_"))


def usual_signals() -> None:
    """What nohup or a shell's `&` has ignored would be ignored by all that tests start, too."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def usual_environment() -> None:
    for name in filter(meddles, list(os.environ)):
        del os.environ[name]
    os.environ["COLUMNS"] = "200"  # else the width of whatever terminal there is breaks lines
    os.umask(0o022)


def enough_files() -> None:
    """A test that needs more than the machine allows has to skip itself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


usual_signals()
usual_environment()
enough_files()


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Homes for what lives longer than one test, such as fixtures of a module."""
    folder = tmp_path_factory.mktemp("homes")
    (folder / "operator").mkdir()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(folder / "operator"))
        patched.setenv("ARENA_HOME", str(folder / "arena"))
        yield


@pytest.fixture(autouse=True)
def arena_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep every test, and what it starts, away from the operator's own data."""
    home = tmp_path / "arena-home"
    monkeypatch.setenv("ARENA_HOME", str(home))
    return home


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder for sockets."""
    with short_folder() as folder:
        yield folder

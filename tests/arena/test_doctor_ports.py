"""The doctor looks at ports and at the registry, and says who is in the way."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena import checkup, registry, store
from arena.checkup import Check
from tests.arena.runs import arena
from tests.arena.serving import served


def doctor(*words: object) -> tuple[int, dict[str, Check]]:
    told = arena("doctor", *words, "--json")
    assert told.stderr == ""
    found = msgspec.json.decode(told.stdout, type=list[Check])
    return told.returncode, {each.name: each for each in found}


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that this test listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_ports_that_are_taken_are_problems(taken: int) -> None:
    code, found = doctor("--metrics", taken, "--address", f"127.0.0.1:{taken}")
    assert code == 2
    for name in ("ports", "metrics"):
        assert found[name].level == "problem"
        assert "Address already in use" in found[name].found
        assert f"process {os.getpid()}, " in found[name].found
        assert "choose another port" in found[name].remedy


def test_ports_that_are_free() -> None:
    _, found = doctor("--metrics", f"localhost:{free()}", "--address", f"127.0.0.1:{free()}")
    assert (found["ports"].level, found["metrics"].level) == ("ok", "ok")
    assert "is free" in found["ports"].found


@pytest.mark.parametrize("words", [["--metrics", "x"], ["--address", "5000"], ["--folder", "x"]])
def test_options_that_are_none(words: list[str]) -> None:
    told = arena("doctor", *words)
    assert (told.returncode, told.stdout) == (2, "")


def test_an_arena_of_ours_is_where_it_should_be(taken: int) -> None:
    with served() as server:
        for words in ((), ("--address", server.address)):
            _, found = doctor(*words)
            assert found["ports"].level == "ok"
            assert f"your `arena serve`, process {server.process.pid}, " in found["ports"].found
            assert server.address in found["ports"].found
        assert doctor("--address", f"127.0.0.1:{taken}")[1]["ports"].level == "problem"


def test_all_that_is_wrong_with_the_cores_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (1000.0, 0.0, 0.0))
    found = checkup.cores(1 << 20)
    assert "load 1000.0" in found.found
    assert "tables" in found.found
    assert "end other programs" in found.remedy
    assert "fewer workers" in found.remedy


def test_a_damaged_registry_is_a_problem(arena_home: Path) -> None:
    _, found = doctor()
    assert found["registry"].level != "problem"
    assert not (arena_home / store.FILE).exists(), "looking makes nothing"
    registry.register(registry.make("a", ["true"], Path("/")))
    assert "1 bots" in doctor()[1]["registry"].found
    (arena_home / store.FILE).write_bytes(b"garbage" * 1000)
    code, found = doctor()
    assert (code, found["registry"].level) == (2, "problem")
    assert "move it away" in found["registry"].found

"""Sample bots that dial in by themselves: table after table, and again after a break."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from tests.arena.runs import PATIENCE_S, arena, deals, faults, incidents, write_league
from tests.arena.serving import SAMPLES, Papers, dialling, network, registered, served
from tests.arena.tables import LIMITS, Asked, at_table

TYPESCRIPT = SAMPLES.parent / "typescript"
BUILT = TYPESCRIPT / "dist" / "random_bot.js"
NEEDS_NODE = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed"),
    pytest.mark.skipif(not BUILT.exists(), reason=f"not built: npm run build in {TYPESCRIPT.name}"),
]
BOTS = [
    pytest.param((sys.executable, str(SAMPLES / "random_bot.py")), id="python"),
    pytest.param(("node", str(BUILT)), id="typescript", marks=NEEDS_NODE),
]


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return Papers(tmp_path_factory.mktemp("papers"))


@pytest.mark.parametrize("command", BOTS)
def test_table_after_table(command: tuple[str, ...], tmp_path: Path, papers: Papers) -> None:
    token = registered()
    file = write_league(tmp_path / "league.toml", bots=["far"], deals=3, slice_deals=1)
    with (
        served(*papers.options, "--client-authority", papers.client_authority) as server,
        dialling(server.address, token, streams=4, papers=papers, command=command),
    ):
        done = arena("run", file)
    assert done.returncode == 0, done.stderr
    folder = file.with_suffix("")
    assert len(deals(folder)) == 3
    assert not faults(deals(folder))
    assert not incidents(folder)


BREAKS = [(0, "the network is back at once"), (2, "it stays down for longer than a pause")]


@pytest.mark.parametrize(("refused", "because"), BREAKS)
@pytest.mark.parametrize("command", BOTS)
async def test_it_comes_back(command: tuple[str, ...], refused: int, because: str) -> None:
    token = registered()
    with served() as server:
        async with network(server.port) as wire, at_table(LIMITS) as (seat, bot):
            with dialling(wire.address, token, streams=1, command=command):
                await seat.start()
                for _ in range(4):  # a bot that has answered has its ticket
                    asked = Asked(seat)
                    await asked.run()
                    assert asked.reply is not None
                    assert asked.reply.blame is None, because
                    wire.down = True
                    wire.cut()
                    with trio.fail_after(PATIENCE_S):
                        while wire.refused < refused:  # noqa: ASYNC110  # it is no event
                            await trio.sleep(0.05)
                    wire.down, wire.refused = False, 0
                assert (bot.reconnects, seat.strikes) == (3, 0), because


REFUSED = [
    ("arena_client.REVISION = 99", "bot", "a protocol of the future"),
    ("", "x" * 201, "a name that is too long"),
]


@pytest.mark.parametrize(("before", "name", "because"), REFUSED)
def test_a_hello_that_is_never_taken(before: str, name: str, because: str) -> None:
    play = f"arena_client.play(lambda seen: seen.legal[0], name={name!r}, version='1')"
    command = (sys.executable, "-c", f"import arena_client\n{before}\n{play}")
    with served() as server, dialling(server.address, registered(), command=command) as far:
        assert far.wait(PATIENCE_S) not in {0, None}, because


@pytest.mark.parametrize("command", BOTS)
def test_a_token_that_is_no_good(command: tuple[str, ...]) -> None:
    with served() as server, dialling(server.address, "wrong", command=command) as far:
        assert far.wait(PATIENCE_S) not in {0, None}


WRONG = [
    ({"ARENA_STREAMS": "abc"}, "ARENA_STREAMS must be a number of seats, not 'abc'"),
    (
        {"ARENA_TOKEN": ""},
        "ARENA_TOKEN is not set; it holds the token that `arena register` printed",
    ),
    ({"ARENA_STREAMS": "0"}, "ARENA_STREAMS must be a number of seats, not '0'"),
    ({"ARENA_TLS": "/nowhere"}, "ARENA_TLS: cannot read /nowhere: No such file or directory"),
    (
        {"ARENA_TLS": "system", "ARENA_CERTIFICATE": __file__},
        "ARENA_CERTIFICATE and ARENA_KEY belong together; only one of them is set",
    ),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_what_the_owner_must_put_right_is_one_line(wrong: dict[str, str], said: str) -> None:
    right = {"ARENA_ADDRESS": "127.0.0.1:1", "ARENA_STREAMS": "1", "ARENA_TOKEN": "a token"}
    command = [sys.executable, str(SAMPLES / "random_bot.py")]
    ran = subprocess.run(
        command, check=False, env={**os.environ, **right, **wrong}, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stderr) == (1, said + "\n")


def test_a_refusal_is_told_without_a_traceback() -> None:
    with served() as server:
        ran = subprocess.run(
            [sys.executable, str(SAMPLES / "random_bot.py")],
            check=False,
            env={**os.environ, "ARENA_ADDRESS": server.address, "ARENA_TOKEN": "wrong"}
            | {"ARENA_STREAMS": "2"},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1] == "this arena doesn't take the token"
    assert "Traceback" not in ran.stderr
    assert "never retrieved" not in ran.stderr

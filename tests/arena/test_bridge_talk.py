"""`arena bridge` and one program, against the arena's end of the stream."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.bridge import as_json
from arena.v1 import arena_pb2 as pb
from tests.arena.runs import ARENA, PATIENCE_S, ROOT, until
from tests.bots import relay

GONE_AFTER_S = 60
WAITING = "import sys; from arena import bridge, cli; bridge._GRACE_S = 30; sys.exit(cli.main())"
PATIENT = [sys.executable, "-c", WAITING]
"""The arena with a bridge that gives its command ample time to end by itself."""
HINT = 'such as {"hello":{}}\n'
"""The end of what the bridge says when a hello takes its time, as on a busy machine."""


class Talk:
    """A bridge with its command, and the arena's end of the stream."""

    def __init__(self, folder: Path, program: str, command: list[str]) -> None:
        self.arena = subprocess.Popen(
            [sys.executable, relay.__file__, f"unix:{folder / 's'}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert self._line() == "ready"
        self.bridge = subprocess.Popen(
            [*command, "bridge", "--", sys.executable, "-c", program],
            cwd=ROOT,
            env={
                "PATH": os.environ["PATH"],
                "ARENA_ADDRESS": f"unix:{folder / 's'}",
                "ARENA_TOKEN": "t0ken",
            },
            stderr=subprocess.PIPE,
            text=True,
        )

    def say(self, *responses: pb.PlayResponse) -> None:
        assert self.arena.stdin is not None
        for response in responses:
            self.arena.stdin.write(response.SerializeToString().hex() + "\n")
        self.arena.stdin.flush()

    def hear(self) -> pb.PlayRequest:
        return pb.PlayRequest.FromString(bytes.fromhex(self._line()))

    def end(self) -> tuple[int, str]:
        """Wait for the bridge; return its exit status and what it and its command told."""
        _, told = self.bridge.communicate(timeout=GONE_AFTER_S)
        lines = told.splitlines(keepends=True)
        return self.bridge.returncode, "".join(x for x in lines if not x.endswith(HINT))

    def line(self) -> str:
        """The next line of what the bridge and its command tell, hints left out."""
        assert self.bridge.stderr is not None
        while (line := self.bridge.stderr.readline()).endswith(HINT):
            pass
        return line

    def close(self) -> None:
        for process in (self.bridge, self.arena):
            process.kill()
            process.communicate()

    def _line(self) -> str:
        assert self.arena.stdout is not None
        return self.arena.stdout.readline().strip()


class Talks:
    """Makes talks and ends them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: list[Talk] = []

    def __call__(self, program: str, command: list[str] = ARENA) -> Talk:
        self._made.append(Talk(self._folder, program, command))
        return self._made[-1]

    def close(self) -> None:
        for talk in self._made:
            talk.close()


@pytest.fixture
def talk(short: Path) -> Iterator[Talks]:
    talks = Talks(short)
    yield talks
    talks.close()


HELLO = """import os, signal, sys, time; print('{"hello":{"name":"n"}}', flush=True); """
ECHO = HELLO + "sys.stderr.write(sys.stdin.read())"
DEAF = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    f"{HELLO}print(os.getpid(), file=sys.stderr, flush=True); time.sleep(1000)"
)
FINISHED = pb.PlayResponse(goodbye=pb.Goodbye(reason=pb.GOODBYE_REASON_FINISHED))


def test_says_hello_with_the_token_and_what_the_command_left_out(talk: Talks) -> None:
    hello = talk(ECHO).hear().hello
    assert (hello.token, hello.protocol, hello.max_batch) == ("t0ken", 1, 1)
    assert (hello.name, hello.version, hello.want_deal_ended) == ("n", "", False)


def test_the_goodbye_and_all_before_is_passed_on(talk: Talks) -> None:
    echo = talk(ECHO, PATIENT)
    said = [
        pb.PlayResponse(welcome=pb.Welcome(seat=2, rule_set_json='{"name":"ö"}')),
        pb.PlayResponse(deal_ended=pb.DealEnded(handle=1, payoff=-20, plays=b"\x01")),
        FINISHED,
    ]
    echo.say(said[0], pb.PlayResponse(), *said[1:])
    status, told = echo.end()
    assert status == 0
    assert [json.loads(line) for line in told.splitlines()] == [as_json(each) for each in said]


def test_the_author_is_told_of_faults_and_refusals(talk: Talks) -> None:
    echo = talk(ECHO, PATIENT)
    refused = pb.Goodbye(reason=pb.GOODBYE_REASON_REFUSED, detail="no such token")
    echo.say(pb.PlayResponse(fault=pb.Fault(detail="too slow")), pb.PlayResponse(goodbye=refused))
    status, told = echo.end()
    assert status == 0
    assert {"fault: too slow", "goodbye: no such token"} <= set(told.splitlines())


@pytest.mark.parametrize("how", ["goodbye", "SIGTERM", "SIGKILL", "arena killed"])
def test_a_stubborn_command_ends_too(how: str, talk: Talks) -> None:
    if how == "SIGKILL" and shutil.which("setpriv") is None:
        pytest.skip("needs setpriv")
    deaf = talk(DEAF)
    assert deaf.hear().hello.name == "n"
    command = psutil.Process(int(deaf.line()))
    if how == "goodbye":
        deaf.say(FINISHED)
    elif how == "arena killed":
        deaf.arena.kill()
    else:
        deaf.bridge.send_signal(signal.Signals[how])
    status, told = deaf.end()
    assert status == {"SIGKILL": -signal.SIGKILL, "arena killed": 1}.get(how, 0)
    assert told.startswith("arena: no stream to the arena") == (how == "arena killed")
    assert "Traceback" not in told
    until(lambda: not command.is_running() or command.status() == psutil.STATUS_ZOMBIE)


def test_a_pipe_that_somebody_else_holds_open_is_not_worth_a_word(talk: Talks) -> None:
    """The command's own child keeps its output, and would have the bridge's loop complain."""
    holder = "import subprocess; subprocess.Popen(['sleep', '5'], start_new_session=True); "
    deaf = talk(holder + DEAF)
    deaf.hear()
    deaf.say(FINISHED)
    status, told = deaf.end()
    assert status == 0
    assert told.strip().isdigit(), "only what the command itself said"


@pytest.mark.parametrize(
    ("program", "status", "how"),
    [
        (HELLO + "sys.exit(3)", 3, "exit status 3"),
        (HELLO, 0, "exit status 0"),
        (HELLO + "os.kill(os.getpid(), signal.SIGKILL)", 137, "killed by SIGKILL"),
        ("raise SystemExit(4)", 4, "exit status 4"),
        (HELLO + "os.close(1); sys.stdin.read(); sys.exit(5)", 5, "exit status 5"),
    ],
)
def test_a_command_that_ends_too_early(program: str, status: int, how: str, talk: Talks) -> None:
    assert talk(program, PATIENT).end() == (
        status,
        f"arena: the command's output ended before the arena said goodbye: {how}\n",
    )


@pytest.mark.parametrize(
    ("printed", "said"),
    [("'thinking'", "b'thinking\\n': "), ("'x' * (1 << 21)", "a line of over")],
)
def test_a_command_that_prints_something_else(printed: str, said: str, talk: Talks) -> None:
    status, told = talk(f"{HELLO}print({printed}, flush=True); time.sleep(1000)").end()
    assert status == 1
    assert told.startswith(f"arena: the command printed {said}")
    assert told.count("\n") == 1


def test_the_first_line_must_be_a_hello(talk: Talks) -> None:
    hasty = """print('{"answer":{"ask_id":1,"actions":[33]}}', flush=True); input()"""
    status, told = talk(hasty).end()
    assert status == 1
    assert "unknown field `answer`" in told


def test_a_command_that_waits_for_the_arena_is_told_to_begin(talk: Talks) -> None:
    shy = talk("input()")
    assert shy.bridge.stderr is not None
    assert shy.bridge.stderr.readline().endswith(HINT)
    shy.bridge.terminate()
    assert shy.end()[0] == 0


@pytest.mark.parametrize(
    ("words", "environment", "status", "said"),
    [
        (["--", "true"], {}, 2, "ARENA_ADDRESS is not set"),
        ([], {"ARENA_ADDRESS": "unix:/nonexistent/a"}, 2, "no command; give it after --"),
        (["--", "no-such"], {"ARENA_ADDRESS": "unix:/x"}, 2, "there is no program 'no-such'"),
        (
            ["--", sys.executable, "-c", HELLO + "input()"],
            {"ARENA_ADDRESS": "unix:/nonexistent/a"},
            1,
            "no stream to the arena at unix:/nonexistent/a",
        ),
    ],
)
def test_says_in_one_line_what_is_missing(
    words: list[str], environment: dict[str, str], status: int, said: str
) -> None:
    run = subprocess.run(
        [*ARENA, "bridge", *words],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert run.returncode == status
    assert said in run.stderr

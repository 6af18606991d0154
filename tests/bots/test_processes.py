"""Every sample bot, as the process it is, against the arena's end of the stream."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.v1 import arena_pb2
from arena.v1.arena_pb2 import Ask, Decision, Fault, Goodbye, PlayRequest, PlayResponse, Welcome
from tests.arena.runs import PATIENCE_S
from tests.bots import relay
from tests.bots.support import RULES, decisions_of_a_deal

SAMPLE_BOTS = Path(__file__).parents[2] / "sample_bots"
TYPESCRIPT = SAMPLE_BOTS / "typescript"
BUILT = TYPESCRIPT / "dist" / "random_bot.js"
NEEDS_NODE = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed"),
    pytest.mark.skipif(not BUILT.exists(), reason=f"not built: npm run build in {TYPESCRIPT.name}"),
]
BOTS = [
    pytest.param(("python", sys.executable, "random_bot.py"), id="random"),
    pytest.param(("python", sys.executable, "rule_bot.py"), id="rule"),
    pytest.param(("typescript", "node", "dist/random_bot.js"), id="typescript", marks=NEEDS_NODE),
]
GONE_AFTER_S = 30
WELCOME = PlayResponse(
    welcome=Welcome(
        max_batch=64, decision_ms=1000, protocol=1, rule_set_json=json.dumps(RULES["online-pro"])
    )
)
FINISHED = PlayResponse(goodbye=Goodbye(reason=arena_pb2.GOODBYE_REASON_FINISHED))


class Conversation:
    """One bot process and the process at the other end of its stream."""

    def __init__(self, bot: tuple[str, ...], socket: Path) -> None:
        address = f"unix:{socket}"
        self.arena = subprocess.Popen(
            [sys.executable, relay.__file__, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"
        folder, *command = bot
        self.bot = subprocess.Popen(
            command,
            cwd=SAMPLE_BOTS / folder,
            env={
                "PATH": os.environ["PATH"],
                "ARENA_ADDRESS": address,
                "ARENA_TOKEN": "t0ken",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def say(self, *responses: PlayResponse) -> None:
        assert self.arena.stdin is not None
        for response in responses:
            self.arena.stdin.write(response.SerializeToString().hex() + "\n")
        self.arena.stdin.flush()

    def hang_up(self) -> None:
        assert self.arena.stdin is not None
        self.arena.stdin.write("end\n")
        self.arena.stdin.flush()

    def hear(self) -> PlayRequest:
        return PlayRequest.FromString(bytes.fromhex(self._line()))

    def end(self) -> tuple[int, str]:
        """Wait for the bot; return its exit status and what it complained of."""
        _, complaints = self.bot.communicate(timeout=GONE_AFTER_S)
        return self.bot.returncode, complaints

    def close(self) -> None:
        for process in (self.bot, self.arena):
            process.kill()
            process.communicate()

    def _line(self) -> str:
        assert self.arena.stdout is not None
        return self.arena.stdout.readline().strip()


@pytest.fixture(params=BOTS)
def conversation(request: pytest.FixtureRequest, short: Path) -> Iterator[Conversation]:
    conversation = Conversation(request.param, short / "s")
    yield conversation
    conversation.close()


def ask(ask_id: int, decisions: list[Decision]) -> PlayResponse:
    return PlayResponse(ask=Ask(ask_id=ask_id, budget_ms=1000, decisions=decisions))


def questions(count: int) -> list[Decision]:
    """Return decisions from several deals, as a batch holds them."""
    deals = [decisions_of_a_deal("online-pro", seed) for seed in range(count)]
    return [deal[number % len(deal)] for number, deal in enumerate(deals)]


def in_the_middle(conversation: Conversation) -> None:
    """Bring the bot to where it waits for its second question."""
    conversation.hear()
    conversation.say(WELCOME, ask(1, questions(1)))
    assert conversation.hear().answer.ask_id == 1


def test_introduces_itself(conversation: Conversation) -> None:
    hello = conversation.hear().hello
    assert hello.token == "t0ken"
    assert hello.protocol == 1
    assert hello.max_batch == 64
    assert hello.name
    assert hello.version


def test_answers_batches_of_any_size_legally(conversation: Conversation) -> None:
    conversation.hear()
    conversation.say(WELCOME)
    for ask_id, size in enumerate((1, 2, 17, 64, 1), start=1):
        asked = questions(size)
        conversation.say(ask(ask_id, asked))
        answer = conversation.hear().answer
        assert answer.ask_id == ask_id
        assert len(answer.actions) == size
        for action, decision in zip(answer.actions, asked, strict=True):
            assert action in decision.legal


def test_ignores_what_it_does_not_know(conversation: Conversation) -> None:
    conversation.hear()
    conversation.say(WELCOME, PlayResponse(), ask(1, questions(3)))
    assert len(conversation.hear().answer.actions) == 3


def test_ends_well_when_all_is_played(conversation: Conversation) -> None:
    in_the_middle(conversation)
    conversation.say(FINISHED)
    conversation.hang_up()
    assert conversation.end() == (0, "")


def test_ends_well_on_a_request_to_stop(conversation: Conversation) -> None:
    in_the_middle(conversation)
    conversation.bot.send_signal(signal.SIGTERM)
    assert conversation.end() == (0, "")


def test_ends_by_itself_when_the_arena_dies(conversation: Conversation) -> None:
    in_the_middle(conversation)
    conversation.arena.kill()
    status, complaints = conversation.end()
    assert status == 0
    assert "Traceback" not in complaints
    assert len(complaints.splitlines()) <= 1


def test_tells_its_log_what_the_arena_held_against_it(conversation: Conversation) -> None:
    conversation.hear()
    refused = Goodbye(reason=arena_pb2.GOODBYE_REASON_REFUSED, detail="no such token")
    conversation.say(
        PlayResponse(fault=Fault(detail="took too long")), PlayResponse(goodbye=refused)
    )
    conversation.hang_up()
    status, complaints = conversation.end()
    assert status == 0
    assert "took too long" in complaints
    assert "no such token" in complaints


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "ARENA_ADDRESS is not set"),
        ({"ARENA_ADDRESS": "unix:/nonexistent/arena"}, "no arena at unix:/nonexistent/arena"),
    ],
)
def test_says_in_one_line_that_there_is_no_arena(
    environment: dict[str, str], expected: str
) -> None:
    bot = subprocess.run(
        [sys.executable, "random_bot.py"],
        cwd=SAMPLE_BOTS / "python",
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert bot.returncode == 1
    assert bot.stderr.startswith(expected)
    assert bot.stderr.count("\n") == 1

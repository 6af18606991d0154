"""A shard's process on its own: what goes in, what comes out, and how it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import psutil
import pytest
import trio

from arena import dealing, frames, rulebook
from arena.frames import (
    Alive,
    BotFailed,
    Message,
    Noticed,
    Playing,
    SessionDone,
    ShardDone,
    ShardSpec,
)
from arena.home import home
from arena.records import BotEntry, DealLine, Limits, Recording
from arena.sandbox import Sandbox
from arena.schedule import Shard
from engine.rules import replay
from engine.ruleset import rule_set
from tests.arena.journals import RULES
from tests.arena.runs import PATIENCE_S, ROOT, left_over, scripted, until
from tests.arena.serving import registered, served

SECRET = bytes(range(1, 33))
_deal = msgspec.json.Decoder(DealLine)


def specification(folder: Path, *words: object, deals: int = 6, **changes: object) -> ShardSpec:
    bot = BotEntry("bot", "1", tuple(scripted(*words)), str(ROOT), "")
    scratch = folder / "scratch-of-shard"
    scratch.mkdir()
    (folder / "scratch").write_text(str(scratch))  # where `left_over` looks
    spec = ShardSpec(
        shard=Shard(0, 0, 0, 0, deals, 1, (0, 0, 0, 0)),
        deals=tuple(range(deals)),
        bots=(bot, bot, bot, bot),
        rules=rulebook.effective("online"),
        limits=Limits(startup_ms=60_000, decision_ms=10_000),
        sandbox=Sandbox("limits"),
        secret=SECRET,
        scratch=str(scratch),
        outputs=tuple(str(folder / f"seat{seat}.log") for seat in range(4)),  # type: ignore[arg-type]
        recording=Recording(),
        suspended=(False, False, False, False),
        open_deals=None,
        cpu=None,
    )
    return msgspec.structs.replace(spec, **changes)


@contextmanager
def started(spec: ShardSpec) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.shard", str(os.getpid())],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(frames.frame(spec))
    process.stdin.flush()
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def heard(process: "subprocess.Popen[bytes]") -> list[Message]:
    """Everything but signs of life that the shard says until its pipe ends."""
    assert process.stdout is not None
    output = os.dup(process.stdout.fileno())

    async def hear() -> list[Message]:
        async with trio.lowlevel.FdStream(output) as stream:
            with trio.fail_after(PATIENCE_S):
                said = [message async for message in frames.Messages(stream)]
        assert any(isinstance(message, Alive) for message in said)
        return [message for message in said if not isinstance(message, Alive)]

    return trio.run(hear)


def lines(messages: list[Message]) -> list[DealLine]:
    done = [each for each in messages if isinstance(each, SessionDone)]
    return [_deal.decode(body) for each in done for body in each.bodies]


def test_a_shard_plays_its_deals(tmp_path: Path) -> None:
    spec = specification(tmp_path, deals=12)
    with started(spec) as process:
        messages = heard(process)
        assert process.wait(PATIENCE_S) == 0
    done = messages[-1]
    assert isinstance(done, ShardDone)
    played = lines(messages)
    assert isinstance(messages[0], Playing), "so that the next shard may start"
    assert len(messages) == len(played) + 2
    assert sorted(line.key.deal for line in played) == list(range(12))
    rules = rule_set(spec.rules)
    for line in played:
        hands = dealing.hands(SECRET, line.key.deal, rules.deck)
        again = replay(rules, hands, line.forehand, _actions(line))
        assert again.finished
        assert sum(line.payoff) == 0
        assert min(line.think_us) >= 0
    assert done.decisions == sum(sum(line.asked) for line in played)
    assert done.arena_cpu_s > 0
    assert done.bots_cpu_s > 0
    assert not Path(spec.scratch).exists()
    assert not left_over(tmp_path)


@pytest.mark.parametrize("rules", ["with Stock", "with strokes"])
def test_sessions_are_told_whole(rules: str, tmp_path: Path) -> None:
    shard = Shard(0, 0, 0, 0, 12, 4, (0, 0, 0, 0))
    spec = specification(tmp_path, "--max-batch", 3, rules=RULES[rules], shard=shard)
    spec = msgspec.structs.replace(spec, deals=tuple(range(4, 12)))
    with started(spec) as process:
        messages = heard(process)
        assert process.wait(PATIENCE_S) == 0
    done = [each for each in messages if isinstance(each, SessionDone)]
    numbers = sorted([key.deal for key in each.keys] for each in done)
    assert numbers == [[4, 5, 6, 7], [8, 9, 10, 11]]
    assert [line.key for line in lines(messages)] == [key for each in done for key in each.keys]
    assert all(line.carried is not None for line in lines(messages))
    assert not left_over(tmp_path)


def _actions(line: DealLine) -> list[int]:
    from engine.actions import parse_action

    return [parse_action(name) for name in line.actions.split()]


def test_only_the_deals_that_are_missing(tmp_path: Path) -> None:
    spec = msgspec.structs.replace(specification(tmp_path, deals=10), deals=(3, 7))
    with started(spec) as process:
        assert sorted(line.key.deal for line in lines(heard(process))) == [3, 7]


def test_the_secret_is_in_no_argument_and_no_environment(tmp_path: Path) -> None:
    with started(specification(tmp_path, "--vice", "mute")) as process:
        until(lambda: len(psutil.Process(process.pid).children(recursive=True)) == 4)
        seen = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        for each in seen:
            said = " ".join([*each.cmdline(), *each.environ().values()])
            assert SECRET.hex() not in said
            assert "league" not in each.environ().get("ARENA_SCRATCH", "")


@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "end of input"])
@pytest.mark.parametrize("vice", ["mute", "deaf"])
def test_a_shard_that_is_stopped_leaves_nothing(how: str, vice: str, tmp_path: Path) -> None:
    spec = specification(tmp_path, "--vice", vice, deals=5000)
    with started(spec) as process:
        until(lambda: len(left_over(tmp_path)) == 5)
        assert process.stdin is not None
        if how == "end of input":
            process.stdin.close()
            process.stdin = None
        else:
            process.send_signal(signal.Signals[how])
        messages = heard(process)
        process.wait(PATIENCE_S)
    assert not any(isinstance(message, ShardDone) for message in messages)
    assert not left_over(tmp_path)
    assert not Path(spec.scratch).exists()


def test_a_killed_shard_takes_its_bots_along(tmp_path: Path) -> None:
    with started(specification(tmp_path, "--vice", "mute")) as process:
        until(lambda: len(left_over(tmp_path)) == 5)
        process.kill()
        process.wait()
        until(lambda: not left_over(tmp_path))


def test_a_bot_that_fails_is_told_before_the_first_deal(tmp_path: Path) -> None:
    with started(specification(tmp_path, "--vice-of-seat", "2=fails")) as process:
        noticed, again, _, first, *rest = heard(process)
    assert [each.what for each in (noticed, again)] == ["start failed"] * 2  # type: ignore[union-attr]
    assert isinstance(first, BotFailed)
    assert first.bot == "bot"
    assert "fatal: giving up" in first.detail
    assert not any(isinstance(message, BotFailed) for message in rest)


def test_who_has_to_dial_in_is_waited_for_after_the_others_are_up(tmp_path: Path) -> None:
    """Waiting takes no CPU, so other shards may start their bots meanwhile."""
    registered()
    spec = specification(tmp_path, deals=1, lobby=str(home()))
    far = msgspec.structs.replace(spec.bots[0], name="far", remote=True)
    spec = msgspec.structs.replace(spec, bots=(far, *spec.bots[1:]))
    spec = msgspec.structs.replace(spec, limits=Limits(startup_ms=8000, decision_ms=10_000))
    with served(), started(spec) as process:
        playing, absent, stood_down, failed, *rest = heard(process)
    assert isinstance(playing, Playing)
    assert isinstance(absent, Noticed)
    assert isinstance(stood_down, Noticed)
    assert (absent.what, stood_down.what) == ("start failed", "stood down")
    assert isinstance(failed, BotFailed)
    assert "hasn't dialled in within 8000 ms" in failed.detail
    assert len(lines(rest)) == 1


def test_a_shard_is_pinned_and_its_bots_are_not(tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    with started(specification(tmp_path, "--vice", "mute", cpu=core)) as process:
        shard = psutil.Process(process.pid)
        until(lambda: len(shard.children()) == 4 and shard.cpu_affinity() == [core])
        all_cores = sorted(os.sched_getaffinity(0))
        # Each gives itself all of them, a moment after it has begun.
        until(lambda: all(bot.cpu_affinity() == all_cores for bot in shard.children()))


@pytest.mark.parametrize("arguments", [[], ["1", "2"], [str(os.getpid())]])
def test_a_shard_is_not_started_by_hand(arguments: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "arena.shard", *arguments],
        check=False,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 1
    assert run.stderr == "arena.shard is started by the arena, not by hand\n"

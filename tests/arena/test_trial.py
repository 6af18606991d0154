"""The trial before a bot is registered."""

import sys
from pathlib import Path

import msgspec
import psutil
import pytest

from arena import rulebook
from arena.errors import OperatorError
from arena.records import BotEntry, Limits
from arena.sandbox import Sandbox, probe
from arena.trial import Trial, run_trial
from tests.arena.runs import ROOT, scripted

SANDBOX = Sandbox(probe().level)
LIMITS = Limits(startup_ms=60_000, decision_ms=6000, strikes=5)
SAMPLES = ROOT / "sample_bots" / "python"


def trial(
    command: list[str], limits: Limits = LIMITS, rules: str = "online", folder: Path = SAMPLES
) -> Trial:
    bot = BotEntry("Ödön, the bot", "1", tuple(command), str(folder), "")
    return run_trial(bot, rulebook.load(rules), limits, SANDBOX)


@pytest.mark.parametrize("rules", ["online", "online-pro"])
def test_a_good_bot(rules: str, tmp_path: Path) -> None:
    result = trial(scripted("--max-batch", 5), rules=rules, folder=tmp_path)
    assert (result.announced_name, result.announced_version) == ("scripted", "1")
    assert result.max_batch == 5
    assert result.decisions >= 8
    assert not result.faults


def test_a_bot_with_faults_is_told_of_them() -> None:
    result = trial(scripted("--vice", "illegal", "--at", 2))
    assert {fault.fault for fault in result.faults} == {"illegal"}
    assert {fault.seat for fault in result.faults} == {0}


def test_where_all_pass_no_card_is_played() -> None:
    """The house passes, too; a bot that knows nothing but passing must not seem to be tried."""
    result = trial(scripted("--vice", "passes"))
    assert (result.played, result.faults) == (0, ())
    assert trial(scripted()).played > 0
    patient = msgspec.structs.replace(LIMITS, strikes=1000)
    with pytest.raises(OperatorError, match=r"only \d+ of \d+ answers could be used"):
        trial(scripted("--vice", "passes"), patient, rules="tutorial")


@pytest.mark.parametrize(
    ("vice", "limits", "said"),
    [
        ("fails", LIMITS, "no model file\nfatal: giving up"),
        ("never_connects", Limits(startup_ms=500), "no hello within 500 ms"),
        ("wrong_token", LIMITS, "unknown token"),
        (
            "unknown",
            LIMITS,
            "no answer could be used; the first fault was illegal: action 200 is not",
        ),
        ("unknown", msgspec.structs.replace(LIMITS, strikes=0), "stood down: too many strikes"),
        ("crashes", LIMITS, "no answer could be used; the first fault was gone: the stream ended"),
    ],
)
def test_a_bad_bot_is_the_operators_business(vice: str, limits: Limits, said: str) -> None:
    with pytest.raises(OperatorError, match=r"^the bot 'Ödön, the bot' fails its trial") as raised:
        trial(scripted("--vice", vice), limits)
    assert said in str(raised.value)


@pytest.mark.parametrize("vice", ["none", "deaf", "children", "fails"])
def test_nothing_is_left(vice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    try:
        trial(scripted("--vice", vice))
    except OperatorError:
        assert vice == "fails"
    assert not psutil.Process().children(recursive=True)
    assert not list(tmp_path.glob("arena-*"))


def test_a_program_that_is_missing() -> None:
    with pytest.raises(OperatorError, match="no-such-program"):
        trial(["no-such-program"])


@pytest.mark.parametrize(
    ("script", "hinted"),
    [
        ("cat /etc/hostname", True),
        ("cat /no/such/file", False),
        ("cat no/such/file", False),
        ("cat /etc/passwd/none; echo /usr/bin /dev/null /proc/1", False),
        ("echo I have my own trouble; exit 3", False),
    ],
)
def test_a_sandbox_is_named_only_where_it_is_to_blame(script: str, *, hinted: bool) -> None:
    with pytest.raises(OperatorError) as raised:
        trial(["sh", "-c", script])
    assert ("'readable'" in str(raised.value)) == (hinted and SANDBOX.level != "limits")


def test_the_last_words_of_a_bot_that_dies_in_play_are_waited_for() -> None:
    raises = """
import time
from arena_client import play

def choose(observation):
    time.sleep(0.2)
    raise ValueError("my own mistake")

play(choose, name="raises", version="1", max_batch=1)
"""
    with pytest.raises(OperatorError, match="ValueError: my own mistake"):
        trial([sys.executable, "-c", raises])


def test_another_program_than_a_bot() -> None:
    with pytest.raises(OperatorError, match="exit status 0; its last lines:\n3"):
        trial([sys.executable, "-c", "print(3)"])

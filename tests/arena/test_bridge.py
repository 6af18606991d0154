"""`arena bridge` in leagues, and what its lines are."""

import sys
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict

from arena import bridge
from arena.v1 import arena_pb2 as pb
from arena.verify import Status, verify
from tests.arena.runs import ROOT, arena, bot, deals, faults, footer, left_over, write_league

PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from arena.cli import main; "
BRIDGE = [sys.executable, "-c", PROGRAM + "sys.exit(main())", "bridge"]
"""Found from the bot's folder too, and there in the bare environment that bots have."""

JSON_BOT = """
import json, os, signal, subprocess, sys, time

vices = dict(word.split("=") for word in sys.argv[2:])
print(json.dumps({"hello": json.loads(sys.argv[1])}), flush=True)
for line in sys.stdin:
    said = json.loads(line)
    if "welcome" in said:
        vice = vices.get(str(said["welcome"]["seat"]))
    if "ask" not in said:
        continue
    ask = said["ask"]
    actions = [each["legal"][each["seed"] % len(each["legal"])] for each in ask["decisions"]]
    if ask["ask_id"] == 3:
        if vice == "garbage":
            print("card 7, I think", flush=True)
        if vice == "dies":
            sys.exit("no idea what to play")
        if vice == "half":
            actions = []
        if vice == "closes":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL)
            os.close(1)
            time.sleep(1000)
    print(json.dumps({"answer": {"ask_id": ask["ask_id"], "actions": actions}}), flush=True)
"""


def bridged(folder: Path, hello: str, *words: str, options: tuple[str, ...] = ()) -> list[str]:
    """Write the JSON bot; return the command that lets it play."""
    program = folder / "bot.py"
    program.write_text(JSON_BOT, encoding="utf-8")
    return [*BRIDGE, *options, "--", "python3", str(program), hello, *words]


@pytest.mark.parametrize(
    ("hello", "options"), [("{}", ("--max-batch", "5")), ('{"want_deal_ended":true}', ())]
)
def test_a_league_without_a_fault(hello: str, options: tuple[str, ...], tmp_path: Path) -> None:
    command = bridged(tmp_path, hello, options=options)
    file = write_league(tmp_path / "league.toml", bots=[bot("json", command=command)])
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    folder = tmp_path / "league"
    assert not left_over(folder)
    assert len(deals(folder)) == 6
    assert not faults(deals(folder))
    assert verify(folder, lambda done, total: None).status is Status.COMPLETE


@pytest.mark.parametrize(
    ("vice", "kinds", "stood_down", "told"),
    [
        ("garbage", {"gone"}, True, "printed b'card 7, I think"),
        ("dies", {"gone"}, True, "no idea what to play"),
        ("closes", {"gone"}, True, "goodbye: killed by SIGKILL"),
        ("half", {"garbled"}, False, "fault: 0 actions for 1 decisions"),
    ],
)
def test_the_culprit_alone_is_blamed(
    vice: str, kinds: set[str], stood_down: bool, told: str, tmp_path: Path
) -> None:
    command = bridged(tmp_path, "{}", f"2={vice}")
    file = write_league(tmp_path / "league.toml", bots=[bot("json", command=command)])
    run = arena("run", file)
    assert (run.returncode, run.stderr) == (0, "")
    folder = tmp_path / "league"
    assert not left_over(folder)
    assert {seat for seat, _ in faults(deals(folder))} == {2}
    assert {kind for _, kind in faults(deals(folder))} == kinds
    assert any(line.stood_down for line in deals(folder)) == stood_down
    assert footer(folder).missing == ()
    outputs = {path.name: path.read_text() for path in (folder / "logs" / "bots").iterdir()}
    assert [name[-9:] for name, text in outputs.items() if told in text] == ["seat2.log"]


def test_register_takes_the_bridge_and_its_own_arguments(tmp_path: Path) -> None:
    command = bridged(tmp_path, '{"max_batch":3}', options=("--name", "Ödön", "--max-batch", "9"))
    registered = arena("register", "json", "--", *command)
    assert registered.returncode == 0, registered.stderr
    assert "came up as 'Ödön', batches of up to 3," in registered.stdout
    told = [line.split(":")[0].strip() for line in registered.stderr.splitlines()]
    assert set(told) <= {"late"}, "as it may be in a trial on a busy machine"


EVERY_KIND = [
    pb.PlayResponse(welcome=pb.Welcome(seat=3, rule_set_json="{}", decision_ms=5, max_batch=2)),
    pb.PlayResponse(
        ask=pb.Ask(
            ask_id=1,
            budget_ms=9,
            decisions=[
                pb.Decision(handle=1 << 31, hand=255, legal=b"\x21\x22", plays=b"\x00\xff"),
                pb.Decision(),
            ],
        )
    ),
    pb.PlayResponse(fault=pb.Fault(ask_id=1, kind=pb.FAULT_KIND_LATE, detail="ö", strikes=1)),
    pb.PlayResponse(deal_ended=pb.DealEnded(handle=1, payoff=-5, plays=b"\x07")),
    pb.PlayResponse(goodbye=pb.Goodbye(reason=pb.GOODBYE_REASON_FINISHED)),
]


@pytest.mark.parametrize("message", EVERY_KIND, ids=lambda each: each.WhichOneof("kind"))
def test_messages_read_as_in_protobuf_json_but_for_bytes(message: pb.PlayResponse) -> None:
    usual = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    said = bridge.as_json(message)
    for each, ours in zip(
        usual.get("ask", {}).get("decisions", []),
        said.get("ask", {}).get("decisions", []),
        strict=True,
    ):
        for name in [name for name, value in each.items() if isinstance(value, str)]:
            del each[name]
            assert isinstance(ours.pop(name), list)
    if "deal_ended" in usual:
        assert usual["deal_ended"].pop("plays") == "Bw=="
        assert said["deal_ended"].pop("plays") == [7]
    assert said == usual


def test_bytes_are_arrays_and_unknown_names_numbers() -> None:
    first, empty = bridge.as_json(EVERY_KIND[1])["ask"]["decisions"]
    assert (first["legal"], first["plays"], first["handle"]) == ([33, 34], [0, 255], 1 << 31)
    assert (empty["legal"], empty["forehand"]) == ([], 0)
    newer = pb.PlayResponse(goodbye=pb.Goodbye(reason=99))
    assert bridge.as_json(newer)["goodbye"]["reason"] == 99


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"thinking", "invalid"),
        (b"\n", "truncated"),
        (b"\xff", "invalid"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"hello":{}}', "unknown field `hello`"),
        (b"{}", "missing required field `answer`"),
        (b'{"answer":{"ask_id":1}}', "missing required field `actions`"),
        (b'{"answer":{"ask_id":1,"actions":33}}', "Expected `array`, got `int`"),
        (b'{"answer":{"ask_id":1,"actions":[256]}}', "`int` <= 255"),
        (b'{"answer":{"ask_id":-1,"actions":[33]}}', "`int` >= 0"),
        (b'{"answer":{"ask_id":4294967296,"actions":[33]}}', "`int` <= 4294967295"),
        (b'{"answer":{"ask_id":1,"actions":[33],"why":"\xff"}}', "unknown field `why`"),
    ],
)
def test_what_is_no_answer(line: bytes, said: str) -> None:
    with pytest.raises(bridge.BotError, match=r"^the command printed b") as raised:
        bridge._read(line, bridge._AnswerLine)
    assert said in str(raised.value)


def test_the_help_shows_the_lines_and_an_example() -> None:
    said = arena("bridge", "--help").stdout
    assert "-- arena bridge -- " in said.partition("For example:")[2]
    assert '{"answer":{"ask_id":1,"actions":[33]}}' in said

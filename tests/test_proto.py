"""What the protocol says and what the program says are the same."""

import re
import tomllib
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import hatch_build
from arena.records import FaultLine
from arena.v1 import arena_pb2
from engine import actions
from engine.cards import card_name

ROOT = Path(__file__).parent.parent
COUNTS = {"5": "FIVE", "6": "SIX", "7": "SEVEN", "8": "EIGHT"}
CARDS = {card_name(card) for card in range(32)}


def in_proto(name: str) -> str:
    """Translate the name of an action: `EO`, `no_stoss`, `solo-herz`, `reported-5`."""
    if name in CARDS:
        return f"ACTION_PLAY_{name}"
    return "_".join(["ACTION", *(COUNTS.get(word, word.upper()) for word in name.split("-"))])


def test_every_action_has_its_number_and_name_on_the_wire() -> None:
    ours = {in_proto(name): number for number, name in actions.NAMES.items()}
    assert ours | {"ACTION_UNSPECIFIED": 0} == dict(arena_pb2.Action.items())


def test_the_protocol_says_which_actions_are_never_legal() -> None:
    source = (ROOT / "proto/arena/v1/arena.proto").read_text()
    said = re.findall(r"// Never legal[^\n]*\n(?: *//[^\n]*\n)* *(ACTION_\w+) =", source)
    ours = {in_proto(actions.NAMES[number]) for number in actions.NEVER_LEGAL}
    assert set(said) == {"ACTION_UNSPECIFIED", *ours}


@pytest.mark.parametrize("constant", ["PASS", "BID", "CEDE", "NO_STOSS", "STOSS"])
def test_calls(constant: str) -> None:
    assert getattr(actions, constant) == arena_pb2.Action.Value(f"ACTION_{constant}")


def test_an_action_fits_into_one_byte() -> None:
    assert max(arena_pb2.Action.values()) <= 255


def test_journals_know_the_faults_of_the_wire() -> None:
    logged = get_args(get_type_hints(FaultLine)["fault"])
    on_the_wire = set(arena_pb2.FaultKind.keys()) - {"FAULT_KIND_UNSPECIFIED"}
    assert {f"FAULT_KIND_{fault.upper()}" for fault in logged} == on_the_wire


def test_the_generated_code_is_up_to_date(tmp_path: Path) -> None:
    hatch_build.generate(ROOT / "proto", tmp_path)
    fresh = {path.name: path.read_text() for path in (tmp_path / "arena/v1").iterdir()}
    used = {path.name: path.read_text() for path in (ROOT / "arena/v1").glob("*.py*")}
    assert used == fresh, "run `make proto`"


@pytest.mark.parametrize(
    ("library", "file", "asks"),
    [
        ("protobuf", "arena_pb2.py", r"Domain\.PUBLIC,\s*(\d+),\s*(\d+),\s*(\d+),\s*''"),
        ("grpcio", "arena_pb2_grpc.py", r"GRPC_GENERATED_VERSION = '(\d+)\.(\d+)\.(\d+)'"),
    ],
)
def test_no_library_may_be_installed_that_the_generated_code_refuses(
    library: str, file: str, asks: str
) -> None:
    found = re.search(asks, (ROOT / "arena/v1" / file).read_text())
    assert found is not None
    needed = Version(".".join(found.groups()))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (bound,) = [r for r in map(Requirement, project["dependencies"]) if r.name == library]
    assert str(needed) in bound.specifier, "the very version that it was generated for is fine"
    lower = [Version(each.version) for each in bound.specifier if each.operator == ">="]
    assert lower, "there must be a least version"
    assert max(lower) >= needed
    assert f"{needed.major + 1}.0.0" not in bound.specifier, "another major is refused"

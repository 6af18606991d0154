"""README repeats some values that code holds; they are the same."""

import tomllib
from itertools import takewhile
from pathlib import Path

import msgspec

from arena import rulebook
from arena.records import Limits

README = Path(__file__).parent.parent.joinpath("README.md").read_text(encoding="utf-8")


def test_the_usual_limits_are_those_that_are_shown() -> None:
    start = next(line for line in README.splitlines() if line.startswith("    [limits]"))
    after = README.splitlines()[README.splitlines().index(start) :]
    shown = tomllib.loads("\n".join(takewhile(lambda line: "[journal]" not in line, after)))
    for key, usual in msgspec.structs.asdict(Limits()).items():
        if f"    # {key} = " in README:
            assert key not in shown["limits"], "an option that is off, or it is on"
            assert not usual
        else:
            assert shown["limits"].pop(key) == usual
    assert not shown["limits"].keys() - msgspec.structs.asdict(Limits()).keys()


def test_every_rule_set_has_its_row() -> None:
    rows = [line for line in README.splitlines() if line.startswith("| `")]
    named = {word for line in rows for word in line.split("|")[1].split("`")[1::2]}
    assert set(rulebook.names()) <= named

"""What is given away: the house, without what happens to lie in a checkout."""

import os
import shutil
from pathlib import Path

from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parent.parent
OURS = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "Makefile",
    "README.md",
    "arena/cli.py",
    "buf.yaml",
    "constraints.txt",
    "engine/cards.py",
    "engine/rule_sets/online.toml",
    "hatch_build.py",
    "proto/arena/v1/arena.proto",
    "sample_bots/demo.toml",
    "sample_bots/typescript/bot.toml",
    "tests/engine/tables.py",
]
FOREIGN = [
    ".venv/lib/engine/cards.py",
    "arena/v1/arena_pb2.py",
    "demo/logs/arena/arena.log",
    "demo/secret",
    "friends/tests/test_bot.py",
    "my-bots/engine/cards.py",
    "my-bots/README.md",
    "sample_bots/typescript/dist/random_bot.js",
    "sample_bots/typescript/node_modules/proto/index.js",
]


def checkout(folder: Path) -> Path:
    for name in (*OURS, *FOREIGN):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    for name in ("pyproject.toml", ".gitignore", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def names(builder: SdistBuilder | WheelBuilder) -> list[str]:
    files = builder.recurse_included_files()
    return sorted(str(file.distribution_path).replace(os.sep, "/") for file in files)


def test_the_source_holds_the_house_and_nothing_foreign(tmp_path: Path) -> None:
    made = names(SdistBuilder(str(checkout(tmp_path))))
    assert set(made) - {".gitignore", "pyproject.toml"} == set(OURS)


def test_the_wheel_holds_the_two_packages_alone(tmp_path: Path) -> None:
    made = names(WheelBuilder(str(checkout(tmp_path))))
    assert made == [
        "arena/cli.py",
        "arena/v1/arena_pb2.py",
        "engine/cards.py",
        "engine/rule_sets/online.toml",
    ]

"""A short run of the program that launches bots beside busy streams."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LAUNCHES = 30


@pytest.mark.timeout(300)  # a busy machine is slow; the program itself notices a hang
def test_launching_beside_busy_streams_neither_hangs_nor_leaves_anything() -> None:
    program = subprocess.run(
        [sys.executable, "-m", "tests.launches", "--launches", str(LAUNCHES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert program.returncode == 0, program.stderr
    seen = json.loads(program.stdout)
    assert seen["launches"] == LAUNCHES
    assert seen["answers"] > LAUNCHES, "the streams weren't busy"
    assert seen["processes_left"] == 0
    assert seen["descriptors_more"] <= 0

"""CPU time of real processes, read from outside."""

import os
import subprocess
import sys
import time

import pytest

from arena.cpu_time import tree_cpu_ns

MILLISECOND = 1_000_000
BURN = """
import os, sys, time
def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
"""
READY = "\nprint('ready', flush=True); sys.stdin.read()"


@pytest.mark.parametrize(
    ("program", "least_ms", "because"),
    [
        ("burn(0.2)", 200, "its own"),
        (
            """
import threading
thread = threading.Thread(target=burn, args=(0.2,))
thread.start()
thread.join()""",
            200,
            "a thread's",
        ),
        ("if os.fork() == 0: burn(0.2); os._exit(0)\nos.wait()", 180, "a child's that has ended"),
        (
            """
read, write = os.pipe()
if os.fork() == 0: burn(0.2); os.write(write, b'x'); time.sleep(100)
os.read(read, 1)""",
            200,
            "a child's that goes on",
        ),
    ],
)
def test_what_a_bot_used(program: str, least_ms: int, because: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BURN + program + READY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            used = tree_cpu_ns(process.pid)
            assert used >= least_ms * MILLISECOND, because
            assert tree_cpu_ns(process.pid) >= used
        finally:
            os.killpg(process.pid, 9)


def test_sleeping_costs_nothing() -> None:
    """Or rather what starting Python does, which is before the first look."""
    program = "import sys, time\nprint('ready', flush=True)\nsys.stdin.readline()\ntime.sleep(0.3)"
    with subprocess.Popen(
        [sys.executable, "-c", program + "\nprint('rested', flush=True)\nsys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        before = tree_cpu_ns(process.pid)
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        assert tree_cpu_ns(process.pid) - before < 250 * MILLISECOND
        process.kill()


def test_a_process_that_is_gone_used_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
        time.sleep(0)
    assert tree_cpu_ns(process.pid) == 0

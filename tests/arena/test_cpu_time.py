"""CPU time of real processes, read from outside."""

import os
import subprocess
import sys

import pytest

from arena.cpu_time import CpuMeter

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
            meter = CpuMeter(process.pid)
            used = meter.used_ns()
            assert used >= least_ms * MILLISECOND, because
            assert meter.used_ns() >= used
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
        meter = CpuMeter(process.pid)
        before = meter.used_ns()
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        assert meter.used_ns() - before < 250 * MILLISECOND
        process.kill()


def test_a_process_that_is_gone_used_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert CpuMeter(process.pid).used_ns() == 0


LOSES_A_CHILD = """
import signal
{how}
read, write = os.pipe()
child = os.fork()
if child == 0: burn(0.4); os.write(write, b'x'); time.sleep(100)
os.read(read, 1)
print('ready', flush=True)
sys.stdin.readline()
os.kill(child, 9)
burn(0.2)
print('done', flush=True)
sys.stdin.read()"""


@pytest.mark.parametrize(
    ("how", "because"),
    [
        ("signal.signal(signal.SIGCHLD, signal.SIG_IGN)", "what a lost child used isn't credited"),
        ("signal.signal(signal.SIGCHLD, lambda *_: os.wait())", "nor counted twice"),
    ],
)
def test_a_child_that_ends_neither_helps_nor_harms(how: str, because: str) -> None:
    program = BURN + LOSES_A_CHILD.format(how=how)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        meter = CpuMeter(process.pid)
        before = meter.used_ns()
        assert before >= 400 * MILLISECOND
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        used = meter.used_ns() - before
        process.kill()
    assert 190 * MILLISECOND <= used < 390 * MILLISECOND, because

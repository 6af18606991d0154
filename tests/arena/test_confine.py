"""The small program that confines itself and becomes a bot, at every version of landlock."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from arena import confine
from arena.surroundings import CONFINE, interpreter
from tests.arena.runs import PATIENCE_S

OWN = [str(interpreter()), "-I", "-S", str(CONFINE)]
NEWEST = 7
TRIES = """
    import os, signal, socket, sys
    sys.path.insert(0, sys.argv[1])
    import confine
    version, outside, pid, port, abstract = sys.argv[2:]
    "loads what names of hosts need".encode("idna")
    confine._give_up_privileges()
    confine.lock(int(version), [(confine.READ_DIR | confine.READ_FILE, "/usr")])
    def tries(name, attempt):
        try:
            attempt()
        except OSError:
            print(name)
    tries("read", lambda: open(outside).read())
    tries("create", lambda: open(outside + ".new", "w"))
    tries("truncate", lambda: os.truncate(outside, 0))
    tries("connect", lambda: socket.create_connection(("127.0.0.1", int(port))))
    tries("signal", lambda: os.kill(int(pid), 0))
    tries("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0" + abstract))
"""
SINCE = {"read": 1, "create": 1, "truncate": 3, "connect": 4, "signal": 6, "abstract": 6}


@pytest.mark.parametrize("version", range(1, NEWEST + 1))
def test_what_each_version_of_landlock_refuses(version: int, tmp_path: Path) -> None:
    if version > confine.landlock_version():
        pytest.skip("this kernel's landlock is older")
    import socket

    outside = tmp_path / "file"
    outside.write_text("secret")
    abstract = f"arena-confine-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind("\0" + abstract)
        unix.listen()
        words = [version, outside, os.getpid(), tcp.getsockname()[1], abstract]
        program = [sys.executable, "-c", textwrap.dedent(TRIES), str(CONFINE.parent)]
        said = subprocess.check_output([*program, *map(str, words)], text=True, timeout=PATIENCE_S)
    assert said.split() == [name for name, since in SINCE.items() if version >= since]


def run(*words: str, **options: object) -> "subprocess.CompletedProcess[str]":
    command = [*OWN, *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)


@pytest.mark.parametrize(
    ("words", "printed", "because"),
    [
        (["NOFILE=77", "--", "sh", "-c", "ulimit -n"], "77", "a limit that a shell tells"),
        (["FSIZE=1048576", "--", "sh", "-c", "ulimit -f"], "2048", "in blocks of 512 bytes"),
        (["CORE=0", "--", "sh", "-c", "ulimit -c"], "0", "no core files"),
        (["--", "cat", "/proc/self/oom_score_adj"], "1000", "bots go first"),
        (["--", "grep", "CapEff", "/proc/self/status"], "CapEff:\t0000000000000000", "no might"),
        (["--", "grep", "NoNewPrivs", "/proc/self/status"], "NoNewPrivs:\t1", "nor new ones"),
        ([f"cores={min(os.sched_getaffinity(0))}", "--", "nproc"], "1", "its cores alone"),
        (["read=/nowhere", "read=/usr", "read=/bin", "read=/lib", "read=/lib64", "--", "echo", "a"],
         "a", "what isn't there needs no rule"),
    ],
)  # fmt: skip
def test_what_a_command_finds(words: list[str], printed: str, because: str) -> None:
    result = run(*words)
    assert (result.stdout.strip(), result.returncode) == (printed, 0), (because, result.stderr)


def test_signals_are_as_usual_whatever_was_ignored_before() -> None:
    ignoring = ["sh", "-c", "trap '' INT HUP USR1 PIPE; exec \"$@\"", "sh"]
    grep = ["grep", "SigIgn", "/proc/self/status"]
    found = subprocess.check_output([*ignoring, *OWN, "--", *grep], text=True)
    c_library_own = 1 << 31 | 1 << 32  # nobody can change these two
    assert int(found.split()[1], 16) & ~c_library_own == 0


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("no-such-program", 127, "no-such-program: not found"),
        ("/etc/hosts", 126, "/etc/hosts: not executable"),
        ("/nowhere/at/all", 127, "/nowhere/at/all: not found"),
    ],
)
def test_what_can_not_be_started(command: str, code: int, said: str) -> None:
    result = run("--", command)
    assert result.returncode == code
    assert result.stderr.startswith(said)


LOCKED = [
    "read=/usr",
    "read=/bin",
    "read=/lib",
    "read=/lib64",
    "read=/proc",
    "list=/",
]
CALLS = [
    ("socket.socket(socket.AF_UNIX)", None, "as the arena's own is"),
    ("socket.socketpair()", None, "of the same family"),
    ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "OSError", "a network"),
    ("socket.socket(socket.AF_INET6)", "OSError", "another"),
    ("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", "OSError", "or the kernel itself"),
    ("resource.setrlimit(resource.RLIMIT_CORE, (0, 0))", None, "its own limits"),
    ("resource.prlimit(os.getppid(), resource.RLIMIT_CORE)", "PermissionError", "another's"),
    ("os.nice(3)", None, "its own priority"),
    ("os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)", "PermissionError", "another's"),
    ("os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))", None, "its own again"),
    (
        "os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))",
        "PermissionError",
        "another's again",
    ),
    ("asyncio.run(asyncio.sleep(0))", None, "which makes sockets for itself"),
]


@pytest.mark.parametrize(("call", "error", "because"), CALLS)
def test_system_calls_are_judged(call: str, error: str | None, because: str) -> None:
    if confine.landlock_version() == 0 or not confine.can_filter_calls(os.uname().machine):
        pytest.skip("such machines aren't known")
    python = [sys.executable, "-I", "-S", "-c", f"import asyncio, os, resource, socket; {call}"]
    prefix = f"read={Path(sys.base_prefix)}"
    result = run(*LOCKED, prefix, f"read={sys.prefix}", "--", *python)
    assert (error or "") in result.stderr, because
    assert (result.returncode == 0) == (error is None), (because, result.stderr)


def test_a_limit_of_the_machine_is_not_raised() -> None:
    command = ["sh", "-c", 'ulimit -n 50; exec "$@"', "sh", *OWN, "NOFILE=99", "--", "sh", "-c"]
    assert subprocess.check_output([*command, "ulimit -n"], text=True).strip() == "50"


def test_it_ends_where_its_parent_has_ended() -> None:
    assert run("parent=1", "--", "echo", "on").stdout == ""

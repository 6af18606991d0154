"""Bot processes: kept in bounds while they live, and gone afterwards, whatever they do."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import trio

from arena.levels import prefix
from arena.output import BoundedLog
from arena.process import BotProcess, environment, launch
from arena.records import Limits
from arena.surroundings import Surroundings
from tests.arena.runs import PATIENCE_S, ROOT, until
from tests.arena.waiting import comes, heard

TIDY = """
    import signal, sys, time
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
    print("up", flush=True)
    time.sleep(999)
"""
HERE = Path("/")
LIMITED = prefix("limits", Limits(), Surroundings(HERE, HERE, HERE, frozenset(), frozenset(), ()))
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "


def python(program: str) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(program)]


@contextlib.asynccontextmanager
async def launched(command: list[str], folder: Path) -> AsyncIterator[BotProcess]:
    log = BoundedLog(folder / "bot.log")
    process = launch([*LIMITED, *command], folder, environment(folder, {}), log)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.live)
        try:
            yield process
        finally:
            await process.stop()


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.usefixtures("ample_time")
@pytest.mark.parametrize(
    ("program", "exit_text"),
    [
        ("print('up', flush=True); import time; time.sleep(999)", "killed by SIGTERM"),
        (TIDY, "exit status 7"),
    ],
    ids=["polite", "tidies up"],
)
async def test_stopping(program: str, exit_text: str, tmp_path: Path) -> None:
    async with launched(python(program), tmp_path) as process:
        await heard(process, "up")
        assert process.exit_text == "still running"
        await process.stop()
        assert process.exit_text == exit_text
        await process.stop()  # a second time is no error
    assert gone(process.pid)


async def test_stopping_who_is_deaf(tmp_path: Path) -> None:
    async with launched(
        python(DEAF + "print('up', flush=True); time.sleep(999)"), tmp_path
    ) as process:
        await heard(process, "up")
        start = trio.current_time()
        await process.stop()
        assert trio.current_time() - start >= 0.9, "it had time to tidy up"
        assert process.exit_text == "killed by SIGKILL"


async def test_a_frozen_process_is_ended(tmp_path: Path) -> None:
    program = "import os, signal; print('up', flush=True); os.kill(os.getpid(), signal.SIGSTOP)"
    async with launched(python(program), tmp_path) as process:
        await heard(process, "up")
        until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)
        await process.stop()
        assert process.exit_text == "killed by SIGKILL"


async def test_a_shells_child_ends_with_it(tmp_path: Path) -> None:
    command = ["sh", "-c", "sleep 1000 & echo child $!; wait"]
    async with launched(command, tmp_path) as process:
        child = int((await heard(process, "child"))[1])
        assert not gone(child)
        await process.stop()
        until(lambda: gone(child))


async def test_children_of_one_that_has_ended_end_too(tmp_path: Path) -> None:
    async with launched(["sh", "-c", "sleep 1000 & echo child $!"], tmp_path) as process:
        child = int((await heard(process, "child"))[1])
        with trio.fail_after(PATIENCE_S):
            await process.wait()
        assert process.exit_text == "exit status 0"
        until(lambda: gone(child))


@pytest.mark.parametrize(
    ("command", "exit_text", "last"),
    [
        (python("print('so'); raise SystemExit(3)"), "exit status 3", "so"),
        (["no-such-program"], "exit status 127", "no-such-program"),
        (["./plain.txt"], "exit status 126", "plain.txt"),
    ],
    ids=["exits at once", "not found", "not executable"],
)
async def test_programs_that_end_at_once(
    command: list[str], exit_text: str, last: str, tmp_path: Path
) -> None:
    (tmp_path / "plain.txt").write_text("no program")
    async with launched(command, tmp_path) as process:
        with trio.fail_after(PATIENCE_S):
            await process.wait()
        await comes(lambda: process.tail and last in process.tail[-1])
        assert process.exit_text == exit_text


async def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        launch(["true"], tmp_path / "nowhere", {}, BoundedLog(tmp_path / "bot.log"))


async def test_a_flood_of_output_is_kept_in_bounds(tmp_path: Path) -> None:
    program = """
        import os
        for _ in range(1600):
            os.write(1, b"x" * 65535 + b"\\n")
    """
    memory = psutil.Process().memory_info().rss
    async with launched(python(program), tmp_path) as process:
        await comes((tmp_path / "bot.log.1").exists)
        await process.stop()
    sizes = [(tmp_path / name).stat().st_size for name in ("bot.log", "bot.log.1")]
    assert 1 << 20 < sum(sizes) < 3 << 20
    assert psutil.Process().memory_info().rss - memory < 20 << 20
    assert sum(map(len, process.tail)) <= 20 * 500


async def test_the_last_lines_are_kept(tmp_path: Path) -> None:
    program = """
        import sys
        for number in range(100):
            print("line", number, flush=True)
        sys.stdout.buffer.write(b"\\xff\\xfe " + b"y" * 2000)
    """
    async with launched(python(program), tmp_path) as process:
        with trio.fail_after(PATIENCE_S):
            await process.wait()
        await comes(lambda: process.tail and process.tail[-1].startswith("\ufffd\ufffd yyy"))
        assert len(process.tail) == 20
        assert process.tail[0] == "line 81"
        assert len(process.tail[-1]) == 500


async def test_a_bot_sees_little_of_the_arenas_surroundings(tmp_path: Path) -> None:
    async with launched(["env"], tmp_path) as process:
        with trio.fail_after(PATIENCE_S):
            await process.wait()
        await comes(lambda: f"HOME={tmp_path}" in process.tail)
    names = {line.partition("=")[0] for line in process.tail}
    assert names - {"PWD", "SHLVL", "_"} <= {"PATH", "LANG", "LC_ALL", "HOME", "TMPDIR"}


async def test_a_bot_may_use_all_cores_and_leads_a_session(tmp_path: Path) -> None:
    program = "import os; print('up', len(os.sched_getaffinity(0)), os.getsid(0), os.getpid())"
    async with launched(python(program), tmp_path) as process:
        _, cores, session, pid = await heard(process, "up")
        assert int(cores) == len(os.sched_getaffinity(0)), "all that this process may use"
        assert int(session) == int(pid) == process.pid


ESCAPES = """
    import subprocess, sys, time
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);" \\
        "print('set', flush=True); time.sleep(1000)"
    middle = "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c'," \\
        "sys.argv[1]], start_new_session=True, stdout=subprocess.PIPE);" \\
        "child.stdout.readline(); print(child.pid)"
    from arena.process import adopt_orphans, kill_descendants
    adopt_orphans()
    pid = subprocess.check_output([sys.executable, "-c", middle, stubborn], text=True)
    print(pid.strip(), kill_descendants(), kill_descendants(), flush=True)
"""


def test_who_escapes_from_its_session_is_found() -> None:
    """The orphan's parent has ended, it leads its own session, and it ignores SIGTERM."""
    said = subprocess.check_output(python(ESCAPES), cwd=ROOT, text=True, timeout=PATIENCE_S)
    pid, first, second = map(int, said.split())
    assert (first, second) == (1, 0)
    assert not psutil.pid_exists(pid)


def test_others_go_on_while_descendants_are_killed() -> None:
    """Whoever is started meanwhile is spared, too."""
    program = """
        import subprocess, trio
        from arena.process import kill_all_but
        other = subprocess.Popen(["sleep", "1000"])
        running = []
        async def start():
            await trio.sleep(0)
            started.append(subprocess.Popen(["sleep", "1000"]))
            running.append(started[0].pid)
        started = []
        async def main():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(start)
                await kill_all_but(running)
        trio.run(main)
        print(other.wait() in (0, -9), started[0].poll(), flush=True)  # 0 where it was reaped
        started[0].kill()
    """
    said = subprocess.check_output(python(program), cwd=ROOT, text=True, timeout=PATIENCE_S)
    assert said == "True None\n"


def test_descendants_can_be_spared() -> None:
    program = """
        import subprocess
        from arena.process import kill_descendants
        kept, other = [subprocess.Popen(["sleep", "1000"]) for _ in range(2)]
        killed = kill_descendants(spare=(kept.pid,))
        print(killed, other.wait(), kept.poll(), flush=True)
        kept.kill()
    """
    said = subprocess.check_output(python(program), cwd=ROOT, text=True, timeout=PATIENCE_S)
    assert said.split()[0] == "1"
    assert said.split()[2] == "None"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_arena_takes_its_bots_along(number: signal.Signals, tmp_path: Path) -> None:
    program = f"""
        import sys, time
        from pathlib import Path
        from arena.output import BoundedLog
        from arena.process import environment, launch
        from tests.arena.test_process import LIMITED
        folder = Path({str(tmp_path)!r})
        command = [*LIMITED, sys.executable, "-c", {DEAF + "time.sleep(1000)"!r}]
        print(launch(command, folder, environment(folder, {{}}), BoundedLog(folder / "l")).pid)
        sys.stdout.flush()
        time.sleep(1000)
    """
    with subprocess.Popen(python(program), cwd=ROOT, stdout=subprocess.PIPE, text=True) as arena:
        assert arena.stdout is not None
        pid = int(arena.stdout.readline())
        assert not gone(pid)
        arena.send_signal(number)
        arena.wait()
    until(lambda: gone(pid))


def test_what_the_spared_start_meanwhile_is_spared() -> None:
    """They start children all the time, as a bot may that runs a helper for each decision."""
    program = """
        import os, psutil, subprocess, sys, time
        from arena.process import kill_descendants
        forks = "import subprocess\\nwhile subprocess.run(['true']).returncode == 0: pass"
        busy = [subprocess.Popen([sys.executable, "-c", forks]) for _ in range(3)]
        for each in busy:
            while not [*psutil.Process(each.pid).children()]:
                time.sleep(0.01)
        for _ in range(60):
            kill_descendants(spare=[each.pid for each in busy])
        print([each.poll() for each in busy], flush=True)
        for each in busy:
            each.kill()
            each.wait()
        kill_descendants()
    """
    said = subprocess.check_output(python(program), cwd=ROOT, text=True, timeout=PATIENCE_S)
    assert said == "[None, None, None]\n", "who ends has seen a child killed"

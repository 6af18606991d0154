"""The journal under kill -9, rivals and full disks, with real processes and disks."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena import journal_read
from arena.errors import OperatorError
from arena.journal import Writer
from arena.records import DealLine, encode_body
from tests.arena.journals import all_lines, header, write

ROOT = Path(__file__).parent.parent.parent
LINES = all_lines(header())


def start(program: str, folder: Path) -> "subprocess.Popen[str]":
    """Run a program of its own that may use the helpers of these tests."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    program = """
        import sys
        from pathlib import Path
        from arena.journal import Writer
        from tests.arena.journals import header
        journal = Writer(Path(sys.argv[1]))
        journal.append(header())
        print("locked", flush=True)
        sys.stdin.read()
    """
    with start(program, tmp_path) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "locked\n"
        with pytest.raises(OperatorError, match=rf"process {first.pid}\b"):
            Writer(tmp_path)
        first.kill()
        first.wait()
        with Writer(tmp_path) as journal:  # a dead process holds no lock
            assert journal.header == msgspec.structs.replace(
                header(), chain=journal.header.chain if journal.header else ""
            )


def test_of_many_writers_at_once_one_wins(tmp_path: Path) -> None:
    program = """
        import sys
        from pathlib import Path
        from arena.errors import OperatorError
        from arena.journal import Writer
        sys.stdin.readline()
        try:
            journal = Writer(Path(sys.argv[1]))
        except OperatorError:
            print("refused", flush=True)
        else:
            print("won", flush=True)
        sys.stdin.read()
    """
    racers = [start(program, tmp_path) for _ in range(4)]
    try:
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        said = sorted(racer.stdout.readline() for racer in racers if racer.stdout is not None)
    finally:
        for racer in racers:
            racer.communicate()
    assert said == ["refused\n"] * 3 + ["won\n"]


KILLED = """
    import sys
    from pathlib import Path
    from arena.journal import Writer
    from arena.records import encode_body
    from tests.arena.journals import all_lines, header
    plan = header(deals=60)
    lines = [(encode_body(line), line.key) for line in all_lines(plan)]
    journal = Writer(Path(sys.argv[1]))
    if journal.header is None:
        journal.append(plan)
    print("ready", flush=True)
    for number, (body, key) in enumerate(lines):
        journal.append_session([body], [key])
        print(number, flush=True)
"""


@pytest.mark.parametrize("reported", [0, 1, 7, 40])
def test_a_killed_writer_loses_nothing_that_it_reported(tmp_path: Path, reported: int) -> None:
    lines = all_lines(header(deals=60))
    with start(KILLED, tmp_path) as writer:
        assert writer.stdout is not None
        while (said := writer.stdout.readline()) and said != f"{reported}\n":
            pass
        os.kill(writer.pid, signal.SIGKILL)
    with Writer(tmp_path) as journal:
        kept = [line.key in journal.done for line in lines]
    assert all(kept[: reported + 1])
    assert kept == sorted(kept, reverse=True), "in the order of writing, no hole"


def test_a_league_killed_again_and_again_is_complete_at_last(tmp_path: Path) -> None:
    lines = all_lines(header(deals=60))
    for _ in range(4):
        with start(KILLED, tmp_path) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            os.kill(writer.pid, signal.SIGKILL)  # at whatever line it has come to
    with start(KILLED, tmp_path) as writer:
        writer.communicate()
    keys = [line.key for _, line in journal_read.read(tmp_path) if isinstance(line, DealLine)]
    assert keys == [line.key for line in lines]


LIMITED = """
    import resource, sys
    from pathlib import Path
    from arena.errors import OperatorError
    from arena.journal import Writer
    from arena.records import encode_body
    from tests.arena.journals import all_lines, header
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, hard))
    lines = all_lines(header())
    with Writer(Path(sys.argv[1])) as journal:
        journal.append(header())
        for number, line in enumerate(lines):
            try:
                journal.append_session([encode_body(line)], [line.key])
            except OperatorError as error:
                print(number, len(journal.done), error, sep="|", flush=True)
                break
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        for line in lines:
            journal.append_session([encode_body(line)], [line.key])
"""


def test_a_full_disk_leaves_whole_lines_and_room_heals(tmp_path: Path) -> None:
    with start(LIMITED, tmp_path) as writer:
        said, _ = writer.communicate()
    number, done, message = said.split("|")
    assert number == done, "the line that failed isn't counted"
    assert int(number) > 0
    assert "journal.jsonl" in message
    assert "resume" in message
    assert len(list(journal_read.read(tmp_path))) == 1 + len(LINES)
    with Writer(tmp_path) as journal:  # checks the chain
        assert len(journal.done) == len(LINES)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only who may mount can have a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(journal: Writer, lines: list[DealLine]) -> None:
    for line in lines:
        journal.append_session([encode_body(line)], [line.key])


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    lines = all_lines(header(deals=20))
    with Writer(small_disk) as journal:
        journal.append(header(deals=20))
        with pytest.raises(OperatorError, match="No space left"):
            fill(journal, lines)
        kept = len(journal.done)
    assert 0 < kept < len(lines)
    assert len(list(journal_read.read(small_disk))) == 1 + kept


def test_a_disk_that_may_not_be_written(small_disk: Path) -> None:
    file = write(small_disk, [header(), *LINES[:2]])
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(OperatorError, match="Read-only"):
        Writer(small_disk)
    assert len(list(journal_read.read(file))) == 3, "reading is enough for reports"


def test_a_reader_sees_whole_lines_while_it_is_written(tmp_path: Path) -> None:
    with start(KILLED, tmp_path) as writer:
        assert writer.stdout is not None
        while writer.stdout.readline():
            assert all(line for _, line in journal_read.read(tmp_path))


def test_a_file_that_is_too_large_sends_no_signal() -> None:
    # The full-disk test needs SIGXFSZ ignored, which Python does at its start.
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN

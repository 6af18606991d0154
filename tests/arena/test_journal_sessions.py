"""Sessions in the journal: written at once, set aside whole when torn, and replayed whole."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import schedule
from arena import verify as verification
from arena.done_keys import DoneKeys
from arena.journal import Writer
from arena.records import DealLine, encode_body
from arena.verify import Status
from tests.arena.journals import all_lines, append_all, footer, header, sessions, write
from tests.arena.runs import PATIENCE_S, ROOT, deals, incidents

SPAN = 4
HEADER = header(bots=1, deals=12, rules="with Stock", slice_deals=4, session_deals=SPAN)
LINES = all_lines(HEADER)


def finish(folder: Path) -> None:
    """Play what is missing, as a resumed league does."""
    with Writer(folder) as journal:
        missing = [
            shard.key(deal)
            for shard in schedule.shards(HEADER.schedule)
            for deal in journal.done.missing(shard)
        ]
        append_all(journal, [line for line in LINES if line.key in missing])
        journal.append(footer(len(LINES)))


def assert_complete(folder: Path) -> None:
    findings = verification.verify(folder, lambda done, size: None)
    assert (findings.status, findings.contradictions) == (Status.COMPLETE, ())
    assert [line.key for line in deals(folder)] == [line.key for line in LINES]


def test_a_session_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    first, *_ = sessions(HEADER, LINES)
    bodies, keys = [encode_body(line) for line in first], [line.key for line in first]
    with Writer(tmp_path) as journal:
        journal.append(HEADER)
        assert journal.append_session(bodies, keys)
        size = journal.file.stat().st_size
        assert not journal.append_session(bodies, keys)
        assert journal.file.stat().st_size == size
        assert len(journal.done) == SPAN


DIES = """
    import os, signal, sys
    from pathlib import Path
    from arena.journal import Writer
    from tests.arena.journals import all_lines, append_all
    from tests.arena.test_journal_sessions import HEADER, LINES, SPAN

    journal = Writer(Path(sys.argv[1]))
    journal.append(HEADER)
    append_all(journal, LINES[:SPAN])
    write = os.write

    def dying(descriptor, data):
        write(descriptor, data[: int(sys.argv[2])])
        os.kill(os.getpid(), signal.SIGKILL)

    os.write = dying
    append_all(journal, LINES[SPAN : 2 * SPAN])
"""


def cuts() -> list[int]:
    """Bytes of the second session's only write after which its writer is killed."""
    lengths = [len(encode_body(line)) + len(',"chain":""') + 64 + 1 for line in LINES[SPAN:]]
    first = lengths[0]
    return [1, first - 1, first, first + 1, first + lengths[1], sum(lengths[:SPAN]) - 1]


@pytest.mark.parametrize("cut", cuts())
def test_a_writer_killed_within_a_session_loses_that_session_alone(
    cut: int, tmp_path: Path
) -> None:
    program = [sys.executable, "-c", textwrap.dedent(DIES), str(tmp_path), str(cut)]
    killed = subprocess.run(program, check=False, cwd=ROOT, timeout=PATIENCE_S)
    assert killed.returncode == -signal.SIGKILL
    with Writer(tmp_path) as journal:
        assert [line.key in journal.done for line in LINES] == [True] * SPAN + [False] * 2 * SPAN
    assert len((tmp_path / "journal.torn-1").read_bytes()) == cut
    (incident,) = incidents(tmp_path)
    assert incident.incident == "torn_line"
    assert f"{cut} bytes" in incident.detail
    finish(tmp_path)
    assert_complete(tmp_path)


@settings(max_examples=40)
@given(data=st.data())
def test_a_journal_cut_anywhere_holds_whole_sessions(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    file = write(folder, [HEADER, *LINES])
    content = file.read_bytes()
    start = content.index(b"\n") + 1
    cut = data.draw(st.integers(start, len(content)))
    os.truncate(file, cut)
    whole = content[:cut].count(b"\n") - 1
    with Writer(folder) as journal:
        kept = whole - whole % SPAN
        assert len(journal.done) == kept
        assert all(line.key in journal.done for line in LINES[:kept])
    finish(folder)
    assert_complete(folder)


def test_a_session_that_is_not_whole_is_no_part_of_a_resumed_league(tmp_path: Path) -> None:
    """Readers see its lines until then; the writer, which goes on, doesn't."""
    file = write(tmp_path, [HEADER, *LINES[: SPAN + 2]])
    assert len(deals(file)) == SPAN + 2
    with Writer(tmp_path):
        assert [line.key for line in deals(file)] == [line.key for line in LINES[:SPAN]]


def test_missing_is_said_in_whole_sessions() -> None:
    (shard, *_) = schedule.shards(HEADER.schedule)
    done = DoneKeys()
    done.bound(HEADER.schedule.deals)
    for deal in range(shard.first_deal, shard.first_deal + SPAN - 1):
        done.add(shard.key(deal))
    assert done.missing(shard) == tuple(range(SPAN))


def test_lines_of_a_session_are_chained_like_all_others(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    at_once = write(one, [HEADER, *LINES[:SPAN]]).read_bytes()
    plain: list[DealLine] = LINES[:SPAN]
    with Writer(other) as journal:
        journal.append(HEADER)
        for line in plain:
            journal.append_session([encode_body(line)], [line.key])
        assert journal.file.read_bytes() == at_once

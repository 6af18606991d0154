"""The journal: append-only, one writer, and nothing lost but the line in flight."""

import hashlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import journal_read
from arena.errors import EvidenceError, OperatorError
from arena.journal import Writer
from arena.records import DealLine, IncidentLine, Key, encode_body
from arena.resuming import compare_headers
from tests.arena.journals import TIME, all_lines, footer, forge, header, write

LINES = all_lines(header())


def test_what_was_written_is_read(tmp_path: Path) -> None:
    lines = [header(), *LINES, footer(len(LINES))]
    file = write(tmp_path / "league", lines)
    read = list(journal_read.read(tmp_path / "league"))
    assert [number for number, _ in read] == list(range(1, len(lines) + 1))
    assert [msgspec.structs.replace(line, chain="") for _, line in read] == lines
    assert journal_read.header(file).league == "test"
    assert journal_read.footer(file) == read[-1][1]
    assert file.stat().st_mode & 0o777 & ~0o644 == 0


def test_the_chain_is_the_published_one(tmp_path: Path) -> None:
    file = write(tmp_path, [header(), *LINES[:3]])
    chain = "0" * 64
    for line in file.read_text().splitlines():
        body, _, said = line.rpartition(',"chain":"')
        chain = hashlib.sha256((chain + body + "}").encode()).hexdigest()
        assert said == chain + '"}'


def test_the_first_line_of_a_key_counts(tmp_path: Path) -> None:
    other = msgspec.structs.replace(LINES[0], think_us=(9, 9, 9, 9))
    with Writer(tmp_path) as journal:
        journal.append(header())
        assert journal.append_session([encode_body(LINES[0])], [LINES[0].key])
        size = journal.file.stat().st_size
        assert not journal.append_session([encode_body(other)], [other.key])
        assert journal.file.stat().st_size == size
    with Writer(tmp_path) as journal:
        assert not journal.append_session([encode_body(other)], [other.key])
        assert len(journal.done) == 1


def test_resuming_goes_on_where_it_ended(tmp_path: Path) -> None:
    write(tmp_path, [header(), *LINES[:5]])
    with Writer(tmp_path) as journal:
        assert journal.header is not None
        assert compare_headers(journal.header, header()) == []
        assert [line.key in journal.done for line in LINES[:6]] == [True] * 5 + [False]
        journal.append(IncidentLine(time=TIME, incident="resumed", detail=""))
        for line in LINES:
            journal.append_session([encode_body(line)], [line.key])
    kinds = [type(line).__name__ for _, line in journal_read.read(tmp_path)]
    assert kinds == ["Header", *["DealLine"] * 5, "IncidentLine", *["DealLine"] * (len(LINES) - 5)]


TORN = [
    (IncidentLine(time=TIME, incident="resumed", detail=""), 1, "at every byte of a short line"),
    (LINES[1], 53, "at some of a deal's line"),
]


@pytest.mark.parametrize(("last", "step", "because"), TORN, ids=[row[2] for row in TORN])
def test_a_torn_line_is_set_aside(
    tmp_path: Path, last: DealLine | IncidentLine, step: int, because: str
) -> None:
    file = write(tmp_path, [header(), LINES[0], last])
    whole = file.read_bytes()
    start_of_last = whole.rindex(b"\n", 0, -1) + 1
    for cut in range(start_of_last + 1, len(whole), step):
        file.write_bytes(whole[:cut])
        assert len(list(journal_read.read(file))) == 2, "readers pass it over"
        with Writer(tmp_path) as journal:
            assert LINES[0].key in journal.done
            assert journal.append_session([encode_body(LINES[1])], [LINES[1].key])
        *_, incident, deal = [line for _, line in journal_read.read(file)]
        assert isinstance(incident, IncidentLine)
        assert incident.incident == "torn_line", because
        assert isinstance(deal, DealLine)
        assert deal.key == LINES[1].key
        aside = tmp_path / "journal.torn-1"
        assert aside.read_bytes() == whole[start_of_last:cut]
        aside.unlink()


def test_torn_lines_never_replace_each_other(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        file = write(tmp_path, [header()] if number == 1 else [])
        with file.open("ab") as stream:
            stream.write(b"part %d" % number)
    write(tmp_path, [])
    assert [(tmp_path / f"journal.torn-{n}").read_bytes() for n in (1, 2, 3)] == [
        b"part 1",
        b"part 2",
        b"part 3",
    ]


def test_a_torn_header_is_no_journal_yet(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_bytes(b'{"kind":"header","form')
    with pytest.raises(EvidenceError, match="header is missing"):
        journal_read.header(tmp_path)
    with Writer(tmp_path) as journal:
        assert journal.header is None
        journal.append(header())
    assert journal_read.header(tmp_path).league == "test"


BROKEN = [
    (lambda text: text.replace(b'"think_us":[5', b'"think_us":[4', 1), 2, "an edited value"),
    (lambda text: text.replace(b"\n", b"\n\n", 1), 2, "an empty line"),
    (lambda text: b"".join(text.splitlines(True)[i] for i in (0, 2, 1)), 2, "lines swapped"),
    (lambda text: b"".join(text.splitlines(True)[i] for i in (0, 2)), 2, "a line taken out"),
    (lambda text: b"".join(text.splitlines(True)[i] for i in (0, 1, 1, 2)), 3, "a line doubled"),
    (lambda text: text.replace(b'"league":"test"', b'"league":"tost"'), 1, "the header edited"),
    (lambda text: text[:-60] + text[-59:], 3, "a byte lost from the chain"),
    (lambda text: text + b"\0" * 100 + b"\n", 4, "zeros after a power cut, with a line feed"),
]


@pytest.mark.parametrize(("damage", "line", "because"), BROKEN, ids=[row[2] for row in BROKEN])
def test_a_damaged_journal_is_not_resumed(tmp_path: Path, damage, line: int, because: str) -> None:
    file = write(tmp_path, [header(), *LINES[:2]])
    file.write_bytes(damage(file.read_bytes()))
    before = file.read_bytes()
    with pytest.raises(EvidenceError, match=f"journal.jsonl:{line}: "):
        Writer(tmp_path)
    assert file.read_bytes() == before, "evidence is left as it is"


MISPLACED = [
    ([LINES[0]], 1, "no header"),
    ([header(), header()], 2, "two headers"),
    ([header(), footer(0), LINES[0]], 3, "a deal after the end"),
    ([header(), {"kind": "deal", "key": [0, 0, 0]}], 2, "half a key"),
    ([header(), {"kind": "gossip"}], 2, "a kind that nobody knows"),
    ([header(), {"kind": "deal", "key": [0, 0, 0, 10**12, 10**12]}], 2, "a deal beyond the last"),
]


@pytest.mark.parametrize(("lines", "line", "because"), MISPLACED, ids=[row[2] for row in MISPLACED])
def test_a_line_out_of_place(tmp_path: Path, lines, line: int, because: str) -> None:
    file = forge(tmp_path / "journal.jsonl", lines)
    with pytest.raises(EvidenceError, match=f"journal.jsonl:{line}: "):
        list(journal_read.read(file))
    with pytest.raises(EvidenceError, match=f"journal.jsonl:{line}: "):
        Writer(tmp_path)


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    newer = {"kind": "header", "format": 2, "novelty": True}
    file = forge(tmp_path / "journal.jsonl", [newer, {"kind": "novelty"}])
    for attempt in (lambda: list(journal_read.read(file)), lambda: Writer(tmp_path)):
        with pytest.raises(OperatorError, match=r"format 2.*newer arena"):
            attempt()


def test_nothing_follows_the_footer(tmp_path: Path) -> None:
    write(tmp_path, [header(), *LINES, footer(len(LINES))])
    with Writer(tmp_path) as journal:
        assert journal.closed_by_footer
        with pytest.raises(OperatorError, match="closed"):
            journal.append(IncidentLine(time=TIME, incident="resumed", detail=""))
    with journal.file.open("ab") as stream:
        stream.write(b"x")
    with pytest.raises(EvidenceError, match="nothing may follow"):
        Writer(tmp_path)


def test_places_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OperatorError, match="cannot write in the folder"):
            Writer(folder)
    (tmp_path / "league" / "journal.jsonl").mkdir(parents=True)
    with pytest.raises(OperatorError, match="cannot write"):
        Writer(tmp_path / "league")
    with pytest.raises(OperatorError, match="no journal"):
        journal_read.header(tmp_path / "nowhere")
    with pytest.raises(OperatorError, match="no journal"):
        journal_read.header(tmp_path)


def test_the_end_of_a_long_journal_is_found(tmp_path: Path) -> None:
    missing = tuple(Key(0, 0, 0, n, n) for n in range(4000))
    file = forge(tmp_path / "journal.jsonl", [header(), *LINES, footer(1, missing)])
    last = journal_read.footer(file)
    assert last is not None
    assert last.missing == missing
    file.write_bytes(file.read_bytes()[:-1])
    assert journal_read.footer(file) is None


@settings(max_examples=50)
@given(cut=st.integers(0, 10_000), garbage=st.binary(max_size=200))
def test_whatever_the_tail_is_the_writer_goes_on_or_says_why(
    tmp_path_factory: pytest.TempPathFactory, cut: int, garbage: bytes
) -> None:
    folder = tmp_path_factory.mktemp("league")
    file = write(folder, [header(), *LINES[:3]])
    whole = file.read_bytes()
    file.write_bytes(whole[: cut % (len(whole) + 1)] + garbage)
    try:
        journal = Writer(folder)
    except EvidenceError:
        assert b"\n" in garbage, "without a line feed it is only a torn line"
        return
    with journal:
        if journal.header is None:
            journal.append(header())
        for line in LINES:
            journal.append_session([encode_body(line)], [line.key])
    with Writer(folder) as journal:
        assert len(journal.done) == len(LINES)

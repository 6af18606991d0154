"""Small real journals for tests: deals played by dice, in real files."""

import random
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from arena import dealing, schedule
from arena.deal_line import Conduct, deal_line
from arena.journal import Writer
from arena.journal_read import CHAIN_START, chained, with_chain
from arena.records import (
    BotEntry,
    DealLine,
    Footer,
    Header,
    Key,
    Limits,
    Line,
    Schedule,
    encode_body,
)
from arena.rulebook import effective, fixed_partners, names
from arena.schedule import Four
from engine.model import NOTHING_CARRIED, Carried, RuleSet
from engine.rules import new_deal, play
from engine.ruleset import rule_set
from engine.scoring import settle
from engine.session import carry

SECRET = bytes(range(32))
TIME = "2026-01-02T03:04:05+00:00"


def _changed(base: str, **tables: dict[str, object]) -> dict[str, Any]:
    rules: dict[str, Any] = effective(base)
    return {**rules, **{table: {**rules[table], **keys} for table, keys in tables.items()}}


RULES = {
    **{name: effective(name) for name in names()},
    "with Stock": _changed(
        "sauspiel",
        auction={"pass_out": "next_deal"},
        session={"stock": 10, "bock_deals": 2, "bock_after": ["schneider"]},
    ),
    "with strokes": _changed("deutscher", session={"schafkopf_strokes": 3}),
}
"""All shipped rule sets, and some whose deals leave something to the next ones."""


def header(
    bots: int = 2,
    deals: int = 4,
    rules: str = "online-pro",
    *,
    slice_deals: int = 2,
    session_deals: int = 1,
) -> Header:
    return Header(
        format=1,
        league="test",
        created=TIME,
        arena="0",
        protocol=1,
        rules=RULES[rules],
        bots=tuple(BotEntry(f"bot {n}", "1", ("run",), "folder", f"{n:064x}") for n in range(bots)),
        schedule=Schedule(
            deals=deals,
            slice_deals=slice_deals,
            session_deals=session_deals,
            lineups=schedule.lineups(bots),
            fixed_partners=fixed_partners(rule_set(RULES[rules])),
        ),
        limits=Limits(),
        commitment=dealing.commitment(SECRET),
        open=False,
        isolation="landlock",
    )


def played(
    key: Key, seats: Four, rules: RuleSet, carried: Carried = NOTHING_CARRIED
) -> tuple[DealLine, Carried]:
    """A deal of the secret, played by dice, and what it leaves."""
    dice = random.Random(repr(key))
    hands = dealing.hands(SECRET, key.deal, rules.deck)
    halves = (0, 0, 0, 0)
    if rules.klopfen:
        halves = dealing.first_halves(SECRET, key.deal, rules.deck)
    deal = new_deal(rules, hands, dealing.forehand(key.deal), halves, carried)
    actions = bytearray()
    asked = [0, 0, 0, 0]
    while not deal.finished:
        asked[deal.turn] += 1
        actions.append(dice.choice(deal.legal))
        play(deal, actions[-1])
    a, b, c, d = asked
    line = deal_line(key, seats, deal, bytes(actions), Conduct((a, b, c, d), (5, 6, 7, 8)))
    return line, carry(deal, settle(deal))


def all_lines(first: Header) -> list[DealLine]:
    """Every deal of the schedule, session by session."""
    rules, lines = rule_set(first.rules), []
    for shard in schedule.shards(first.schedule):
        left = NOTHING_CARRIED
        for key in schedule.keys(shard):
            if key.deal % first.schedule.session_deals == 0:
                left = NOTHING_CARRIED
            line, left = played(key, shard.seats, rules, left)
            lines.append(line)
    return lines


def sessions(first: Header, lines: Iterable[DealLine]) -> Iterator[list[DealLine]]:
    """Split lines that are in order into sessions; the last may lack its end."""
    session: list[DealLine] = []
    for line in lines:
        session.append(line)
        if (line.key.deal + 1) % first.schedule.session_deals == 0:
            yield session
            session = []
    if session:
        yield session


def append_all(journal: Writer, lines: Iterable[DealLine]) -> None:
    """Write deals as the coordinator does: a session at once."""
    assert journal.header is not None
    for session in sessions(journal.header, lines):
        journal.append_session(
            [encode_body(line) for line in session], [line.key for line in session]
        )


def footer(deals: int, missing: tuple[Key, ...] = ()) -> Footer:
    return Footer(time=TIME, deals=deals, missing=missing, secret=SECRET.hex())


def write(folder: Path, lines: Iterable[Line]) -> Path:
    """Write a journal as the arena does; returns its file."""
    with Writer(folder) as journal:
        for deals, group in groupby(lines, lambda line: isinstance(line, DealLine)):
            if deals:
                append_all(journal, group)
            else:
                for line in group:
                    journal.append(line)
    return journal.file


def forge(file: Path, lines: Iterable[Line | dict[str, object]]) -> Path:
    """Write any lines with a proper chain, as a cheat would who knows the format."""
    chain = CHAIN_START
    content = b""
    for line in lines:
        body = msgspec.json.encode(line) if isinstance(line, dict) else encode_body(line)
        chain = chained(chain, body)
        content += with_chain(body, chain)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file

"""Small real journals for tests: deals played by dice, in real files."""

import random
from collections.abc import Iterable
from pathlib import Path

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
from arena.rulebook import effective, load
from arena.schedule import Four
from engine.rules import new_deal, play

SECRET = bytes(range(32))
TIME = "2026-01-02T03:04:05+00:00"


def header(bots: int = 2, deals: int = 4, rules: str = "online-pro") -> Header:
    return Header(
        format=1,
        league="test",
        created=TIME,
        arena="0",
        protocol=1,
        rules=effective(rules),
        bots=tuple(BotEntry(f"bot {n}", "1", ("run",), "folder", f"{n:064x}") for n in range(bots)),
        schedule=Schedule(
            deals=deals, slice_deals=2, session_deals=1, lineups=schedule.lineups(bots)
        ),
        limits=Limits(),
        commitment=dealing.commitment(SECRET),
        open=False,
        isolation="none",
    )


def played(key: Key, seats: Four, rules: str = "online-pro") -> DealLine:
    """A deal of the secret, played by dice."""
    rule_set = load(rules)
    dice = random.Random(repr(key))
    hands = dealing.hands(SECRET, key.deal, rule_set.deck)
    deal = new_deal(rule_set, hands, dealing.forehand(key.deal))
    actions = bytearray()
    asked = [0, 0, 0, 0]
    while not deal.finished:
        asked[deal.turn] += 1
        actions.append(dice.choice(deal.legal))
        play(deal, actions[-1])
    a, b, c, d = asked
    return deal_line(key, seats, deal, bytes(actions), Conduct((a, b, c, d), (5, 6, 7, 8)))


def all_lines(first: Header) -> list[DealLine]:
    return [
        played(key, shard.seats, str(first.rules["name"]))
        for shard in schedule.shards(first.schedule)
        for key in schedule.keys(shard)
    ]


def footer(deals: int, missing: tuple[Key, ...] = ()) -> Footer:
    return Footer(time=TIME, deals=deals, missing=missing, secret=SECRET.hex())


def write(folder: Path, lines: Iterable[Line]) -> Path:
    """Write a journal as the arena does; returns its file."""
    with Writer(folder) as journal:
        for line in lines:
            if isinstance(line, DealLine):
                journal.append_encoded(encode_body(line), line.key)
            else:
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

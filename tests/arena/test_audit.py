"""An audit shows what seats were sent, and catches every view that tells too much."""

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena import sent, wire
from arena.audit import AuditFindings, audit
from arena.audit_cards import Accountant
from arena.audit_deal import Counts, DealAudit
from arena.deal_line import Conduct, deal_line
from arena.errors import EvidenceError, OperatorError
from arena.open_deal import OpenDeal, seat_keys
from arena.records import DealLine, Header, Key, Limits, Line, Origin
from arena.wire import Question
from engine.model import Deal, RuleSet
from engine.rules import new_deal, play
from engine.ruleset import rule_set
from engine.view import Observation, observe
from tests.arena.journals import RULES, SECRET, all_lines, footer, forge, header, write
from tests.arena.runs import arena
from tests.engine.chance import announce, halves, hands_for, random_action
from tests.engine.tables import TABLES

replace = msgspec.structs.replace
HEADER = header()
LINES = all_lines(HEADER)
LEAK = "told more than it may know"


def checked(path: Path, **options) -> AuditFindings:
    return audit(path, lambda done, total: None, **options)


def journal(folder: Path, first: Header = HEADER, lines: list[DealLine] | None = None) -> Path:
    lines = all_lines(first) if lines is None else lines
    return write(folder, [first, *lines, footer(len(lines))])


@pytest.mark.parametrize("rules", sorted(RULES))
def test_an_honest_league_shows_nothing(tmp_path: Path, rules: str) -> None:
    first = header(deals=6, rules=rules, session_deals=2)
    found = checked(journal(tmp_path, first))
    assert found.findings == ()
    counts = found.counts
    assert found.finished
    assert counts.deals == found.expected_deals
    assert counts.decisions == counts.handles == counts.seeds > 100
    assert counts.cards > 5 * counts.decisions
    assert counts.alike > counts.deals / 2, "look-alikes must be met"


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_game_of_every_house_shows_nothing(name: str) -> None:
    rules = TABLES[name]
    rng = random.Random(5)
    counts = Counts()
    for game in (*rules.games, *rules.pass_out.games):
        for seat in range(4):
            line = brought_to(rules, game.key, seat, rng)
            keys = seat_keys(SECRET, "shard")
            one = DealAudit(line, rules, Limits(), keys, OpenDeal.question, counts)
            assert not list(one.run(derived=True, recorded=False, look_alikes=3)), line
    assert counts.alike


def brought_to(rules: RuleSet, game: str, seat: int, rng: random.Random) -> DealLine:
    hands = hands_for(rules, game, seat, rng)
    first = halves(hands, rng) if rules.klopfen else (0, 0, 0, 0)
    deal = new_deal(rules, hands, rng.randrange(4), first)
    actions = announce(deal, game, seat)
    while not deal.finished:
        actions.append(random_action(deal, rng))
        play(deal, actions[-1])
    return line_of(rules, deal, actions)


def line_of(rules: RuleSet, deal: Deal, actions: list[int]) -> DealLine:
    again = new_deal(rules, deal.dealt, deal.forehand, deal.first)
    asked = [0, 0, 0, 0]
    for action in actions:
        asked[again.turn] += 1
        play(again, action)
    a, b, c, d = asked
    conduct = Conduct((a, b, c, d), (0, 0, 0, 0))
    return deal_line(Key(0, 0, 0, 0, 7), (0, 0, 1, 1), again, bytes(actions), conduct)


# Views that tell too much, each in a field that the protocol has.


def with_the_next_hand(deal: Deal) -> Observation:
    return observe(deal)._replace(hand=deal.hands[deal.turn] | deal.hands[(deal.turn + 1) & 3])


def with_sides(deal: Deal) -> Observation:
    seen = observe(deal)
    return seen._replace(stoss=bytes((*seen.stoss, deal.side)))


def with_duties(deal: Deal) -> Observation:
    """In what may be answered: as if a card were missing where the next seat has duties."""
    seen = observe(deal)
    bound = deal.bound == (deal.turn + 1) & 3 and len(seen.legal) > 1
    return seen._replace(legal=seen.legal[1:]) if bound else seen


def with_the_next_seats_schellen(deal: Deal) -> Observation:
    seen = observe(deal)
    return seen._replace(forehand=int(deal.hands[(deal.turn + 1) & 3] & 0xFF > 0))


def with_locked_suits(deal: Deal) -> Observation:
    seen = observe(deal)
    said = bytearray(seen.auction)
    for number, (_, suit) in enumerate(deal.bidding.locked):
        said[2 * number + 1] = 40 + suit
    return seen._replace(auction=bytes(said))


def with_the_whole_hand(deal: Deal) -> Observation:
    return observe(deal)._replace(hand=deal.hands[deal.turn])


TOO_MUCH = [
    # rules, view, what the books say; look-alikes show all of them
    ("online-pro", with_the_next_hand, "hand shows"),
    ("online-pro", with_sides, "stoss is"),
    ("online-pro", with_duties, None),
    ("online-pro", with_the_next_seats_schellen, "forehand is"),
    ("deutscher", with_locked_suits, "auction is"),
    ("sauspiel", with_the_whole_hand, "hand shows"),
]


def asking(view: Callable[[Deal], Observation]) -> Callable[[OpenDeal], Question]:
    def ask(open_deal: OpenDeal) -> Question:
        return replace(open_deal.question(), observation=view(open_deal.deal))

    return ask


@pytest.mark.parametrize(
    ("rules", "view", "books"), TOO_MUCH, ids=[row[1].__name__ for row in TOO_MUCH]
)
def test_a_view_that_tells_too_much_is_caught(
    tmp_path: Path, rules: str, view, books: str | None
) -> None:
    first = header(deals=8, rules=rules, slice_deals=4)
    found = checked(journal(tmp_path, first), look_alikes=None, ask=asking(view))
    assert found.finding_count
    assert found.findings[0].startswith(f"{tmp_path / 'journal.jsonl'}:")
    by_books = checked(tmp_path, look_alikes=0, ask=asking(view)).findings
    assert all(str(books) in each for each in by_books)
    assert bool(by_books) == (books is not None), "some only other deals can show"
    assert leaks_by_looks(first, view)


def leaks_by_looks(first: Header, view) -> bool:
    rules = rule_set(first.rules)
    for line in all_lines(first):
        keys = seat_keys(SECRET, "shard")
        one = DealAudit(line, rules, first.limits, keys, asking(view), Counts())
        if any(LEAK in each for each in one.run(derived=False, recorded=False, look_alikes=None)):
            return True
    return False


def test_an_honest_view_of_the_same_deals_shows_nothing(tmp_path: Path) -> None:
    for rules in {row[0] for row in TOO_MUCH}:
        found = checked(
            journal(tmp_path / rules, header(deals=8, rules=rules, slice_deals=4)),
            look_alikes=None,
            ask=asking(observe),
        )
        assert found.findings == ()


def named_by_number(open_deal: OpenDeal) -> Question:
    return replace(open_deal.question(), handle=open_deal.key.deal)


def seeded_by_chance(open_deal: OpenDeal) -> Question:
    return replace(open_deal.question(), seed=4)


@pytest.mark.parametrize(
    ("ask", "words"), [(named_by_number, "handle is"), (seeded_by_chance, "seed is 4")]
)
def test_a_name_or_seed_of_another_origin_is_caught(tmp_path: Path, ask, words: str) -> None:
    found = checked(journal(tmp_path), look_alikes=0, ask=ask)
    assert found.finding_count >= found.counts.decisions - 1, "a number may be right by chance"
    assert all(words in each for each in found.findings)


def test_a_field_that_the_audit_does_not_know_is_caught() -> None:
    decision = wire.arena_pb2.Decision(hand=1).SerializeToString()
    unknown = b"\xf8\x07\x01"  # field 127, a number
    assert sent.fields(decision + unknown) == {"hand": 1, "number 127": 0}
    problems = list(Accountant(LINES[0]).check(0, sent.fields(decision + unknown)))
    assert any("'number 127'" in each for each in problems)


def test_an_unfinished_league_says_what_cannot_be_checked_yet(tmp_path: Path) -> None:
    write(tmp_path, [HEADER, *LINES[:3]])
    found = checked(tmp_path)
    assert (found.finished, found.findings, found.counts.handles) == (False, (), 0)
    assert any("handles, seeds and digests" in remark for remark in found.remarks)
    assert any(f"3 of {len(LINES)} deals" in remark for remark in found.remarks)


FORGED: list[tuple[Callable[[list[DealLine]], list[Line]], str]] = [
    (lambda lines: [*lines, lines[0]], "handle"),
    (lambda lines: [replace(lines[0], actions="pass"), *lines[1:]], "can't be replayed"),
    (lambda lines: [replace(lines[0], actions="EO"), *lines[1:]], "can't be replayed"),
    (lambda lines: [replace(lines[0], key=Key(9, 9, 9, 9, 9)), *lines[1:]], "no such deal"),
]


@pytest.mark.parametrize(("change", "words"), FORGED)
def test_what_a_journal_contradicts_is_found(tmp_path: Path, change, words: str) -> None:
    lines = change(LINES)
    forge(tmp_path / "journal.jsonl", [HEADER, *lines, footer(len(lines))])
    findings = checked(tmp_path).findings
    assert any(words in each for each in findings)


def test_a_secret_that_the_header_does_not_commit_to_is_found(tmp_path: Path) -> None:
    other = replace(footer(len(LINES)), secret="ff" * 32)
    write(tmp_path, [HEADER, *LINES, other])
    assert "commits to" in checked(tmp_path).findings[0]


def test_deals_that_were_settled_anew_are_refused(tmp_path: Path) -> None:
    origin = Origin(commitment="", chain="", rules="online", arena="0")
    write(tmp_path, [replace(HEADER, rescored_from=origin), *LINES])
    with pytest.raises(OperatorError, match="came from"):
        checked(tmp_path)


def test_a_changed_line_is_evidence(tmp_path: Path) -> None:
    file = journal(tmp_path)
    file.write_bytes(file.read_bytes().replace(b'"forehand":0', b'"forehand":2', 1))
    with pytest.raises(EvidenceError, match=r"journal\.jsonl:2: the chain"):
        checked(tmp_path)


def test_the_command_tells_people_and_programs(tmp_path: Path) -> None:
    journal(tmp_path / "good")
    told = arena("log", "audit", tmp_path / "good")
    assert (told.returncode, told.stderr) == (0, "")
    assert "findings     0" in told.stdout
    assert "unsent       0 " in told.stdout
    write(tmp_path / "short", [HEADER, *LINES[:2]])
    assert arena("log", "audit", tmp_path / "short", "--thorough").returncode == 4
    lines = [replace(LINES[0], actions="pass"), *LINES[1:]]
    forge(tmp_path / "bad" / "journal.jsonl", [HEADER, *lines, footer(len(lines))])
    bad = arena("log", "audit", tmp_path / "bad", "--json", "--look-alikes", 0)
    assert bad.returncode == 3
    assert msgspec.json.decode(bad.stdout, type=AuditFindings).finding_count == 1

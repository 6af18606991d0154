"""Deals settled by other prices: nothing is played again, and the result is believed."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena import journal_read, log_text
from arena import verify as verification
from arena.cli import main
from arena.errors import EvidenceError, OperatorError
from arena.rating import rate
from arena.records import DealLine, Header, IncidentLine
from arena.rescoring import MAY_DIFFER, Rescorer, summarize
from arena.verify import Status
from engine.model import RuleSet
from engine.ruleset import rule_set, to_mapping
from tests.arena.journals import RULES, TIME, all_lines, footer, forge, header, write
from tests.arena.runs import deals

HEADER = header(bots=4, deals=12, rules="sauspiel", slice_deals=4, session_deals=4)
LINES = all_lines(HEADER)
replace = msgspec.structs.replace


def changed(base: str = "sauspiel", **tables: dict[str, Any]) -> RuleSet:
    rules = {**RULES[base], "name": "other"}
    return rule_set({**rules, **{key: {**rules[key], **new} for key, new in tables.items()}})


DEARER = changed(
    tariff={"laufende": 30, "base": {**RULES["sauspiel"]["tariff"]["base"], "wenz": 7}}
)


@pytest.fixture
def league(tmp_path: Path) -> Path:
    incident = IncidentLine(time=TIME, incident="resumed", detail="one that is kept")
    lines = [HEADER, *LINES[:8], incident, *LINES[8:], footer(len(LINES))]
    return write(tmp_path / "league", lines)


def same_play(line: DealLine) -> tuple[object, ...]:
    settled = {"result", "payoff", "carried", "chain"}
    return tuple(getattr(line, name) for name in line.__struct_fields__ if name not in settled)


def test_the_same_rules_change_nothing(league: Path) -> None:
    rescorer = Rescorer(league, rule_set(HEADER.rules))
    found = [(replace(old, chain=""), new) for old, new in rescorer.deals()]
    assert len(found) == len(LINES)
    assert all(old == new for old, new in found)
    assert summarize(rescorer).changed == 0


def test_a_rescored_journal_is_complete_and_says_where_it_comes_from(
    league: Path, tmp_path: Path
) -> None:
    output = tmp_path / "dear.jsonl"
    assert Rescorer(league, DEARER).write(output) == len(LINES)
    findings = verification.verify(output, lambda done, size: None)
    assert (findings.status, findings.contradictions) == (Status.COMPLETE, ())
    before, after = deals(league), deals(output)
    assert [same_play(line) for line in before] == [same_play(line) for line in after]
    assert [line.payoff for line in before] != [line.payoff for line in after]
    first = journal_read.header(output)
    assert first.rules == msgspec.to_builtins(to_mapping(DEARER))
    last = journal_read.footer(league)
    assert first.rescored_from is not None
    assert last is not None
    assert first.rescored_from.chain == last.chain
    assert first.rescored_from.commitment == first.commitment == HEADER.commitment
    assert first.rescored_from.rules == "sauspiel"
    assert "played by the rules sauspiel" in log_text.text(first, first)
    kinds = [type(line) for _, line in journal_read.read(output)]
    assert kinds == [type(line) for _, line in journal_read.read(league)]
    assert not list(tmp_path.glob(".*")), "nothing is left behind"


def test_there_and_back_again(league: Path, tmp_path: Path) -> None:
    Rescorer(league, DEARER).write(tmp_path / "dear.jsonl")
    Rescorer(tmp_path / "dear.jsonl", rule_set(HEADER.rules)).write(tmp_path / "back.jsonl")

    def bare(file: Path) -> list[DealLine]:
        return [replace(line, chain="") for line in deals(file)]

    assert bare(tmp_path / "back.jsonl") == bare(league)


def test_rating_by_other_rules_is_rating_the_rescored_journal(league: Path, tmp_path: Path) -> None:
    rescorer = Rescorer(league, DEARER)
    rescorer.write(tmp_path / "dear.jsonl")
    written = rate(journal_read.header(tmp_path / "dear.jsonl"), deals(tmp_path / "dear.jsonl"))
    assert rate(rescorer.header, [new for _, new in rescorer.deals()]) == written
    assert written != rate(HEADER, deals(league))


def test_a_session_is_followed_through_what_the_new_rules_carry(
    league: Path, tmp_path: Path
) -> None:
    rules = changed(session={"bock_deals": 3, "bock_after": ["schneider", "single_game_lost"]})
    Rescorer(league, rules).write(tmp_path / "bock.jsonl")
    findings = verification.verify(tmp_path / "bock.jsonl", lambda done, size: None)
    assert (findings.status, findings.contradictions) == (Status.COMPLETE, ())
    after = deals(tmp_path / "bock.jsonl")
    doubled = [line.carried.bock > 0 for line in after if line.carried is not None]
    assert len(doubled) == len(after)
    assert any(doubled)
    for old, new, twice in zip(deals(league), after, doubled, strict=True):
        assert new.payoff == tuple(gain << twice for gain in old.payoff)


def test_the_means_are_those_of_the_lines(league: Path) -> None:
    rescorer = Rescorer(league, DEARER)
    summary = summarize(rescorer)
    assert (summary.deals, [each.bot for each in summary.bots]) == (
        len(LINES),
        [bot.name for bot in HEADER.bots],
    )
    for bot, change in enumerate(summary.bots):
        gains = [
            (old.payoff[old.seats.index(bot)], new.payoff[old.seats.index(bot)])
            for old, new in rescorer.deals()
        ]
        assert change.before == sum(gain for gain, _ in gains) / len(LINES)
        assert change.after == sum(gain for _, gain in gains) / len(LINES)


REFUSED = [
    (rule_set(RULES["sauspiel-kurz"]), "deck: 32 | 24", "other cards"),
    (changed(auction={"pass_out": "next_deal"}), "auction.pass_out", "another auction"),
    (changed(duties={"ace_discard": "free"}), "duties.ace_discard", "other duties"),
    (changed(follow={"must_trump": True}), "follow.must_trump", "other cards may be played"),
    (changed(stoss={"steps": 1}), "stoss.steps", "fewer doublings may be said"),
    (rule_set({**RULES["sauspiel"], "klopfen": False}), "klopfen", "nobody is asked"),
    (rule_set({**RULES["sauspiel"], "leader": "declarer"}), "leader", "somebody else leads"),
]


@pytest.mark.parametrize(("rules", "said", "because"), REFUSED, ids=[row[2] for row in REFUSED])
def test_rules_that_play_otherwise_are_refused(
    league: Path, rules: RuleSet, said: str, because: str
) -> None:
    with pytest.raises(OperatorError) as raised:
        Rescorer(league, rules)
    assert said in str(raised.value), because
    assert str(raised.value).endswith("may differ")


def test_every_table_is_either_tried_or_may_differ() -> None:
    tried = {said.partition(".")[0].partition(":")[0] for _, said, _ in REFUSED}
    assert tried | set(MAY_DIFFER) == set(to_mapping(DEARER))


def test_what_cannot_be_carried_is_refused(tmp_path: Path) -> None:
    single = header(bots=1, deals=4, rules="sauspiel")
    file = write(tmp_path, [single, *all_lines(single)])
    rules = changed(session={"bock_deals": 1, "bock_after": ["tie"]})
    with pytest.raises(OperatorError, match="each deal was a session of its own"):
        Rescorer(file, rules)


def test_an_unfinished_league_can_be_rated_and_not_written(tmp_path: Path) -> None:
    file = write(tmp_path, [HEADER, *LINES[:8]])
    rescorer = Rescorer(file, DEARER)
    assert summarize(rescorer).deals == 8
    with pytest.raises(OperatorError, match="isn't finished"):
        rescorer.write(tmp_path / "out.jsonl")
    assert not list(tmp_path.glob("out*"))


def test_a_file_that_is_there_stays(league: Path, tmp_path: Path) -> None:
    output = tmp_path / "kept.jsonl"
    output.write_text("mine")
    beside = tmp_path / "kept.jsonl.part"
    beside.write_text("mine too")
    with pytest.raises(OperatorError, match=r"kept\.jsonl exists"):
        Rescorer(league, DEARER).write(output)
    assert (output.read_text(), beside.read_text()) == ("mine", "mine too")
    with pytest.raises(OperatorError, match="cannot write"):
        Rescorer(league, DEARER).write(tmp_path / "nowhere" / "out.jsonl")
    with pytest.raises(OperatorError, match="cannot write"):
        Rescorer(league, DEARER).write(tmp_path / ("x" * 300))


def test_a_forged_deal_is_told_and_leaves_no_file(tmp_path: Path) -> None:
    forged = replace(LINES[2], actions=LINES[2].actions + " EO")
    lines: list[Header | DealLine] = [HEADER, *LINES[:2], forged, *LINES[3:]]
    file = forge(tmp_path / "journal.jsonl", [*lines, footer(len(LINES))])
    with pytest.raises(EvidenceError, match=r"journal.jsonl:4: action \d+ \(EO\)"):
        Rescorer(file, DEARER).write(tmp_path / "out.jsonl")
    assert not list(tmp_path.glob(".*")), "nothing is left behind"


def test_the_commands(league: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "dear.toml"
    rules.write_text('base = "sauspiel"\n[tariff]\nlaufende = 30\n')
    output = tmp_path / "dear.jsonl"
    assert main(["log", "rescore", str(league), "--rules", str(rules)]) == 0
    assert "with another payoff" in capsys.readouterr().out
    command = ["log", "rescore", str(league), "--rules", str(rules), "--output", str(output)]
    assert main(command) == 0
    assert main(["log", "verify", str(output)]) == 0
    capsys.readouterr()
    assert main(["ratings", str(output), "--json"]) == 0
    written = capsys.readouterr().out
    assert main(["ratings", str(league), "--rules", str(rules), "--json"]) == 0
    assert capsys.readouterr().out == written
    assert main(["ratings", str(league), "--rules", "online"]) == 2
    assert "other cards could have been played" in capsys.readouterr().err

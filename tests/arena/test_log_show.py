"""`arena log show`: which lines are chosen, and what is told of one bot."""

import re
from pathlib import Path

import msgspec
import pytest

from arena.commands.log_show import show
from arena.errors import OperatorError
from arena.log_text import LEGEND, gain
from arena.records import FaultLine, IncidentLine
from tests.arena.journals import TIME, all_lines, footer, header, write

HEADER = header(bots=5, deals=6)
DEALS = [
    msgspec.structs.replace(line, faults=(FaultLine(0, 0, "late", ""),)) if number == 9 else line
    for number, line in enumerate(all_lines(HEADER))
]
INCIDENTS = [
    IncidentLine(TIME, "bot_failed", "gone", shard="l0-a0-s0-d0", bot=f"bot {bot}")
    for bot in (3, 1)
]
MINE = [line for line in DEALS if 3 in line.seats]


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("league")
    write(folder, [HEADER, *DEALS, *INCIDENTS, footer(len(DEALS))])
    return folder


def deals_in(text: str) -> list[str]:
    return re.findall(r"^deal .*", text, re.MULTILINE)


def test_of_a_bot_the_deals_in_which_it_sat(
    league: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show(league, bot="bot 3")
    text = capsys.readouterr().out
    assert len(deals_in(text)) == len(MINE) < len(DEALS)
    told = re.findall(r"^  bot 3 in seat (\d): (.+), ([+-]\d+)$", text, re.MULTILINE)
    assert [(int(seat), int(payoff)) for seat, _, payoff in told] == [
        (line.seats.index(3), gain(line, 3)) for line in MINE
    ]
    for line, (seat, role, _) in zip(MINE, told, strict=True):
        result = line.result
        if result.game is not None and result.declarer is not None:
            on_side = int(seat) in result.side
            assert (role in ("declarer", "partner")) == on_side
            assert (role == "declarer") == (int(seat) == result.declarer)
    assert {role for _, role, _ in told} >= {"declarer", "partner", "opponent"}


def test_the_worst_deals_of_a_bot_come_dearest_first(
    league: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show(league, bot="bot 3", worst=4)
    payoffs = re.findall(r"^  bot 3 in seat .*, ([+-]\d+)$", capsys.readouterr().out, re.MULTILINE)
    assert [int(payoff) for payoff in payoffs] == sorted(gain(line, 3) for line in MINE)[:4]


def test_json_has_the_same_deals_as_they_are(
    league: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show(league, bot="bot 3", worst=2, json_output=True)
    lines = list(map(msgspec.json.decode, capsys.readouterr().out.splitlines()))
    assert [line["kind"] for line in lines] == ["deal", "deal"]
    show(league, bot="bot 3", worst=1, deal=2, json_output=True)
    (line,) = map(msgspec.json.decode, capsys.readouterr().out.splitlines())
    assert line["key"][4] == 2


def test_a_bot_in_several_seats_is_told_of_in_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twins = header(bots=2, deals=2)
    write(tmp_path, [twins, *all_lines(twins)])
    show(tmp_path, bot="bot 0", last=1)
    assert capsys.readouterr().out.count("  bot 0 in seat ") == 2


def test_faults_and_incidents_of_one_bot(league: Path, capsys: pytest.CaptureFixture[str]) -> None:
    culprit = HEADER.bots[DEALS[9].seats[0]].name
    other = HEADER.bots[DEALS[9].seats[1]].name
    show(league, bot=culprit, faults=True)
    assert len(deals_in(capsys.readouterr().out)) == 1
    show(league, bot=other, faults=True)
    assert capsys.readouterr() == ("", "no such lines\n")
    show(league, bot="bot 1", incidents=True)
    assert capsys.readouterr().out.count("bot_failed") == 1


def test_people_are_told_once_what_the_letters_mean(
    league: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show(league)
    assert capsys.readouterr().out.count(LEGEND) == 1
    show(league, last=2)
    assert capsys.readouterr().out.startswith(LEGEND) is False, "no deal is among them"
    show(league, deal=1)
    assert capsys.readouterr().out.startswith(f"{LEGEND}\ndeal 1, ")
    show(league, deal=1, json_output=True)
    assert LEGEND not in capsys.readouterr().out


REFUSED = [
    ({"bot": "bto 3"}, "no bot 'bto 3' .* there are 'bot", "a slip"),
    ({"bot": "zzz"}, "there are 'bot 0', 'bot 1', 'bot 2', 'bot 3', 'bot 4'$", "nothing alike"),
    ({"worst": 3}, "say which with --bot NAME", "of whom?"),
    ({"bot": "bot 3", "worst": 0}, "--worst 0: at least one", "none"),
    ({"last": 0}, "--last 0: at least one", "none"),
    ({"bot": "bot 3", "worst": 2, "last": 2}, "leave out one of them", "both choose"),
    ({"bot": "bot 3", "worst": 2, "incidents": True}, "leave out what asks for some", "no deals"),
    ({"deal": 3, "incidents": True}, "leave out what asks for some", "no deals"),
]


@pytest.mark.parametrize(("options", "said", "because"), REFUSED)
def test_what_is_refused(league: Path, options: dict, said: str, because: str) -> None:
    with pytest.raises(OperatorError, match=said):
        show(league, **options)

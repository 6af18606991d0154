"""A sample of games that were really played; `make records` replays them all."""

import json

import pytest

from tests.records import Report, check, check_all, folder, read

RECORDS = folder() / "records.jsonl"
needs_records = pytest.mark.skipif(
    not RECORDS.is_file(),
    reason=f"{RECORDS} is missing; set SCHAFKOPF_RECORDS to the folder of the reference games",
)


@needs_records
def test_a_sample_agrees():
    report = check_all(RECORDS, every=7)
    assert report.differences == []
    kinds = {kind for _, kind, _ in report.played}
    assert kinds == {"rufspiel", "wenz", "solo", "farbwenz", "farbgeier", "geier", "ramsch"}
    assert {deck for _, _, deck in report.played} == {"long", "short"}
    assert report.compared["payoff"] > 150
    assert report.compared["legal play"] > 15000


RUF = {"kind": "rufspiel"}
RAMSCH = {"kind": "ramsch"}

SPOILED = [
    # field, what sort of game, how it is spoiled
    ("payoff", RUF, lambda r: r["recorded"]["payoff"].reverse()),
    ("points_opponents", RUF, lambda r: r["recorded"].update(points_opponents=121)),
    ("declarer_won", RUF, lambda r: r["recorded"].update(declarer_won="no")),
    ("laufende", RUF, lambda r: r["recorded"].update(laufende=1)),
    ("schneider", RUF, lambda r: r["recorded"].update(schneider="no")),
    ("schwarz", RUF, lambda r: r["recorded"].update(schwarz="no")),
    ("stock_after", RUF, lambda r: r["recorded"].update(stock_after=1)),
    ("trick winner", RUF, lambda r: r["trick_winners"].reverse()),
    ("partner", RUF, lambda r: r.update(partner=r["game"]["declarer"])),
    ("legal play", RUF, lambda r: r["plays"].reverse()),
    ("plays", RUF, lambda r: r["plays"].pop()),
    ("announcement", RUF, lambda r: r["game"].update(declarer=r["partner"])),
    ("value", RUF, lambda r: r.update(doublings=r["doublings"] + 1)),
    ("payoff", RUF, lambda r: r.update(doubled_by=[0, 1])),
    ("kontra side", RUF, lambda r: r.update(kontra_by=[r["partner"]])),
    ("weather", RUF, lambda r: r["recorded"].update(weather="fine")),
    ("loser", RAMSCH, lambda r: r["recorded"].update(loser=4)),
    ("points_loser", RAMSCH, lambda r: r["recorded"].update(points_loser=121)),
    ("jungfrau", RAMSCH, lambda r: r["recorded"].update(jungfrau=[0, 1, 2])),
    ("tie", RAMSCH, lambda r: r["recorded"].update(tie="no")),
    ("payoff", RAMSCH, lambda r: r["recorded"]["payoff"].reverse()),
    ("points_declarer", {"deck": "short"}, lambda r: r["recorded"].update(points_declarer=0)),
    ("auction", {"deck": "short"}, lambda r: r["auction"].pop()),
]


def fits(record, sort):
    """Whether a record is of this sort, and says what the table spoils."""
    if "deck" in sort:
        return record["deck"] == sort["deck"] and record["auction"] is not None
    kind, recorded = record["game"]["kind"], record["recorded"]
    if kind != sort["kind"] or record["deck"] == "short" or "value" not in recorded:
        return False
    return kind != "ramsch" or len(set(recorded["payoff"][::3])) == 2


@needs_records
@pytest.mark.parametrize(
    ("name", "sort", "spoil"), SPOILED, ids=[f"{row[0]}-{n}" for n, row in enumerate(SPOILED)]
)
def test_a_spoiled_record_is_noticed(name, sort, spoil):
    record = next(r for r in read(RECORDS) if fits(r, sort))
    fine, spoiled = Report(), Report()
    check(json.loads(json.dumps(record)), fine)
    assert fine.differences == []
    spoil(record)
    check(record, spoiled)
    assert any(f": {name}: " in difference for difference in spoiled.differences)

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
    assert {kind for _, kind in report.played} == {"rufspiel", "wenz", "solo"}
    assert report.compared["payoff"] > 100
    assert report.compared["legal play"] > 14000


SPOILED = [
    # field, how it is spoiled
    ("payoff", lambda r: r["recorded"]["payoff"].reverse()),
    ("points_opponents", lambda r: r["recorded"].update(points_opponents=121)),
    ("declarer_won", lambda r: r["recorded"].update(declarer_won="no")),
    ("laufende", lambda r: r["recorded"].update(laufende=1)),
    ("trick winner", lambda r: r["trick_winners"].reverse()),
    ("partner", lambda r: r.update(partner=r["game"]["declarer"])),
    ("legal play", lambda r: r["plays"].reverse()),
    ("announcement", lambda r: r["game"].update(declarer=r["partner"])),
    ("value", lambda r: r.update(doublings=r["doublings"] + 1)),
    ("kontra side", lambda r: r.update(kontra_by=[r["partner"]])),
]


@needs_records
@pytest.mark.parametrize(("name", "spoil"), SPOILED, ids=[row[0] for row in SPOILED])
def test_a_spoiled_record_is_noticed(name, spoil):
    record = next(
        r
        for r in read(RECORDS)
        if r["game"]["kind"] == "rufspiel" and r["deck"] == "long" and "value" in r["recorded"]
    )
    fine, spoiled = Report(), Report()
    check(json.loads(json.dumps(record)), fine)
    assert fine.differences == []
    spoil(record)
    check(record, spoiled)
    assert any(f": {name}: " in difference for difference in spoiled.differences)

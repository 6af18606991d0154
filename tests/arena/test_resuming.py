"""What forbids a league to go on, in sentences."""

import msgspec
import pytest

from arena.records import Limits, Recording
from arena.resuming import compare_headers
from tests.arena.journals import header

CHANGED = [
    ({"league": "other"}, ["name", "'test'", "'other'"]),
    ({"commitment": "ff"}, ["secret"]),
    ({"open": True}, ["openness"]),
    ({"created": "later"}, []),
    ({"arena": "9"}, ["arena's version"]),
    ({"protocol": 9}, ["protocol"]),
    ({"isolation": "bubblewrap"}, []),
    ({"isolation": "none"}, ["kept apart by landlock", "by none alone"]),
]


@pytest.mark.parametrize(("change", "said"), CHANGED)
def test_headers_that_differ(change: dict[str, object], said: list[str]) -> None:
    differences = compare_headers(header(), msgspec.structs.replace(header(), **change))
    assert len(differences) == bool(said)
    assert all(word in difference for difference in differences for word in said)


def test_headers_that_differ_inside() -> None:
    old = header(bots=3)
    replace = msgspec.structs.replace
    rules = msgspec.json.decode(msgspec.json.encode(old.rules))
    rules["stoss"]["steps"] = 0
    first, second, third = old.bots
    changed = [
        (replace(old, rules=rules), "rules.stoss.steps was 4 and is now 0."),
        (
            replace(old, limits=replace(old.limits, decision_ms=7)),
            f"limits.decision_ms was {Limits().decision_ms} and is now 7.",
        ),
        (replace(old, recording=Recording(sent=True)), "journal.sent was False and is now True."),
        (
            replace(old, schedule=replace(old.schedule, deals=8)),
            "schedule.deals was 4 and is now 8.",
        ),
        (
            replace(old, schedule=replace(old.schedule, lineups=((0, 0, 1, 2),))),
            "The lineups are others: 3 were planned, now 1.",
        ),
        (
            replace(old, bots=(first, second, replace(third, digest="f" * 64))),
            "Bot 'bot 2' was changed: its files had the digest 000000000000...",
        ),
        (
            replace(old, bots=(first, second, replace(third, version="2"))),
            "Bot 'bot 2' had version 1 and now has 2.",
        ),
        (
            replace(old, bots=(first, second, replace(third, readable=("/data", "/model")))),
            "Bot 'bot 2' could read nothing beside its own and may now read /data, /model.",
        ),
        (replace(old, open_deals=1), "open_deals was not set and is now 1."),
        (replace(old, bots=(second, first, third)), "The bots stood in the order bot 0, bot 1"),
        (replace(old, bots=(first, second)), "Bot 'bot 2' no longer takes part."),
        (replace(old, bots=(*old.bots, replace(first, name="new"))), "Bot 'new' is new."),
    ]
    for new, sentence in changed:
        (difference,) = compare_headers(old, new)
        assert difference.startswith(sentence)

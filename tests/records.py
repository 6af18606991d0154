"""Replay games that were really played, and compare what was written down about them.

The games lie outside the project: in the folder that SCHAFKOPF_RECORDS names, else in
`shared/records` beside the project. A record holds hands, game, plays and what its source
wrote down; a field that the source lacks is null and isn't compared.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.action_ids import play_of
from engine.cards import card_name, mask_of, parse_card
from engine.model import Deal, RuleSet, Settlement
from engine.rules import new_deal, play
from engine.ruleset import rule_set
from engine.scoring import settle
from engine.variants import GAMES
from tests.engine.support import announce, mapping_of

DEFAULT_FOLDER = Path(__file__).parent.parent.parent / "shared" / "records"
SUITS = {"S": "schellen", "H": "herz", "G": "gras", "E": "eichel"}
PLAYABLE = {"rufspiel", "wenz", "solo"}

SKIPPED = """\
Not compared:
- fields that are null or missing: the source didn't write them down (mostly payoffs, and
  the winner of the last trick, which pages don't show)
- value_chain: its last link is the value, which is compared; stock_after: a pot of its own
- when a Stoß was said: no source tells; who said it is checked against the sides
- doublings (Klopfen): the engine doesn't play them yet, so each doubles its result here"""


@dataclass
class Report:
    """What was found so far."""

    played: Counter[tuple[str, str]] = field(default_factory=Counter)
    waiting: Counter[tuple[str, str]] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def compare(self, record: dict[str, Any], name: str, recorded: Any, found: Any) -> None:
        """Note whether a field agrees; null is unknown."""
        if recorded is None:
            return
        self.compared[name] += 1
        if recorded != found:
            self.differences.append(f"{record['id']}: {name}: recorded {recorded}, found {found}")


def folder() -> Path:
    return Path(os.environ.get("SCHAFKOPF_RECORDS", DEFAULT_FOLDER))


def read(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def game_key(game: dict[str, Any]) -> str | None:
    """Return the engine's name of a recorded game; nothing where it doesn't play it yet."""
    if game["kind"] not in PLAYABLE or game["sie"]:
        return None
    parts = [game["kind"], *(["tout"] if game["tout"] else [])]
    if game["suit"]:
        parts.append(SUITS[game["suit"]])
    key = "-".join(parts)
    return key if key in GAMES else None


def rules_of(tariff: dict[str, Any] | None) -> RuleSet:
    """Return the online program's rules with the prices of the record's table."""
    mapping = mapping_of("online")
    mapping["name"] = "recorded"
    if tariff is not None:
        prices = mapping["tariff"]
        single = tariff.get("solo", prices["base"]["solo"])
        prices["base"] |= {
            "rufspiel": tariff.get("rufspiel", prices["base"]["rufspiel"]),
            "wenz": single,
            "solo": single,
        }
        prices |= {"schneider": tariff["schneider"], "schwarz": tariff["schwarz"]}
        prices["laufende"] = tariff["run"]
        rows = tariff["run_min"].items()
        # Some tables write a row that is longer than any for one that never pays.
        mapping["laufende"]["minimum"] |= {k: min(n, 32) for k, n in rows if k in PLAYABLE}
    return rule_set(mapping)


def play_record(record: dict[str, Any], key: str, report: Report) -> Deal | None:
    """Play a record; nothing where the engine refuses one of its steps."""
    a, b, c, d = (mask_of(map(parse_card, hand)) for hand in record["hands"])
    deal = new_deal(rules_of(record["tariff"]), (a, b, c, d), record["forehand"])
    announce(deal, key, record["game"]["declarer"])
    found = deal.game.key if deal.game is not None else None
    report.compare(record, "announcement", key, found)
    if found != key:
        return None
    plays = [(seat, parse_card(card)) for seat, card in record["plays"]]
    for seat, card in plays:
        if deal.finished:
            break
        legal = seat == deal.turn and play_of(card) in deal.legal
        may = (seat, card_name(card)) if legal else "refused"
        report.compare(record, "legal play", (seat, card_name(card)), may)
        if not legal:
            return None
        play(deal, play_of(card))
    found_plays = [(laid >> 5, laid & 31) for laid in deal.plays]
    report.compare(record, "plays", plays, found_plays)
    return deal


def trick_winners(deal: Deal) -> list[int]:
    """Return who took each trick: who led the next; the last is found by counting."""
    led = [deal.plays[n] >> 5 for n in range(4, len(deal.plays), 4)]
    missing = Counter(dict(enumerate(deal.tricks)))
    missing.subtract(led)
    return [*led, *missing.elements()]


def check(record: dict[str, Any], report: Report) -> None:
    """Replay a record and compare everything that its source wrote down."""
    group = (record["source"]["origin"], record["game"]["kind"])
    key = game_key(record["game"])
    if record["deck"] != "long" or key is None:
        report.waiting[group] += 1
        return
    report.played[group] += 1
    deal = play_record(record, key, report)
    if deal is None:
        return
    winners = trick_winners(deal)
    for recorded, found in zip(record["trick_winners"], winners, strict=True):
        report.compare(record, "trick winner", recorded, found)
    partner = [s for s in range(4) if deal.side >> s & 1 and s != deal.declarer]
    report.compare(record, "partner", record["partner"], partner[0] if partner else None)
    check_sides(record, deal, report)
    deal.stoss = bytearray(record["kontras"] or 0)
    check_result(record, deal, settle(deal), report)


def check_sides(record: dict[str, Any], deal: Deal, report: Report) -> None:
    """See that the sides took turns in doubling, the opponents first."""
    for step, seat in enumerate(record["kontra_by"] or ()):
        report.compare(record, "kontra side", step % 2 == 1, bool(deal.side >> seat & 1))


def signed_laufende(deal: Deal, end: Settlement) -> int:
    """Return the row that paid as protocols write it: below zero when the side lacks it."""
    assert deal.order is not None
    top = deal.order.ranked_trumps[0]
    held = any(deal.dealt[seat] >> top & 1 for seat in end.side)
    return end.laufende if held else -end.laufende


def check_result(record: dict[str, Any], deal: Deal, end: Settlement, report: Report) -> None:
    recorded = record["recorded"]
    on_side = sum(deal.points[seat] for seat in end.side)
    payoff = [paid << (record["doublings"] or 0) for paid in end.payoff]
    found = {
        "points_declarer": on_side,
        "points_opponents": sum(deal.points) - on_side,
        "declarer_won": end.won,
        "schneider": end.schneider,
        "schwarz": end.schwarz,
        "laufende": signed_laufende(deal, end),
        "value": min(map(abs, payoff)),
        "payoff": payoff,
    }
    for name, value in found.items():
        report.compare(record, name, recorded.get(name), value)


def check_all(path: Path, every: int = 1) -> Report:
    """Replay the records of a file, or each n-th of them."""
    report = Report()
    for number, record in enumerate(read(path)):
        if number % every == 0:
            check(record, report)
    return report


def show(report: Report) -> None:
    for title, counts in (("Replayed", report.played), ("Not yet playable", report.waiting)):
        print(f"{title}:")
        for (origin, kind), count in sorted(counts.items()):
            print(f"  {count:5} {kind:10} {origin}")
    print("Compared:")
    for name, count in sorted(report.compared.items()):
        print(f"  {count:6} {name}")
    print(SKIPPED)
    for difference in report.differences:
        print(difference)
    total = sum(report.played.values())
    compared = sum(report.compared.values())
    print(
        f"total: {total} records, {compared} fields compared, {len(report.differences)} differences"
    )


def main() -> int:
    path = folder() / "records.jsonl"
    if not path.is_file():
        print(f"no records to replay: {path} is missing; set SCHAFKOPF_RECORDS to their folder")
        return 0
    report = check_all(path)
    show(report)
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())

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
from functools import cache
from pathlib import Path
from typing import Any

from engine.action_ids import KLOPFEN, NO_KLOPFEN, play_of
from engine.actions import action_name
from engine.cards import card_name, mask_of, members, parse_card
from engine.model import Deal, Four, RuleSet, Settlement
from engine.rules import new_deal, play
from engine.ruleset import rule_set
from engine.scoring import settle
from tests.engine.chance import announce
from tests.engine.support import mapping_of, say

DEFAULT_FOLDER = Path(__file__).parent.parent.parent / "shared" / "records"
SUITS = {"S": "schellen", "H": "herz", "G": "gras", "E": "eichel"}
DECKS = {"long": "sauspiel", "short": "sauspiel-kurz"}
"""The rule set that plays the games of a deck: it knows every kind that was recorded."""

AUCTION_WORDS = {
    "pass": "pass",
    "play": "bid",
    "rufspiel": "bid-rufspiel",
    "rufspiel E": "rufspiel-eichel",
}

NOT_COMPARED = """\
Not compared:
- fields that are null or missing: the source didn't write them down (mostly payoffs, and
  the winner of the last trick, which pages don't show)
- most auctions: one source kept one; elsewhere the declarer announces his game alone
- when a Stoß was said: no source tells; who said it is checked against the sides
- a Stoß or Klopfen of an unknown seat: its number alone doubles the result
- the value of one deal as a chain of factors: its last link is the value, which is compared
"""

Group = tuple[str, str, str]
"""Origin, kind of game, deck."""


@dataclass
class Report:
    """What was found so far."""

    played: Counter[Group] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def compare(self, record: dict[str, Any], name: str, recorded: Any, found: Any) -> None:
        """Note whether a field agrees; null is unknown."""
        if recorded is None:
            self.unknown[name] += 1
            return
        self.compared[name] += 1
        if recorded != found:
            self.differences.append(f"{record['id']}: {name}: recorded {recorded}, found {found}")


def folder() -> Path:
    return Path(os.environ.get("SCHAFKOPF_RECORDS", DEFAULT_FOLDER))


def read(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def game_key(game: dict[str, Any]) -> str:
    """Return the engine's name of a recorded game; a Tout that isn't stated is none."""
    parts = [game["kind"], *(["tout"] if game["tout"] else [])]
    if game["suit"]:
        parts.append(SUITS[game["suit"]])
    return "-".join(parts)


def rules_of(record: dict[str, Any]) -> RuleSet:
    """Return the rules of an online table with the prices of the record's table."""
    return _rules(record["deck"], json.dumps(record["tariff"]))


@cache
def _rules(deck: str, prices_text: str) -> RuleSet:
    tariff = json.loads(prices_text)
    mapping = mapping_of(DECKS[deck])
    mapping["name"] = "recorded"
    mapping["ramsch"]["durchmarsch"] = "off"  # the programs that played Ramsch know none
    if tariff is not None:
        prices = mapping["tariff"]
        base = {kind: tariff.get("solo", price) for kind, price in prices["base"].items()}
        base["rufspiel"] = tariff.get("rufspiel", prices["base"]["rufspiel"])
        base["ramsch"] = tariff.get("ramsch", base["rufspiel"])
        prices["base"] = base
        prices |= {"schneider": tariff["schneider"], "schwarz": tariff["schwarz"]}
        prices["laufende"] = tariff["run"]
        # Some tables write a row that is longer than any for one that never pays.
        rows = {kind: min(length, 32) for kind, length in tariff["run_min"].items()}
        mapping["laufende"]["minimum"] |= rows
    return rule_set(mapping)


def first_halves(hands: Four) -> Four:
    """Return some half of each hand: which half the players saw first isn't recorded."""
    a, b, c, d = (mask_of(list(members(hand))[: hand.bit_count() // 2]) for hand in hands)
    return a, b, c, d


def begin(record: dict[str, Any]) -> Deal:
    """Deal the recorded hands, and let those double who did so before the auction."""
    a, b, c, d = (mask_of(map(parse_card, hand)) for hand in record["hands"])
    hands = (a, b, c, d)
    rules = rules_of(record)
    deal = new_deal(rules, hands, record["forehand"], first_halves(hands))
    doubling = record["doubled_by"]
    if doubling is None:  # the seats are unknown, and the number is enough
        doubling = range(record["doublings"] or 0)
    for _ in range(4):
        play(deal, KLOPFEN if deal.turn in doubling else NO_KLOPFEN)
    return deal


def play_record(record: dict[str, Any], report: Report) -> Deal | None:
    """Play a record; nothing where the engine refuses one of its steps."""
    key = game_key(record["game"])
    deal = begin(record)
    if record["game"]["declarer"] is None:
        say(deal, "pass pass pass pass")
    else:
        said = announce(deal, key, record["game"]["declarer"])
        compare_auction(record, said, report)
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


def compare_auction(record: dict[str, Any], said: list[int], report: Report) -> None:
    """Compare what was said; the declarer of the one recorded auction was its only bidder."""
    recorded = record["auction"]
    if recorded is not None:
        recorded = [AUCTION_WORDS[text] for _, text in recorded]
    report.compare(record, "auction", recorded, [action_name(action) for action in said])


def trick_winners(deal: Deal) -> list[int]:
    """Return who took each trick: who led the next; the last is found by counting."""
    led = [deal.plays[n] >> 5 for n in range(4, len(deal.plays), 4)]
    missing = Counter(dict(enumerate(deal.tricks)))
    missing.subtract(led)
    return [*led, *missing.elements()]


def check(record: dict[str, Any], report: Report) -> None:
    """Replay a record and compare everything that its source wrote down."""
    report.played[record["source"]["origin"], record["game"]["kind"], record["deck"]] += 1
    deal = play_record(record, report)
    if deal is None:
        return
    winners = trick_winners(deal)
    for recorded, found in zip(record["trick_winners"], winners, strict=True):
        report.compare(record, "trick winner", recorded, found)
    partner = [s for s in range(4) if deal.side >> s & 1 and s != deal.declarer]
    report.compare(record, "partner", record["partner"], partner[0] if partner else None)
    check_sides(record, deal, report)
    deal.stoss = bytearray(record["kontras"] or 0)
    end = settle(deal)
    check_result(record, end, {**by_sides(deal, end), **of_ramsch(deal, end)}, report)


def check_sides(record: dict[str, Any], deal: Deal, report: Report) -> None:
    """See that the sides took turns in doubling, the opponents first."""
    for step, seat in enumerate(record["kontra_by"] or ()):
        report.compare(record, "kontra side", step % 2 == 1, bool(deal.side >> seat & 1))


def check_result(
    record: dict[str, Any], end: Settlement, found: dict[str, Any], report: Report
) -> None:
    always = {
        "schneider": end.schneider,
        "schwarz": end.schwarz,
        "value": min(map(abs, end.payoff)),
        "payoff": list(end.payoff),
        "stock_after": 0,
    }
    recorded = record["recorded"]
    for name, value in {**always, **found}.items():
        report.compare(record, name, recorded.get(name), value)
    for name in set(recorded) - {*always, *found, "value_chain"}:
        report.compare(record, name, recorded[name], "no such thing")


def by_sides(deal: Deal, end: Settlement) -> dict[str, Any]:
    """Return what only games with a declarer have."""
    if not end.side:
        return {"laufende": 0}
    on_side = sum(deal.points[seat] for seat in end.side)
    return {
        "points_declarer": on_side,
        "points_opponents": sum(deal.points) - on_side,
        "declarer_won": end.won,
        "laufende": signed_laufende(deal, end),
    }


def signed_laufende(deal: Deal, end: Settlement) -> int:
    """Return the row that paid as protocols write it: below zero when the side lacks it."""
    assert deal.order is not None
    top = deal.order.ranked_trumps[0]
    held = any(deal.dealt[seat] >> top & 1 for seat in end.side)
    return end.laufende if held else -end.laufende


def of_ramsch(deal: Deal, end: Settlement) -> dict[str, Any]:
    """Return what only games without a declarer have."""
    if end.side:
        return {}
    loser = min(range(4), key=end.payoff.__getitem__)
    most = max(deal.points)
    return {
        "loser": loser,
        "points_loser": deal.points[loser],
        "jungfrau": [seat for seat in range(4) if not deal.tricks[seat]],
        "tie": deal.points.count(most) > 1,
    }


def check_all(path: Path, every: int = 1) -> Report:
    """Replay the records of a file, or each n-th of them."""
    report = Report()
    for number, record in enumerate(read(path)):
        if number % every == 0:
            check(record, report)
    return report


def show(report: Report) -> None:
    print("Replayed:")
    for (origin, kind, deck), count in sorted(report.played.items()):
        print(f"  {count:5} {kind:10} {deck:6} {origin}")
    print("Compared, and unknown to the source:")
    for name in sorted({*report.compared, *report.unknown}):
        print(f"  {report.compared[name]:6} {report.unknown[name]:6} {name}")
    print(NOT_COMPARED, end="")
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

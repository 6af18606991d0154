"""Settles played deals by other prices: every deal is replayed, none is played again."""

import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, get_type_hints

import msgspec

from arena import journal_read, rulebook
from arena.deal_line import carried_line, conduct_of, deal_line
from arena.errors import OperatorError
from arena.records import DealLine, Header, Key, Line, Origin, encode_body
from arena.rule_text import said
from arena.verify_deal import LineError, replay_line
from engine.model import NOTHING_CARRIED, Carried, RuleSet
from engine.ruleset import rule_set, to_mapping
from engine.scoring import settle
from engine.session import carry
from engine.switches import LaufendeRules, RamschRules, SessionRules, Tariff, Thresholds

_SETTLING: Final = (Tariff, LaufendeRules, Thresholds, RamschRules, SessionRules)
MAY_DIFFER: Final = (
    *rulebook.OWN,
    *(key for key, kind in get_type_hints(RuleSet).items() if kind in _SETTLING),
)
"""Tables of a rule set that say what a deal is worth, but not what may be played."""


class Rescorer:
    """Settles the deals of one journal, in the journal's order.

    Raises OperatorError when by these rules other cards could have been played.
    """

    def __init__(self, place: Path, rules: RuleSet) -> None:
        self.file = journal_read.locate(place)
        self.before = journal_read.header(self.file)
        self._rules = rules
        self._refuse_other_play()
        footer = journal_read.footer(self.file)
        self.finished = footer is not None
        """Whether the league is over, so that the journal changes no more."""
        origin = Origin(
            commitment=self.before.commitment,
            chain="" if footer is None else footer.chain,
            rules=str(self.before.rules.get("name")),
            arena=version("schafkopf-arena"),
        )
        self.header: Header = msgspec.structs.replace(
            self.before, rules=to_mapping(rules), rescored_from=origin, chain=""
        )
        """What the rescored journal begins with."""
        self._left: tuple[Key, Carried] | None = None

    def deals(self) -> Iterator[tuple[DealLine, DealLine]]:
        """Yield each deal as it was and as it is now. Raises EvidenceError."""
        for number, line in journal_read.read(self.file):
            if isinstance(line, DealLine):
                yield line, self._settled(number, line)

    def write(self, output: Path) -> int:
        """Write the rescored journal to a new file; return how many deals it has.

        Raises OperatorError also when the league isn't finished, and EvidenceError.
        """
        if not self.finished:
            raise OperatorError(f"{self.file} isn't finished; a journal is rescored at its end")
        try:
            if output.exists():
                raise OperatorError(f"{output} exists; choose another name or remove it first")
            with TemporaryDirectory(prefix=".rescored-", dir=output.parent) as folder:
                whole = Path(folder) / output.name
                deals = self._write(whole)
                whole.rename(output)
        except OSError as error:
            raise OperatorError(f"cannot write {output}: {error.strerror}") from None
        return deals

    def _write(self, whole: Path) -> int:
        deals = 0
        chain = journal_read.CHAIN_START
        with whole.open("xb") as stream:
            for line in self._lines():
                body = encode_body(line)
                chain = journal_read.chained(chain, body)
                stream.write(journal_read.with_chain(body, chain))
                deals += isinstance(line, DealLine)
            stream.flush()
            os.fsync(stream.fileno())
        return deals

    def _lines(self) -> Iterator[Line]:
        """Yield all lines of the rescored journal, ready to be chained."""
        for number, line in journal_read.read(self.file):
            match line:
                case Header():
                    yield self.header
                case DealLine():
                    yield self._settled(number, line)
                case _:
                    yield msgspec.structs.replace(line, chain="")

    def _settled(self, number: int, line: DealLine) -> DealLine:
        """Settle a deal with what its session has left by now."""
        carried = self._carried(number, line.key)
        carries = self._rules.session.carries
        moved = msgspec.structs.replace(line, carried=carried_line(carried) if carries else None)
        try:
            deal, turns = replay_line(moved, self._rules)
        except LineError as problem:
            raise journal_read.evidence(self.file, number, str(problem)) from None
        self._left = line.key, carry(deal, settle(deal))
        conduct = conduct_of(line)
        actions = bytes([turn.action for turn in turns])
        return deal_line(line.key, line.seats, deal, actions, conduct)

    def _carried(self, number: int, key: Key) -> Carried:
        if not self._rules.session.carries:
            return NOTHING_CARRIED
        if key.deal % self.before.schedule.session_deals == 0:
            return NOTHING_CARRIED
        earlier = msgspec.structs.replace(key, deal=key.deal - 1)
        if self._left is None or self._left[0] != earlier:
            problem = "the line before isn't the deal before in the same session"
            raise journal_read.evidence(self.file, number, problem)
        return self._left[1]

    def _refuse_other_play(self) -> None:
        played = rule_set(self.before.rules)
        found = [
            each
            for each in rulebook.differing(played, self._rules)
            if each.key.partition(".")[0] not in MAY_DIFFER
        ]
        if found:
            listed = "".join(
                f"\n  {each.key}: {said(each.before)} | {said(each.after)}" for each in found
            )
            allowed = ", ".join(name for name in MAY_DIFFER if name not in rulebook.OWN)
            raise OperatorError(
                f"by the rules {self._rules.name!r} other cards could have been played than in "
                f"{self.file}:{listed}\nonly {allowed} may differ"
            )
        if self._rules.session.carries and self.before.schedule.session_deals == 1:
            raise OperatorError(
                f"the rules {self._rules.name!r} carry something from deal to deal, but in "
                f"{self.file} each deal was a session of its own"
            )


class Change(msgspec.Struct, frozen=True):
    """One bot's mean payoff per deal by the old and by the new rules; None without a deal."""

    bot: str
    before: float | None
    after: float | None


class Summary(msgspec.Struct, frozen=True):
    """What other rules make of a journal."""

    deals: int
    changed: int
    """Deals with another payoff."""
    bots: tuple[Change, ...]


def summarize(rescorer: Rescorer) -> Summary:
    """Settle all deals and sum up. Raises EvidenceError."""
    deals = changed = 0
    names = [bot.name for bot in rescorer.before.bots]
    held, before, after = ([0] * len(names) for _ in range(3))
    for old, new in rescorer.deals():
        deals += 1
        changed += old.payoff != new.payoff
        for seat, bot in enumerate(old.seats):
            held[bot] += 1
            before[bot] += old.payoff[seat]
            after[bot] += new.payoff[seat]
    means = zip(names, held, before, after, strict=True)
    return Summary(
        deals,
        changed,
        tuple(
            Change(name, old / count if count else None, new / count if count else None)
            for name, count, old, new in means
        ),
    )

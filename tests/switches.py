"""Turn each switch of each shipped rule set to its other values, and see what notices.

A value is heard when a situation of the tests comes out differently, and refused when the
rule set can't be played with it. What is neither has no effect in that rule set: a duty of
the called ace where no ace is called, say.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

from engine.errors import EngineError
from engine.model import RuleSet
from engine.ruleset import to_mapping
from tests.engine.support import SHIPPED, changed, shipped
from tests.engine.switch_keys import CLOSED, DESCRIBES
from tests.engine.switch_rows import SWITCHES

SITUATIONS = {situation for _, _, _, situation, *_ in SWITCHES}


def outcomes(rules: RuleSet) -> list[object]:
    """Return what comes out of every situation; one that doesn't fit the rules is an outcome."""
    found: list[object] = []
    for situation in SITUATIONS:
        try:
            found.append(situation(rules))
        except (AssertionError, EngineError, KeyError, StopIteration) as error:
            found.append(type(error))
    return found


def keys_of(mapping: dict[str, object], path: str = "") -> Iterator[tuple[str, object]]:
    for key, value in mapping.items():
        if isinstance(value, dict):
            yield from keys_of(value, f"{path}{key}.")
        elif path + key not in DESCRIBES:
            yield f"{path}{key}", value


def others(key: str, value: object) -> list[object]:
    """Return other values: all of a closed list, the neighbours of a number, and the tests'."""
    tried = [row_value for row_key, _, row_value, *_ in SWITCHES if row_key == key]
    if key in CLOSED:
        tried += sorted(CLOSED[key], key=str)
    elif isinstance(value, int):
        tried += [value - 1, value + 1]
    return [other for n, other in enumerate(tried) if other != value and other not in tried[:n]]


def verdict(rules: RuleSet, key: str, value: object, before: list[object]) -> str:
    try:
        flipped = changed(rules, {key: value})
    except EngineError:
        return "refused"
    return "heard" if outcomes(flipped) != before else "no effect"


def tables() -> Iterator[tuple[str, RuleSet]]:
    """Yield the shipped rule sets, and those that the tests' situations need besides."""
    seen = []
    for name in SHIPPED:
        seen.append(shipped(name))
        yield name, seen[-1]
    for key, rules, *_ in SWITCHES:
        if rules not in seen:
            seen.append(rules)
            yield f"for {key}", rules


def main() -> int:
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, rules in tables():
        before = outcomes(rules)
        counts: Counter[str] = Counter()
        for key, value in keys_of(to_mapping(rules)):
            found = [verdict(rules, key, other, before) for other in others(key, value)]
            counts.update(found)
            verdicts[key].update(found)
        summary = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
        print(f"{name}: {counts.total()} values: {summary}")
    for key, counts in sorted(verdicts.items()):
        print(f"  {key}: " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    silent = [key for key, counts in verdicts.items() if not counts["heard"]]
    print(
        f"total: {len(verdicts)} switches, {len(silent)} heard nowhere {' '.join(silent)}".rstrip()
    )
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())

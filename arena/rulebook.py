"""Rule sets by name, as shipped, or from a file of the operator's."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from arena.differences import Difference, differences
from arena.errors import OperatorError
from arena.names import meant
from arena.paths import is_file, toml
from engine.errors import RuleSetError
from engine.model import RuleSet
from engine.ruleset import rule_set, to_mapping

OWN: Final = ("name", "title", "source")
"""What a rule set says of itself; one built on it says its own."""


def names() -> tuple[str, ...]:
    """Return the names of the shipped rule sets, sorted."""
    return tuple(
        sorted(
            entry.name.removesuffix(".toml")
            for entry in _shelf().iterdir()
            if entry.name.endswith(".toml")
        )
    )


def load(name_or_path: str) -> RuleSet:
    """Return a shipped rule set, or the one of a TOML file.

    A file may name a shipped one as its `base` and hold only what differs. Raises
    OperatorError naming the file and the key.
    """
    source = _source(name_or_path)
    mapping = _merged(source)
    mapping.setdefault("name", source.name.removesuffix(".toml"))
    try:
        return rule_set(mapping)
    except RuleSetError as error:
        raise OperatorError(f"{source}: {error}") from error


def effective(name_or_path: str) -> dict[str, object]:
    """Return the rules in full, with the keys of a rule-set file. Raises as `load` does."""
    return to_mapping(load(name_or_path))


def fixed_partners(rules: RuleSet) -> bool:
    """Tell whether partners sit opposite each other in every game of these rules."""
    return all(game.fixed_partners for game in (*rules.games, *rules.pass_out.games))


def differing(first: RuleSet, second: RuleSet) -> Iterator[Difference]:
    """Yield the keys in which two rule sets differ, other than in what they say of themselves."""
    one, other = to_mapping(first), to_mapping(second)
    return (found for found in differences(one, other) if found.key not in OWN)


def _shelf() -> Traversable:
    return files("engine") / "rule_sets"


def _source(name_or_path: str) -> Traversable:
    if name_or_path in names():
        return _shelf() / f"{name_or_path}.toml"
    path = Path(name_or_path)
    if is_file(path):
        return path
    hint = meant(name_or_path, names())
    raise OperatorError(
        f"{name_or_path!r} is neither a rule set nor a file; {hint + ' ' if hint else ''}"
        f"write the path of a TOML file, or one of: {', '.join(names())}"
    )


def _merged(source: Traversable) -> dict[str, Any]:
    """Read a file and lay it over its base, if it names one."""
    table = toml(source)
    if "base" not in table:
        return table
    base = table.pop("base")
    if base not in names():
        raise OperatorError(f"{source}: base: {base!r} is unknown; allowed: {', '.join(names())}")
    below = _merged(_shelf() / f"{base}.toml")
    return _over({key: value for key, value in below.items() if key not in OWN}, table)


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Lay one table over another: tables are merged, everything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, dict) and isinstance(under, dict):
            merged[key] = _over(under, value)
        else:
            merged[key] = value
    return merged

"""Between mappings, as rule-set files hold them, and rule sets. Strict in both directions."""

from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engine.auctions import PROCEDURES
from engine.errors import RuleSetError
from engine.model import AuctionRules, GameType, RuleSet
from engine.variants import GAMES


def rule_set(mapping: Mapping[str, object]) -> RuleSet:
    """Return the rule set that a file describes.

    Raises RuleSetError naming the key and what is allowed, also for combinations that
    can't be played.
    """
    data = _record(RuleSet, mapping, "")
    auction: AuctionRules = data["auction"]
    games = _games(auction)
    rules = RuleSet(
        **data,
        procedure=_procedure(auction),
        games=games,
        rank={
            game.announcement: rank
            for rank, families in enumerate(auction.ranking)
            for game in games
            if game.family in families
        },
    )
    _check(rules)
    return rules


def to_mapping(rules: RuleSet) -> dict[str, object]:
    """Return the effective rules in full, with the keys of a rule-set file."""
    mapping = _plain(rules)
    assert isinstance(mapping, dict)
    return mapping


def _procedure(auction: AuctionRules) -> Any:
    try:
        return PROCEDURES[auction.procedure]
    except KeyError:
        known = ", ".join(sorted(PROCEDURES))
        raise RuleSetError(
            f"auction.procedure: {auction.procedure!r} is unknown; allowed: {known}"
        ) from None


def _games(auction: AuctionRules) -> tuple[GameType, ...]:
    known = {game.family for game in GAMES.values()}
    listed = [family for group in auction.ranking for family in group]
    for family in listed:
        if family not in known:
            raise RuleSetError(
                f"auction.ranking: {family!r} is no family of games; "
                f"allowed: {', '.join(sorted(known))}"
            )
        if listed.count(family) > 1:
            raise RuleSetError(f"auction.ranking: {family!r} is listed twice")
    chosen = [game for game in GAMES.values() if game.family in listed]
    return tuple(sorted(chosen, key=lambda game: game.announcement))


def _check(rules: RuleSet) -> None:
    """Refuse what can't be played or priced."""
    in_range = {
        "stoss.steps": (rules.stoss.steps, 0, 4),
        "stoss.closes_before_card": (rules.stoss.closes_before_card, 1, 4),
        "duties.runaway_threshold": (rules.duties.runaway_threshold, 2, 8),
        "thresholds.win": (rules.thresholds.win, 1, 120),
        "thresholds.schneider": (rules.thresholds.schneider, 61, 121),
        "thresholds.defenders_schneider": (rules.thresholds.defenders_schneider, 60, 121),
        "tariff.schneider": (rules.tariff.schneider, 0, 1_000_000),
        "tariff.schwarz": (rules.tariff.schwarz, 0, 1_000_000),
        "tariff.laufende": (rules.tariff.laufende, 0, 1_000_000),
    }
    for key, (value, low, high) in in_range.items():
        _check_range(key, value, low, high)
    kinds = {game.kind for game in GAMES.values()}
    families = {game.family for game in GAMES.values()}
    _check_entries("laufende.minimum", rules.laufende.minimum, kinds, (1, 32))
    _check_entries("tariff.base", rules.tariff.base, kinds, (0, 1_000_000))
    _check_entries("tariff.factor", rules.tariff.factor, families, (1, 1_000))
    for kind in sorted({game.kind for game in rules.games}):
        if kind not in rules.tariff.base:
            raise RuleSetError(f"tariff.base: no price for {kind!r}")
    if not any(_always_open(game) for game in rules.games):
        raise RuleSetError(
            "auction.ranking: the last bidder must play, so at least one game "
            "that any hand may announce must be listed"
        )


def _check_entries(
    path: str, entries: Mapping[str, int], known: Collection[str], limits: tuple[int, int]
) -> None:
    """Refuse an entry that no game would ever read, as a misspelt one is."""
    for key, value in entries.items():
        if key not in known:
            raise RuleSetError(f"{path}.{key}: unknown; allowed: {', '.join(sorted(known))}")
        _check_range(f"{path}.{key}", value, *limits)


def _check_range(key: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise RuleSetError(f"{key}: {value} is out of range; allowed: {low} to {high}")


def _always_open(game: GameType) -> bool:
    return game.may_announce(0)


def _record(record: type, mapping: Mapping[str, object], path: str) -> dict[str, Any]:
    """Read the fields of a record, each checked against its type."""
    if not isinstance(mapping, Mapping):
        raise RuleSetError(f"{path.rstrip('.')}: expected a table")
    hints = get_type_hints(record)
    expected = {f.name: f for f in fields(record) if not f.metadata}
    for key in mapping:
        if key not in expected:
            raise RuleSetError(f"{path}{key}: unknown key; allowed: {', '.join(expected)}")
    return {
        name: _value(hints[name], mapping[name], f"{path}{name}")
        for name, field in expected.items()
        if name in mapping or _required(field, path)
    }


def _required(field: "Field[Any]", path: str) -> bool:
    if field.default is MISSING and field.default_factory is MISSING:
        raise RuleSetError(f"{path}{field.name}: missing")
    return False


def _value(hint: Any, value: object, path: str) -> Any:
    origin = get_origin(hint)
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise RuleSetError(f"{path}: expected a table")
        return hint(**_record(hint, value, f"{path}."))
    if origin is Literal:
        same = (type(value) is type(known) and value == known for known in get_args(hint))
        if not any(same):
            allowed = ", ".join(map(repr, get_args(hint)))
            raise RuleSetError(f"{path}: {value!r} is not allowed; allowed: {allowed}")
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise RuleSetError(f"{path}: expected a list")
        inner = get_args(hint)[0]
        return tuple(_value(inner, item, f"{path}[{i}]") for i, item in enumerate(value))
    if origin is dict:
        if not isinstance(value, Mapping):
            raise RuleSetError(f"{path}: expected a table")
        inner = get_args(hint)[1]
        return {str(key): _value(inner, item, f"{path}.{key}") for key, item in value.items()}
    assert not isinstance(hint, UnionType), "rule sets hold no optional values"
    if type(value) is not hint:
        raise RuleSetError(f"{path}: expected {hint.__name__}, got {value!r}")
    return value


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value) if not f.metadata}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value

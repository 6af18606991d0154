"""Between mappings, as rule-set files hold them, and rule sets. Strict in both directions."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from difflib import get_close_matches
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engine.auctions import PROCEDURES
from engine.errors import RuleSetError
from engine.model import GameType, PassOut, RuleSet
from engine.order import compiled
from engine.pass_outs import PASS_OUTS
from engine.pass_outs.hochzeit import with_hochzeit
from engine.ruleset_check import check
from engine.switches import AuctionRules
from engine.variants import GAMES


def rule_set(mapping: Mapping[str, object]) -> RuleSet:
    """Return the rule set that a file describes.

    Raises RuleSetError naming the key and what is allowed, also for combinations that
    can't be played.
    """
    data = _record(RuleSet, mapping, "")
    auction: AuctionRules = data["auction"]
    games = _games(auction)
    pass_out = _pass_out(auction)
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
        pass_out=pass_out,
        rare=False,
        orders={},
    )
    orders = {
        game.announcement: compiled(game, rules.deck, rules.follow)
        for game in (*games, *pass_out.games)
    }
    rare = rules.klopfen or rules.auction.hochzeit or rules.session.carries
    rules = replace(rules, orders=orders, rare=rare)
    check(rules)
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


def _pass_out(auction: AuctionRules) -> PassOut:
    if auction.pass_out not in PASS_OUTS:
        allowed = ", ".join(sorted(PASS_OUTS))
        raise RuleSetError(
            f"auction.pass_out: {auction.pass_out!r} is not allowed; allowed: {allowed}"
        )
    pass_out = PASS_OUTS[auction.pass_out]
    return with_hochzeit(pass_out) if auction.hochzeit else pass_out


def _games(auction: AuctionRules) -> tuple[GameType, ...]:
    known = {game.family for game in GAMES.values() if game.announced}
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


def _record(record: type, mapping: Mapping[str, object], path: str) -> dict[str, Any]:
    """Read the fields of a record, each checked against its type."""
    if not isinstance(mapping, Mapping):
        raise RuleSetError(f"{path.rstrip('.')}: expected a table")
    hints = get_type_hints(record)
    expected = {f.name: f for f in fields(record) if not f.metadata}
    for key in mapping:
        if key not in expected:
            near = get_close_matches(key, expected, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise RuleSetError(f"{path}{key}: unknown key; {hint}allowed: {', '.join(expected)}")
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

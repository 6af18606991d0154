"""Rule sets as TOML, each key with its meaning; and new files to begin with."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Final, get_type_hints

from arena import rulebook
from arena.field_texts import field_texts
from engine import model, switches
from engine.model import RuleSet

_NEW_FILE: Final = """\
# House rules, built on another rule set: only what differs has to stand here.
#
# Below stands every switch with its meaning and the value that it has in {base}. To
# change one, take away the # before its key. Lists are replaced as a whole; in a table such as
# the tariff's prices only the entries that differ need to be named.
#
#   arena rules check {file}         says whether it can be played
#   arena rules diff {base} {file}   prints what differs

base = {base_text}
title = {title_text}
"""


def as_toml(rules: Mapping[str, object]) -> str:
    """Return effective rules as a rule-set file that needs no base."""
    return "\n".join(_lines(rules, "")) + "\n"


def new_file(base: str, file: str, rules: Mapping[str, object], title: str) -> str:
    """Return a file that names its base and shows all that could be changed.

    `rules` are the base's effective rules, `file` is what the operator calls the new file.
    """
    head = _NEW_FILE.format(base=base, file=file, base_text=_value(base), title_text=_value(title))
    inherited = {key: value for key, value in rules.items() if key not in rulebook.OWN}
    return head + "\n".join(_lines(inherited, "#")) + "\n"


def _lines(rules: Mapping[str, object], before_key: str) -> Iterator[str]:
    """Yield the lines of a file; `before_key` is what makes each key a comment, if anything."""
    tables = {key: value for key, value in rules.items() if isinstance(value, Mapping)}
    for key, value in rules.items():
        if key not in tables:
            yield from _entry("", key, value, before_key)
    for table, entries in tables.items():
        yield ""
        yield f"[{table}]"
        for key, value in entries.items():
            yield from _entry(table, key, value, before_key)


def _entry(table: str, key: str, value: object, before_key: str) -> Iterator[str]:
    meaning = _meanings().get((table, key))
    if meaning is not None:
        yield f"# {meaning}"
    yield f"{before_key}{key} = {_value(value)}"


def said(value: object) -> str:
    """Return a value as a rule-set file has it; None is a key that isn't there."""
    return "not set" if value is None else _value(value)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    # What is left is written alike in both; only of the control characters JSON keeps one.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


@cache
def _meanings() -> Mapping[tuple[str, str], str]:
    """Return what the engine's source says of each key, by table and key."""
    texts = {**field_texts(model), **field_texts(switches)}
    hints = get_type_hints(RuleSet)
    found = {("", key): text for key, text in texts[RuleSet.__name__].items()}
    for field in fields(RuleSet):
        record = hints[field.name]
        if is_dataclass(record) and isinstance(record, type):
            for key, text in texts.get(record.__name__, {}).items():
                found[field.name, key] = text
    return {place: " ".join(text.split()) for place, text in found.items()}

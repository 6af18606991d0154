"""The published description of a journal: JSON Schema, derivation of the cards, vectors."""

from typing import Any, Final, get_args

import msgspec

from arena import dealing, records, sent
from arena.field_texts import field_texts

_CHAINING: Final = """\
A journal is UTF-8 text, one JSON object per line, each line ended by one line feed. The first
line is the header; the footer, if there is one, is the last. Every line ends in its chain:
,"chain":"<64 hexadecimal digits>"} and the chain is SHA-256(chain of the line before, as its
64 ASCII digits || the line without ,"chain":"...", still ended by }). The first line takes 64
zeros for the chain before. A last line without a line feed is torn and counts for nothing.
"""


def schema() -> dict[str, object]:
    """Return the JSON Schema (2020-12) of a journal's line, with everything to check one."""
    (line,), components = msgspec.json.schema_components(
        [records.Line], schema_hook=_anything, ref_template="#/$defs/{name}"
    )
    fields = field_texts(records)
    for name, component in components.items():
        _describe(component, fields.get(name, {}))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a Schafkopf arena's journal",
        "format": records.FORMAT,
        **line,
        "$defs": msgspec.json.decode(msgspec.json.encode(components)),  # defaults may be tuples
        "chaining": _CHAINING,
        "derivation": dealing.DERIVATION,
        "digests": sent.DIGEST,
        "vectors": dealing.test_vectors(),
    }


def _anything(kind: type) -> dict[str, Any]:
    if kind is not object:
        raise NotImplementedError(kind)
    return {"description": "Whatever a rule-set file may hold here."}


def _describe(component: dict[str, Any], texts: dict[str, str]) -> None:
    """Put what the source says of each field into its schema, and ask for the chain."""
    if "chain" in component.get("properties", {}):
        component["required"].append("chain")
    named = component.get("properties", {}).items()
    placed = zip(texts, component.get("prefixItems", []), strict=False)
    for name, field in (*named, *placed):
        if name in texts:
            field["description"] = texts[name]


def kinds() -> tuple[str, ...]:
    """Return the kinds of lines, as their `kind` says."""
    return tuple(str(kind.__struct_config__.tag) for kind in get_args(records.Line))

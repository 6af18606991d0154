"""The published description of a journal: JSON Schema, derivation of the cards, vectors."""

from typing import Any, Final, get_args

import msgspec

from arena import dealing, records, sent
from arena.field_texts import KIND, field_texts
from engine.actions import NAMES

_CHAIN: Final = "^[0-9a-f]{64}$"

_CHAINING: Final = """\
A journal is UTF-8 text, one JSON object per line, each line ended by one line feed. The first
line is the header; the footer, if there is one, is the last. Every line ends in its chain:
,"chain":"<64 hexadecimal digits>"} and the chain is SHA-256(chain of the line before, as its
64 ASCII digits || the line without ,"chain":"...", still ended by }). The first line takes 64
zeros for the chain before. A last line without a line feed is torn and counts for nothing.
"""

_NOTATION: Final = """\
Suits are numbered from weak to strong: 0 Schellen (S), 1 Herz (H), 2 Gras (G), 3 Eichel (E).
Ranks are 0 seven (7), 1 eight (8), 2 nine (9), 3 Unter (U), 4 Ober (O), 5 King (K), 6 ten (X),
7 ace (A). A card is the number suit * 8 + rank, and is written as the letter of its suit and
that of its rank: 28 is EO, the Ober of Eichel. A hand is written as its cards with one space
between them, the strongest suit first and within it the highest number first. Seats are 0 to 3
in the order of play. Actions are written by their names, which `actions` lists with their
numbers on the wire; a card's name plays it. `actions` of a deal holds them with one space
between, the house's answers included.
"""

_PLACES: Final = """\
Everything is counted from 0; div and mod are those of whole numbers. Deal n is in slice
n div slice_deals and in session n div session_deals.

Arrangements of a lineup: its distinct cyclic orders, each written as its lexicographically least
rotation, in lexicographic order. Turns: all arrangements in that order. Where partners are
fixed, arrangements are grouped by who sits opposite whom (places 0 and 2, places 1 and 3, each
as a set); groups of two like pairs are left out unless all are; turns take the first arrangement
of each group, in the order in which the groups come up, then the second of each, and so on.
Slice k of lineup l is played in the arrangement of turn (k + l) mod the number of turns.

Seating r of an arrangement puts its place p on seat (p + r) mod 4. Only distinct seatings are
played: four, or fewer where turning repeats the arrangement.

A shard is one slice of one lineup in one seating. Its id is "l" || lineup || "-a" || arrangement
|| "-s" || seating || "-d" || number of its first deal, all decimal: l3-a2-s1-d120 is lineup 3 in
arrangement 2, seating 1, from deal 120 on.
"""


def schema() -> dict[str, object]:
    """Return the JSON Schema (2020-12) of a journal's line, with everything to check one."""
    (line,), components = msgspec.json.schema_components(
        [records.Line], schema_hook=_anything, ref_template="#/$defs/{name}"
    )
    fields = field_texts(records)
    for name, component in components.items():
        _describe(component, getattr(records, name).__struct_fields__, fields[name])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a Schafkopf arena's journal",
        "journal_format": records.FORMAT,
        **line,
        "$defs": msgspec.json.decode(msgspec.json.encode(components)),  # defaults may be tuples
        "chaining": _CHAINING,
        "notation": _NOTATION,
        "actions": {name: number for number, name in sorted(NAMES.items())},
        "places": _PLACES,
        "derivation": dealing.DERIVATION,
        "digests": sent.DIGEST,
        "vectors": dealing.test_vectors(),
    }


def _anything(kind: type) -> dict[str, Any]:
    if kind is not object:
        raise NotImplementedError(kind)
    return {"description": "Whatever a rule-set file may hold here."}


def _describe(component: dict[str, Any], names: tuple[str, ...], texts: dict[str, str]) -> None:
    """Put what is said of each field into its schema, and ask lines for their kind and chain."""
    properties = component.get("properties", {})
    for name, field in properties.items():
        field["description"] = KIND if name == "kind" else texts[name]
    for name, field in zip(names, component.get("prefixItems", ()), strict=False):
        field.update(title=name, description=texts[name])
    if "kind" in properties:
        properties["chain"] = {"pattern": _CHAIN, **properties["chain"]}
        del properties["chain"]["default"]
        component["required"].append("chain")


def kinds() -> tuple[str, ...]:
    """Return the kinds of lines, as their `kind` says."""
    return tuple(str(kind.__struct_config__.tag) for kind in get_args(records.Line))

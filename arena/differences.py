"""In what two nested tables differ, key by key."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Difference(NamedTuple):
    """One key; None on a side that lacks it."""

    key: str
    """With the tables that it is in, joined by dots."""
    before: object
    after: object


def differences(
    before: Mapping[str, object], after: Mapping[str, object], prefix: str = ""
) -> Iterator[Difference]:
    """Yield the keys whose values differ, in the order of the first table."""
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differences(old, new, f"{prefix}{key}.")
        elif old != new:
            yield Difference(prefix + key, old, new)

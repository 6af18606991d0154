"""Which names and versions are accepted, of bots and of leagues, and which one was meant."""

import difflib
import unicodedata
from collections.abc import Iterable
from typing import Final

from arena.errors import OperatorError

LONGEST: Final = 200
"""Characters of a name or version."""

_CONTROLS: Final = {"Cc", "Cs", "Zl", "Zp"}
_UNSEEN: Final = {"Cf", "Cn", "Co", "Mn", "Me", "Zs"}
"""Categories that show nothing by themselves: formats, blanks, marks on other characters."""
_TURNING: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""What turns the direction of writing, so that a name can pass for another."""
_FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that are blank."""


def composed(text: str) -> str:
    """Return a name in its composed form (NFC), so that equal looks are equal."""
    return unicodedata.normalize("NFC", text)


def meant(word: str, known: Iterable[str]) -> str:
    """Return a question after the known name that is next to a word; empty where none is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def checked(text: str, what: str) -> str:
    """Return a name or version in its composed form.

    Raises OperatorError, calling the text `what`, when it can't be used.
    """
    name = composed(text)
    if not 1 <= len(name) <= LONGEST:
        raise OperatorError(
            f"{what}: {len(name)} characters; allowed are 1 to {LONGEST} characters"
        )
    for character in name:
        if _steers(character):
            raise OperatorError(
                f"{what}: {name!r} holds the control character {character!r}; "
                "allowed are all others"
            )
    if name != name.strip():
        raise OperatorError(f"{what}: {name!r} has spaces at its ends; allowed are names without")
    if not any(map(_shows, name)):
        raise OperatorError(f"{what}: {name!r} shows nothing; allowed are names that can be read")
    return name


def shown(text: str) -> str:
    """Return a text of somebody else's with all that would steer a terminal written out."""
    return "".join(
        character.encode("unicode_escape").decode() if _steers(character) else character
        for character in text
    )


def _steers(character: str) -> bool:
    return unicodedata.category(character) in _CONTROLS or character in _TURNING


def _shows(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN and character not in _FILLERS

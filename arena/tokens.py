"""Tokens of remote bots: given out once, kept as digests, revocable.

A token is 256 random bits, so it can't be guessed or found in a list; a plain SHA-256
keeps it as safe as a slow hash with salt keeps a password, and costs no time at the door.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

from arena import registry, store
from arena.errors import OperatorError

_BYTES: Final = 32
_PATIENCE_S: Final = 1.0
"""Nobody waits longer for a note of who was seen."""


class TokenState(msgspec.Struct, frozen=True):
    """What is known of a remote bot's token."""

    bot: str
    digest: str
    made: str
    """UTC, ISO 8601."""
    last_seen: str | None
    """When a stream of the bot was last let in; None where none ever was."""


def digest_of(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def give(bot: str) -> str:
    """Return a new token of a registered remote bot; an older one is worth nothing any more.

    Raises OperatorError.
    """
    name = _remote(bot).name
    token = secrets.token_urlsafe(_BYTES)
    row = {"bot": name, "digest": digest_of(token), "made": _now(), "last_seen": None}
    with store.transaction("write") as connection:
        connection.execute(store.TOKENS.delete().where(store.TOKENS.c.bot == name))
        connection.execute(store.TOKENS.insert().values(row))
    return token


def revoke(bot: str) -> None:
    """Make a bot's token worth nothing. Raises OperatorError when it has none."""
    name = _remote(bot).name
    with store.transaction("write") as connection:
        gone = connection.execute(store.TOKENS.delete().where(store.TOKENS.c.bot == name))
        if gone.rowcount == 0:
            raise OperatorError(f"{name!r} has no token; `arena token new` makes one")


def states() -> dict[str, TokenState]:
    """Return what is known of all tokens, by the bot's name."""
    with store.transaction("read") as connection:
        return {
            each.bot: each for each in store.rows(connection, store.TOKENS.select(), TokenState)
        }


def saw(bot: str) -> None:
    """Note that a stream of the bot was let in."""
    with store.transaction("write", patience_s=_PATIENCE_S) as connection:
        mine = store.TOKENS.c.bot == bot
        connection.execute(store.TOKENS.update().where(mine).values(last_seen=_now()))


def holder(token: str, digests: Mapping[str, str]) -> str | None:
    """Return the bot whose token this is; takes the same time whichever it is, or none.

    `digests` maps bots to their tokens' digests.
    """
    shown = digest_of(token)
    found = None
    for bot, digest in digests.items():
        if hmac.compare_digest(digest, shown):
            found = bot
    return found


def _remote(name: str) -> registry.Bot:
    bot = registry.get(name)
    if not bot.remote:
        raise OperatorError(f"{bot.name!r} is started by the arena and needs no token")
    return bot


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

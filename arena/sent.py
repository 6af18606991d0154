"""What a seat was sent, read back from the bytes: digests in play, fields in an audit."""

import hashlib
from typing import Final

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from arena.v1 import arena_pb2

DIGEST_BYTES: Final = 16
_BARE_ASK: Final = arena_pb2.PlayResponse(ask=arena_pb2.Ask()).SerializeToString()

DIGEST: Final = """\
The digest of what a seat was sent in a deal begins with no bytes. For each message, in order,
it becomes BLAKE2b(digest || message), with 16 bytes and no key. The messages are: each
question, as the `Decision` is encoded within its `Ask`; each `Fault` of an answer in this deal,
as the `PlayResponse` is encoded without `ask_id` and `strikes`, in the one deal whose illegal
answer it names or in all deals of the `Ask`; and the `PlayResponse` with `DealEnded`, where the
bot wants it. A `Decision` is followed by whatever else its `PlayResponse` holds, without
`ask_id`, if there is anything; `budget_ms` counts only where it isn't the sum over the
decisions of `decision_ms`, or of `bank_ms` where that is less. In the journal a digest is
hexadecimal; it is empty where nothing was sent. Journals of earlier arenas left out `bank_ms`,
and all messages but the questions; where there are time banks, theirs hold no `thought_us`.
"""
"""The digests in words."""


def decisions(message: bytes, decision_ms: int) -> list[bytes]:
    """Return each `Decision` of an encoded ask as it stands in it.

    What else the ask holds, and no line of a journal explains, comes behind each of them.
    """
    response = arena_pb2.PlayResponse.FromString(message)
    ask = response.ask
    encoded = [each.SerializeToString() for each in ask.decisions]
    brought_in = sum([min(decision_ms, each.bank_ms or decision_ms) for each in ask.decisions])
    if ask.budget_ms == brought_in:
        ask.ClearField("budget_ms")
    ask.ClearField("ask_id")
    ask.ClearField("decisions")
    around = response.SerializeToString()
    return encoded if around == _BARE_ASK else [each + around for each in encoded]


def fault(message: bytes) -> bytes:
    """Return an encoded fault without what tells of other deals."""
    response = arena_pb2.PlayResponse.FromString(message)
    response.fault.ClearField("ask_id")
    response.fault.ClearField("strikes")
    return response.SerializeToString()


def rolled(digest: bytes, message: bytes) -> bytes:
    """Return the digest of what a seat was sent, one message further."""
    return hashlib.blake2b(digest + message, digest_size=DIGEST_BYTES).digest()


class Digests:
    """All digests that a seat may have, since no line says of every message whether it went out."""

    def __init__(self) -> None:
        self._reports = {b"": 0}
        """How many messages each digest holds that may have been left out."""

    def add(self, message: bytes, *, surely: bool) -> None:
        """Add what was sent next, or perhaps was."""
        further = {rolled(digest, message): count for digest, count in self._reports.items()}
        if surely:
            self._reports = further
        else:
            self._reports |= {digest: count + 1 for digest, count in further.items()}

    def reports(self, digest: str) -> int | None:
        """Return how many such messages a digest holds; None for one that can't be."""
        return {each.hex(): count for each, count in self._reports.items()}.get(digest)


def fields(decision: bytes) -> dict[str, int | bytes]:
    """Return every field that a decision holds, by name; one that the protocol lacks by number."""
    message = arena_pb2.Decision.FromString(decision)
    found: dict[str, int | bytes] = {each.name: value for each, value in message.ListFields()}
    return found | dict.fromkeys(_unknown(message), 0)


def _unknown(message: Message) -> list[str]:
    fields = UnknownFieldSet(message)
    return [f"number {fields[index].field_number}" for index in range(len(fields))]

"""What a seat was sent, read back from the bytes: digests in play, fields in an audit."""

import hashlib
from typing import Final

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from arena.v1 import arena_pb2

_DIGEST_BYTES: Final = 16

DIGEST: Final = """\
The digest of what a seat was sent in a deal begins with no bytes. For each question, in order,
it becomes BLAKE2b(digest || the `Decision` message as it is encoded within its `Ask`), with 16
bytes and no key; `bank_ms` is left out of it, since no line holds what was left of a bank. In
the journal it is hexadecimal; it is empty where nothing was sent.
"""
"""The digests in words."""


def decisions(message: bytes) -> list[bytes]:
    """Return each `Decision` of an encoded message as it stands in it, but without its bank."""
    response = arena_pb2.PlayResponse.FromString(message)
    for each in response.ask.decisions:
        each.ClearField("bank_ms")
    return [each.SerializeToString() for each in response.ask.decisions]


def rolled(digest: bytes, decision: bytes) -> bytes:
    """Return the digest of what a seat was sent, one decision further."""
    return hashlib.blake2b(digest + decision, digest_size=_DIGEST_BYTES).digest()


def fields(decision: bytes) -> dict[str, int | bytes]:
    """Return every field that a decision holds, by name; one that the protocol lacks by number."""
    message = arena_pb2.Decision.FromString(decision)
    found: dict[str, int | bytes] = {each.name: value for each, value in message.ListFields()}
    return found | dict.fromkeys(_unknown(message), 0)


def _unknown(message: Message) -> list[str]:
    fields = UnknownFieldSet(message)
    return [f"number {fields[index].field_number}" for index in range(len(fields))]

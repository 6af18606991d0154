"""Everything that follows from a league's secret: cards, forehands, handles, seeds.

`DERIVATION` describes it for other implementations; `test_vectors` lets them check.
"""

import hashlib
import hmac
import os
import stat
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

from arena.errors import OperatorError

SECRET_BYTES: Final = 32
FILE_NAME: Final = "secret"
"""Name of the secret's file within a league's folder."""

_DECKS: Final = {
    32: tuple(range(32)),
    24: tuple(card for card in range(32) if card & 7 > 1),
}

HandleKey = tuple[int, int, int, int]

_COMMITMENT: Final = b"schafkopf-arena/commitment/1\0"
_DEAL: Final = b"schafkopf-arena/deal/1\0"
_SEAT: Final = b"schafkopf-arena/seat/1\0"
_HANDLE: Final = b"schafkopf-arena/handle/1\0"
_SEED: Final = b"schafkopf-arena/seed/1\0"

DERIVATION: Final = """\
Numbers are big-endian; || joins bytes; a domain is ASCII text and ends in one zero byte.

Commitment: SHA-256("schafkopf-arena/commitment/1\\0" || secret), hexadecimal. The secret
has 32 bytes.

Hands of deal n: the byte stream is HMAC-SHA256(key = secret, message =
"schafkopf-arena/deal/1\\0" || n as 8 bytes || block as 4 bytes) for block = 0, 1, 2, ...
The deck is the list of its cards, ascending (a card is suit * 8 + rank; suits are 0 Schellen,
1 Herz, 2 Gras, 3 Eichel; ranks are 0 seven, 1 eight, 2 nine, 3 Unter, 4 Ober, 5 King, 6 ten,
7 ace; the short deck has no ranks 0 and 1). For i from the last index down to 1: take the
next byte b of the stream, dropping it and taking the next as long as
b >= 256 - 256 mod (i + 1); swap the cards at i and at b mod (i + 1). Seat 0 gets the first
quarter of the list, seat 1 the second, and so on. The half of a hand that is dealt first is
the first half of its quarter. In the vectors a hand is a mask, a 32-bit number written as
eight hexadecimal digits: its bit n, worth 2^n, is set where the hand holds card n.

Forehand of deal n: n mod 4.

Key of a seat: HMAC-SHA256(secret, "schafkopf-arena/seat/1\\0" || seat as 1 byte || the
shard's id as UTF-8). The id is made of lineup, arrangement, seating and the shard's first
deal, as in l3-a2-s1-d120.

Handle of deal n at a seat, all modulo 2^32: the seat's handle key is HMAC-SHA256(seat key,
"schafkopf-arena/handle/1\\0"), whose first 16 bytes are four numbers a, b, c, d; b and c are
made odd by setting their lowest bit. x = (n xor a) * b; x ^= x >> 16; x *= c; x ^= x >> 15;
the handle is x xor d. It is a permutation, so no two deals of a stream share a handle.

Seed of a deal at a seat: the first 4 bytes of HMAC-SHA256(seat key,
"schafkopf-arena/seed/1\\0" || n as 8 bytes). Seed of the decision with this number (counted
from 0 among the seat's own decisions of the deal), all modulo 2^32: x = deal seed xor
(number * 0x9E3779B1); x ^= x >> 16; x *= 0x7FEB352D; x ^= x >> 15; x *= 0x846CA68B;
x ^= x >> 16.
"""
"""The derivation in words."""


def new_secret() -> bytes:
    """Return a fresh secret from the operating system's randomness."""
    return os.urandom(SECRET_BYTES)


def commitment(secret: bytes) -> str:
    """Return what may be published before the league: hexadecimal, binds to the secret."""
    return hashlib.sha256(_COMMITMENT + secret).hexdigest()


def hands(secret: bytes, deal_number: int, deck_cards: int) -> tuple[int, int, int, int]:
    """Return the four hands of a deal as masks. `deck_cards` is 32 or 24."""
    return _quarters(shuffled(secret, deal_number, deck_cards), 1)


def first_halves(secret: bytes, deal_number: int, deck_cards: int) -> tuple[int, int, int, int]:
    """Return the half of each hand that is dealt first, as masks."""
    return _quarters(shuffled(secret, deal_number, deck_cards), 2)


def _quarters(cards: list[int], part: int) -> tuple[int, int, int, int]:
    """Return each seat's quarter of the deck, or the first of `part` parts of it, as masks."""
    size = len(cards) // 4
    first, second, third, fourth = (
        sum([1 << card for card in cards[start : start + size // part]])
        for start in range(0, len(cards), size)
    )
    return first, second, third, fourth


def shuffled(secret: bytes, deal_number: int, deck_cards: int) -> list[int]:
    """Return the deck of a deal in the order in which it is dealt out."""
    cards = list(_DECKS[deck_cards])
    stream = _deal_bytes(secret, deal_number)
    for last in range(deck_cards - 1, 0, -1):
        choices = last + 1
        bound = 256 - 256 % choices  # bytes from here on would favour the low indexes
        byte = next(stream)
        while byte >= bound:
            byte = next(stream)
        other = byte % choices
        cards[last], cards[other] = cards[other], cards[last]
    return cards


def _deal_bytes(secret: bytes, deal_number: int) -> Iterator[int]:
    prefix = _DEAL + deal_number.to_bytes(8, "big")
    for block in range(1 << 32):
        yield from hmac.digest(secret, prefix + block.to_bytes(4, "big"), "sha256")


def forehand(deal_number: int) -> int:
    """Return the seat that bids first."""
    return deal_number % 4


def seat_key(secret: bytes, shard_id: str, seat: int) -> bytes:
    """Return the key of all that one bot process is told; it says nothing of the secret."""
    return hmac.digest(secret, _SEAT + bytes((seat,)) + shard_id.encode(), "sha256")


def handle_key(key: bytes) -> HandleKey:
    """Return what the handles of the seat with this key are mixed from."""
    digest = hmac.digest(key, _HANDLE, "sha256")
    first, second, third, fourth = (
        int.from_bytes(digest[start : start + 4], "big") for start in range(0, 16, 4)
    )
    return first, second | 1, third | 1, fourth


def handle(key: HandleKey, deal_number: int) -> int:
    """Return a deal's 32-bit name within a stream, opaque without the key.

    Unique within the stream for deal numbers below 2**32.
    """
    first, second, third, fourth = key
    mixed = (deal_number ^ first) * second & 0xFFFF_FFFF
    mixed = (mixed ^ mixed >> 16) * third & 0xFFFF_FFFF
    return mixed ^ mixed >> 15 ^ fourth


def deal_seed(key: bytes, deal_number: int) -> int:
    """Return the 32-bit seed that a seat's decision seeds of one deal are mixed from."""
    digest = hmac.digest(key, _SEED + deal_number.to_bytes(8, "big"), "sha256")
    return int.from_bytes(digest[:4], "big")


def decision_seed(seed_of_deal: int, number: int) -> int:
    """Return the 32-bit seed of a seat's decision; all numbers of a deal differ.

    `number` counts from 0 among the seat's own decisions of the deal.
    """
    # Literals, since this runs once per decision and looking up names is what it would cost.
    mixed = (seed_of_deal ^ number * 0x9E37_79B1) & 0xFFFF_FFFF
    mixed = (mixed ^ mixed >> 16) * 0x7FEB_352D & 0xFFFF_FFFF
    mixed = (mixed ^ mixed >> 15) * 0x846C_A68B & 0xFFFF_FFFF
    return mixed ^ mixed >> 16


def store_secret(path: Path, secret: bytes) -> None:
    """Write a new file that nobody but its owner can read. Raises OperatorError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret)
            file.flush()
            os.fsync(descriptor)
    except FileExistsError:
        raise OperatorError(f"{path} exists; no two leagues share a secret") from None
    except OSError as error:
        raise OperatorError(f"cannot store the secret in {path}: {error.strerror}") from None


def load_secret(path: Path) -> bytes:
    """Read a secret that `store_secret` wrote.

    Raises OperatorError when it is missing, damaged or readable by others.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            secret = file.read(SECRET_BYTES + 1)
    except OSError as error:
        raise OperatorError(f"cannot read the secret {path}: {error.strerror}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise OperatorError(f"{path} is open to others; they may know the cards (chmod 600 it)")
    if len(secret) != SECRET_BYTES:
        raise OperatorError(f"{path} is no secret: it must have {SECRET_BYTES} bytes")
    return secret


def test_vectors() -> dict[str, object]:
    """Return inputs and results by which another implementation can be checked."""
    secret = bytes(range(SECRET_BYTES))
    shard_id, seat = "l3-a2-s1-d120", 2
    key = seat_key(secret, shard_id, seat)
    return {
        "secret": secret.hex(),
        "commitment": commitment(secret),
        "hands": [
            {"deal": deal, "deck": deck, "hands": [f"{mask:08x}" for mask in dealt]}
            for deal, deck in ((0, 32), (1, 32), (10_000_000, 32), (0, 24))
            for dealt in (hands(secret, deal, deck),)
        ],
        "shard": shard_id,
        "seat": seat,
        "seat_key": key.hex(),
        "handles": {str(deal): handle(handle_key(key), deal) for deal in (120, 121, 10_000_000)},
        "deal_seed_of_120": deal_seed(key, 120),
        "decision_seeds_of_120": [decision_seed(deal_seed(key, 120), n) for n in range(3)],
    }


def set_aside(place: Path) -> None:
    """Rename an earlier league's file or folder; a journal that comes back may still need it."""
    if place.exists():
        places = (place.with_name(f"{place.name}.old-{number}") for number in count(1))
        place.rename(next(each for each in places if not each.exists()))

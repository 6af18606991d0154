"""What follows from the secret: right, repeatable, fair, and kept to its owner."""

import hashlib
import hmac
import os
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import dealing
from arena.errors import OperatorError
from engine.cards import LONG_DECK, SHORT_DECK, members

SECRET = bytes(range(32))
DECKS = {32: LONG_DECK, 24: SHORT_DECK}
secrets = st.binary(min_size=32, max_size=32)
deal_numbers = st.integers(0, 2**32 - 1)

VECTORS = [
    (0, 32, "the first deal"),
    (1, 32, "the next one"),
    (10_000_000, 32, "a number of more than two bytes"),
    (0, 24, "the short deck has its own cards"),
    (7, 24, "and its own indexes"),
]


def by_the_published_text(secret: bytes, deal: int, deck: int) -> list[int]:
    """A second implementation, as slow and plain as the text it follows."""
    cards = [suit * 8 + rank for suit in range(4) for rank in range(8) if deck == 32 or rank > 1]
    stream = b"".join(
        hmac.new(
            secret,
            b"schafkopf-arena/deal/1\0" + deal.to_bytes(8, "big") + block.to_bytes(4, "big"),
            hashlib.sha256,
        ).digest()
        for block in range(20)
    )
    used = 0
    for i in range(deck - 1, 0, -1):
        while stream[used] >= 256 - 256 % (i + 1):
            used += 1
        j = stream[used] % (i + 1)
        used += 1
        cards[i], cards[j] = cards[j], cards[i]
    quarter = deck // 4
    return [sum(1 << card for card in cards[s * quarter : (s + 1) * quarter]) for s in range(4)]


@pytest.mark.parametrize(("deal", "deck", "because"), VECTORS)
def test_hands_follow_the_published_text(deal: int, deck: int, because: str) -> None:
    assert list(dealing.hands(SECRET, deal, deck)) == by_the_published_text(SECRET, deal, deck), (
        because
    )


def test_hands_never_change() -> None:
    # Recorded; every journal ever written hangs on it.
    assert dealing.hands(SECRET, 0, 32) == (5805320, 1629487728, 470165505, 2189508742)


@given(secret=secrets, deal=deal_numbers, deck=st.sampled_from([32, 24]))
def test_hands_are_a_partition_of_the_deck(secret: bytes, deal: int, deck: int) -> None:
    hands = dealing.hands(secret, deal, deck)
    assert [hand.bit_count() for hand in hands] == [deck // 4] * 4
    assert hands[0] | hands[1] | hands[2] | hands[3] == DECKS[deck]


def test_every_card_comes_to_every_seat_equally_often() -> None:
    deals = 8000
    counts = Counter(
        (seat, card)
        for deal in range(deals)
        for seat, hand in enumerate(dealing.hands(SECRET, deal, 32))
        for card in members(hand)
    )
    expected = deals / 4
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert len(counts) == 128
    assert chi_square < 180, "96 degrees of freedom: less than one in a million has more"


def test_no_two_deals_of_a_league_are_alike() -> None:
    assert len({dealing.hands(SECRET, deal, 32) for deal in range(20_000)}) == 20_000


def test_the_forehand_goes_round() -> None:
    assert [dealing.forehand(deal) for deal in range(6)] == [0, 1, 2, 3, 0, 1]


def test_the_commitment_binds_to_the_secret() -> None:
    expected = hashlib.sha256(b"schafkopf-arena/commitment/1\0" + SECRET).hexdigest()
    assert dealing.commitment(SECRET) == expected
    assert dealing.commitment(dealing.new_secret()) != expected


@given(key=secrets, numbers=st.sets(deal_numbers, min_size=2, max_size=50))
def test_handles_of_a_stream_never_collide(key: bytes, numbers: set[int]) -> None:
    handles = {dealing.handle(dealing.handle_key(key), number) for number in numbers}
    assert len(handles) == len(numbers)
    assert all(0 <= handle < 2**32 for handle in handles)


def test_the_same_deal_has_other_handles_and_seeds_elsewhere() -> None:
    keys = [
        dealing.seat_key(SECRET, shard, seat)
        for shard in ("l0-a0-s0-d0", "l0-a0-s1-d0", "l1-a0-s0-d0")
        for seat in range(4)
    ]
    assert len({dealing.handle(dealing.handle_key(key), 5) for key in keys}) == len(keys)
    assert len({dealing.deal_seed(key, 5) for key in keys}) == len(keys)


@given(seed=st.integers(0, 2**32 - 1))
def test_decisions_of_a_deal_have_different_seeds(seed: int) -> None:
    seeds = {dealing.decision_seed(seed, number) for number in range(64)}
    assert len(seeds) == 64
    assert all(0 <= each < 2**32 for each in seeds)


def test_decision_seeds_use_all_their_bits() -> None:
    seeds = [dealing.decision_seed(7, number) for number in range(4000)]
    for bit in range(32):
        ones = sum(seed >> bit & 1 for seed in seeds)
        assert 1800 < ones < 2200, f"bit {bit}"


def test_a_stored_secret_comes_back_and_is_private(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        dealing.store_secret(tmp_path / "secret", SECRET)
    finally:
        os.umask(previous)
    assert dealing.load_secret(tmp_path / "secret") == SECRET
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_a_secret_is_never_overwritten(tmp_path: Path) -> None:
    dealing.store_secret(tmp_path / "secret", SECRET)
    with pytest.raises(OperatorError, match="no two leagues"):
        dealing.store_secret(tmp_path / "secret", dealing.new_secret())
    assert dealing.load_secret(tmp_path / "secret") == SECRET


BAD_SECRETS = [
    (SECRET, 0o640, "open to others", "its group could know the cards"),
    (SECRET, 0o604, "open to others", "everybody could"),
    (SECRET, 0o620, "open to others", "somebody could have chosen it"),
    (SECRET[:31], 0o600, "must have", "cut short"),
    (SECRET + b"\n", 0o600, "must have", "edited by hand"),
    (b"", 0o600, "must have", "a crash before the first byte"),
]


@pytest.mark.parametrize(("content", "mode", "message", "because"), BAD_SECRETS)
def test_a_doubtful_secret_is_refused(
    tmp_path: Path, content: bytes, mode: int, message: str, because: str
) -> None:
    path = tmp_path / "secret"
    path.write_bytes(content)
    path.chmod(mode)
    with pytest.raises(OperatorError, match=message) as refused:
        dealing.load_secret(path)
    assert str(path) in str(refused.value), because


def test_a_missing_secret_or_folder_is_the_operators_to_mend(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="cannot read"):
        dealing.load_secret(tmp_path / "secret")
    with pytest.raises(OperatorError, match="cannot store"):
        dealing.store_secret(tmp_path / "nowhere" / "secret", SECRET)


def test_the_vectors_agree_with_the_published_text() -> None:
    vectors: Any = dealing.test_vectors()
    assert bytes.fromhex(vectors["secret"]) == SECRET
    for vector in vectors["hands"]:
        expected = by_the_published_text(SECRET, vector["deal"], vector["deck"])
        assert [int(text, 16) for text in vector["hands"]] == expected
    key = hmac.new(
        SECRET, b"schafkopf-arena/seat/1\0\2" + vectors["shard"].encode(), hashlib.sha256
    ).digest()
    assert vectors["seat_key"] == key.hex()
    seed = hmac.new(key, b"schafkopf-arena/seed/1\0" + (120).to_bytes(8, "big"), hashlib.sha256)
    assert vectors["deal_seed_of_120"] == int.from_bytes(seed.digest()[:4], "big")
    digest = hmac.new(key, b"schafkopf-arena/handle/1\0", hashlib.sha256).digest()
    a, b, c, d = struct.unpack(">4I", digest[:16])
    x = (120 ^ a) * (b | 1) % 2**32
    x ^= x >> 16
    x = x * (c | 1) % 2**32
    x ^= x >> 15
    assert vectors["handles"]["120"] == x ^ d

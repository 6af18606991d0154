"""What strangers may cost: limits on streams that have not shown a valid token yet."""

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import unquote

import msgspec

_MOST_PEERS: Final = 4096
"""Addresses whose rates are remembered; beyond, those longest quiet are forgotten."""
_SHARED_BITS: Final = 48
"""Leading bits of an IPv6 address that may all be one stranger's: providers hand out as much as
this to a customer, who then has 65,536 networks to come from."""


class DoorRules(msgspec.Struct, frozen=True):
    """What strangers may do. A rate has a burst, and refills per second."""

    unheard: int = 256
    """Streams without a hello at once."""
    unheard_per_peer: int = 32
    """The same from one address."""
    side_calls: int = 64
    """Calls of the health and reflection services at once."""
    side_calls_per_peer: int = 8
    hello_s: float = 10.0
    """Time for the hello."""
    hello_bytes: int = 4096
    hellos: tuple[int, float] = (200, 20.0)
    """Rate per address of hellos without a token that is known already. Whoever has one isn't
    counted, since bots may share an address with strangers."""
    wrong_tokens: tuple[int, float] = (10, 0.2)
    """Rate per address; beyond, wrong tokens are turned away without a word or a line of log.
    Right ones are let in all the same, as bots may share an address."""
    connections: int = 1024
    waiting_per_bot: int = 64
    """Streams of one bot that wait for a table."""


class TurnedAwayError(Exception):
    """A stranger wants more than it may; the text says what."""


class Doorman:
    """Counts what strangers do. Belongs to one thread."""

    def __init__(self, rules: DoorRules, now: Callable[[], float] = time.monotonic) -> None:
        self.rules = rules
        self._unheard = _Crowd(rules.unheard, rules.unheard_per_peer)
        self._side_calls = _Crowd(rules.side_calls, rules.side_calls_per_peer)
        self._hellos = _Rates(*rules.hellos, now)
        self._wrong_tokens = _Rates(*rules.wrong_tokens, now)

    @contextmanager
    def unheard(self, peer: str) -> Iterator[None]:
        """Count a stream without a hello while the context is open. Raises TurnedAwayError."""
        with self._unheard.one_more(peer):
            yield

    @contextmanager
    def side_call(self, peer: str) -> Iterator[None]:
        """Count a call beside the game while the context is open. Raises TurnedAwayError."""
        with self._side_calls.one_more(peer):
            yield

    def check_size(self, size: int) -> None:
        """Look at a hello's bytes, before it is read. Raises TurnedAwayError."""
        if size > self.rules.hello_bytes:
            raise TurnedAwayError(f"a hello has at most {self.rules.hello_bytes} bytes")

    def check_unknown(self, peer: str) -> None:
        """Count a hello without a known token, before more is tried. Raises TurnedAwayError."""
        if not self._hellos.take(peer):
            raise TurnedAwayError("too many hellos from your address; try again later")

    def may_hear_why(self, peer: str) -> bool:
        """Count a wrong token; return whether it is still worth an answer and a line of log."""
        return self._wrong_tokens.take(peer)


class _Crowd:
    """How many of something are there at once, in all and by address."""

    def __init__(self, most: int, most_per_peer: int) -> None:
        self._most = most
        self._most_per_peer = most_per_peer
        self._count = 0
        self._by_peer: Counter[str] = Counter()

    @contextmanager
    def one_more(self, peer: str) -> Iterator[None]:
        if self._count >= self._most or self._by_peer[peer] >= self._most_per_peer:
            raise TurnedAwayError("too many streams at once; try again later")
        self._count += 1
        self._by_peer[peer] += 1
        try:
            yield
        finally:
            self._count -= 1
            self._by_peer[peer] -= 1
            if not self._by_peer[peer]:
                del self._by_peer[peer]


class _Rates:
    """A bucket of tokens per address."""

    def __init__(self, burst: int, per_s: float, now: Callable[[], float]) -> None:
        self._burst = burst
        self._per_s = per_s
        self._now = now
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, peer: str) -> bool:
        now = self._now()
        level, since = self._buckets.pop(peer, (float(self._burst), now))
        level = min(self._burst, level + (now - since) * self._per_s)
        granted = level >= 1
        self._buckets[peer] = (level - granted, now)
        if len(self._buckets) > _MOST_PEERS:
            self._buckets.popitem(last=False)
        return granted


def address_of(peer: str) -> str:
    """Return whom gRPC's name of a peer stands for, the same for all its ports.

    A network of IPv6 that may belong to one customer counts as one.
    """
    kind, _, rest = peer.partition(":")
    host = unquote(rest).rpartition(":")[0].strip("[]")
    if kind != "ipv6":
        return host or peer
    try:
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((address, _SHARED_BITS), strict=False))

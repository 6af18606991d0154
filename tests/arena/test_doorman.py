"""What strangers may cost."""

import pytest

from arena.doorman import Doorman, DoorRules, TurnedAwayError, address_of

ADDRESSES = [
    ("ipv4:1.2.3.4:5", "1.2.3.4", "the port is another each time"),
    ("ipv6:%5B::1%5D:5", "::/48", "gRPC quotes brackets"),
    ("ipv6:[2001:db8:1:2:3::4]:5", "2001:db8:1::/48", "a customer has them all"),
    ("ipv6:[2001:db8:1:ffff::4]:5", "2001:db8:1::/48", "from another of its networks"),
    ("ipv6:[2001:db8:2:2::4]:5", "2001:db8:2::/48", "another customer"),
    ("ipv6:[fe80::1%25eth0]:5", "fe80::/48", "with a zone"),
    ("ipv6:[::ffff:1.2.3.4]:5", "1.2.3.4", "an address of the old kind"),
    ("unix:/x", "unix:/x", "no port"),
    ("ipv6:[nonsense]:5", "nonsense", "never refused for its looks"),
]


@pytest.mark.parametrize(("peer", "address", "because"), ADDRESSES)
def test_addresses(peer: str, address: str, because: str) -> None:
    assert address_of(peer) == address, because


def test_crowds() -> None:
    doorman = Doorman(DoorRules(unheard=3, unheard_per_peer=2))
    with doorman.unheard("a"), doorman.unheard("a"):
        with pytest.raises(TurnedAwayError), doorman.unheard("a"):
            pytest.fail("one too many of a peer")
        with doorman.unheard("b"), pytest.raises(TurnedAwayError), doorman.unheard("c"):
            pytest.fail("one too many in all")
        with doorman.unheard("c"):
            pass
    with doorman.unheard("a"), doorman.side_call("a"):
        pass


def test_rates() -> None:
    time = 0.0
    doorman = Doorman(DoorRules(hellos=(2, 0.5), wrong_tokens=(1, 1.0)), lambda: time)
    for _ in range(2):
        doorman.check_unknown("a")
    with pytest.raises(TurnedAwayError, match="too many hellos"):
        doorman.check_unknown("a")
    doorman.check_unknown("b")
    time = 1.9
    with pytest.raises(TurnedAwayError):
        doorman.check_unknown("a")
    time = 2.1
    doorman.check_unknown("a")
    assert [doorman.may_hear_why("a") for _ in range(3)] == [True, False, False]
    time = 1000
    assert [doorman.may_hear_why("a") for _ in range(3)] == [True, False, False]


def test_the_size_of_a_hello() -> None:
    doorman = Doorman(DoorRules(hello_bytes=100))
    doorman.check_size(100)
    with pytest.raises(TurnedAwayError, match="at most 100 bytes"):
        doorman.check_size(101)


def test_memory_is_bounded_whoever_comes() -> None:
    doorman = Doorman(DoorRules())
    for number in range(20_000):
        doorman.check_unknown(f"peer {number}")
        with doorman.unheard(f"peer {number}"):
            pass
    assert len(doorman._hellos._buckets) < 5_000
    assert not doorman._unheard._by_peer

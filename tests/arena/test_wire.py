"""The border to protobuf: what bots may say, and that what the arena says arrives whole."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import dealing, rulebook, wire
from arena.open_deal import OpenDeal, seat_keys
from arena.records import Key
from arena.v1 import arena_pb2
from arena.v1.arena_pb2 import Answer, Hello, PlayRequest, PlayResponse
from engine.action_ids import KLOPFEN
from engine.model import Carried, Deal
from engine.rules import new_deal, play
from engine.ruleset import rule_set
from engine.view import observe
from tests.arena.sessions import SECRET, deals


def request(**kind: object) -> bytes:
    return PlayRequest(**kind).SerializeToString()


@pytest.mark.parametrize(("said", "batch"), [(0, 1), (1, 1), (64, 64), (2**32 - 1, 2**32 - 1)])
def test_hello(said: int, batch: int) -> None:
    data = request(hello=Hello(token="t", name="Ödön 1", version="2", protocol=1, max_batch=said))
    assert wire.read_hello(data) == wire.Hello("t", "Ödön 1", "2", 1, batch, False)


def test_the_shortest_hello() -> None:
    assert wire.read_hello(request(hello=Hello())) == wire.Hello("", "", "", 0, 1, False)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the first message must be hello"),
        (request(answer=Answer(ask_id=1)), "the first message must be hello"),
        (b"\xff\xff\xff", "3 bytes that are no PlayRequest"),
        (b"GET / HTTP/1.1\r\n", "16 bytes that are no PlayRequest"),
        (b"\x0a\x04\x0a\x02\xff\xfe", "6 bytes that are no PlayRequest"),  # a token not in UTF-8
        (request(hello=Hello(name="x" * 201)), r"hello\.name is longer than 200 characters"),
        (request(hello=Hello(version="x" * 201)), r"hello\.version is longer than 200"),
    ],
)
def test_what_is_no_hello(data: bytes, why: str) -> None:
    with pytest.raises(wire.GarbledError, match=f"^{why}"):
        wire.read_hello(data)


def test_a_name_of_200_umlauts_is_short_enough() -> None:
    assert wire.read_hello(request(hello=Hello(name="ö" * 200))).name == "ö" * 200


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "expected an answer"),
        (request(hello=Hello()), "expected an answer"),
        (b"\x12\x05\x08", "3 bytes that are no PlayRequest"),
    ],
)
def test_what_is_no_answer(data: bytes, why: str) -> None:
    with pytest.raises(wire.GarbledError, match=f"^{why}"):
        wire.read_answer(data)


@given(st.integers(0, 2**32 - 1), st.binary(max_size=300))
def test_answers_arrive_as_they_were_sent(ask_id: int, actions: bytes) -> None:
    data = request(answer=Answer(ask_id=ask_id, actions=actions))
    assert wire.read_answer(data) == wire.Answer(ask_id, actions)


@given(st.binary(max_size=64))
def test_no_bytes_do_more_than_garble(data: bytes) -> None:
    for read in (wire.read_hello, wire.read_answer):
        with contextlib.suppress(wire.GarbledError):
            assert isinstance(read(data), (wire.Hello, wire.Answer))


def test_an_unknown_field_is_ignored() -> None:
    data = request(answer=Answer(ask_id=3, actions=b"\x21")) + b"\xfa\x07\x03new"
    assert wire.read_answer(data) == wire.Answer(3, b"\x21")


def in_all_house_rules() -> Deal:
    """A deal of which a seat is told everything that only some house rules have."""
    base = rulebook.effective("sauspiel")
    session = {"stock": 10, "bock_deals": 1, "bock_after": ["tie"]}
    auction = {**base["auction"], "pass_out": "next_deal"}
    rules = rule_set({**base, "auction": auction, "session": session})
    hands = dealing.hands(SECRET, 0, rules.deck)
    halves = dealing.first_halves(SECRET, 0, rules.deck)
    deal = new_deal(rules, hands, 0, halves, Carried(stock=40, bock=1))
    play(deal, KLOPFEN)
    return deal


def test_questions_arrive_as_the_seat_sees_them() -> None:
    unusual = OpenDeal(Key(0, 0, 0, 9, 9), in_all_house_rules(), seat_keys(SECRET, "shard"))
    batch = [*deals(3), unusual]
    for _ in range(5):  # different places in the deal, too
        play(batch[2].deal, batch[2].deal.legal[-1])
    message = PlayResponse.FromString(wire.ask(7, 300, [each.question() for each in batch])).ask
    assert (message.ask_id, message.budget_ms, len(message.decisions)) == (7, 300, 4)
    for deal, decision in zip(batch, message.decisions, strict=True):
        seen = observe(deal.deal)._asdict()
        house = seen.pop("house")
        seen |= {} if house is None else house._asdict()
        assert {name: getattr(decision, name) for name in seen} == seen
        question = deal.question()
        assert (decision.handle, decision.seed) == (question.handle, question.seed)


@pytest.mark.parametrize("reason", ["finished", "refused", "stood_down", "stopped"])
def test_goodbyes(reason: str) -> None:
    goodbye = PlayResponse.FromString(wire.goodbye(reason, "because")).goodbye
    name = arena_pb2.GoodbyeReason.Name(goodbye.reason)
    assert (name, goodbye.detail) == (f"GOODBYE_REASON_{reason.upper()}", "because")


@pytest.mark.parametrize("kind", ["late", "illegal", "garbled", "gone"])
def test_faults(kind: str) -> None:
    fault = PlayResponse.FromString(wire.fault(5, kind, "why", 3)).fault
    assert arena_pb2.FaultKind.Name(fault.kind) == f"FAULT_KIND_{kind.upper()}"
    assert (fault.ask_id, fault.detail, fault.strikes) == (5, "why", 3)


def test_losses_are_negative() -> None:
    ended = PlayResponse.FromString(wire.deal_ended(2**32 - 1, -50, b"\x00\x21")).deal_ended
    assert (ended.handle, ended.payoff, ended.plays) == (2**32 - 1, -50, b"\x00\x21")

"""Between protobuf messages and ours: the only place that knows both."""

from collections.abc import Sequence
from typing import Final

import msgspec
from google.protobuf.message import DecodeError

from arena.records import Limits
from arena.v1 import arena_pb2
from engine.view import House, Observation

PROTOCOL: Final = 1
"""Revision of the protocol that this arena speaks."""

_NAME_LIMIT: Final = 200

_FAULT_KINDS: Final = {
    "late": arena_pb2.FAULT_KIND_LATE,
    "illegal": arena_pb2.FAULT_KIND_ILLEGAL,
    "garbled": arena_pb2.FAULT_KIND_GARBLED,
    "gone": arena_pb2.FAULT_KIND_GONE,
}
_GOODBYES: Final = {
    "finished": arena_pb2.GOODBYE_REASON_FINISHED,
    "refused": arena_pb2.GOODBYE_REASON_REFUSED,
    "stood_down": arena_pb2.GOODBYE_REASON_STOOD_DOWN,
    "stopped": arena_pb2.GOODBYE_REASON_STOPPED,
}


class GarbledError(Exception):
    """A bot's message can't be read as what it should be; the text says why."""


class Hello(msgspec.Struct, frozen=True):
    """How a bot introduces itself."""

    token: str
    name: str
    version: str
    protocol: int
    max_batch: int
    """At least 1."""
    want_deal_ended: bool
    resume: str = ""
    """Ticket of a broken stream, to go on in its place."""


class Answer(msgspec.Struct, frozen=True):
    """A bot's answer to an ask; legality is for the rules to judge."""

    ask_id: int
    actions: bytes


class Question(msgspec.Struct, frozen=True):
    """One decision of an ask."""

    handle: int
    seed: int
    observation: Observation
    bank_ms: int = 0
    """What is left of the seat's time for this deal, where it is limited."""


def read_hello(data: bytes) -> Hello:
    """Read the first message of a stream. Raises GarbledError."""
    request = _request(data)
    if request.WhichOneof("kind") != "hello":
        raise GarbledError("the first message must be hello")
    hello = request.hello
    for field, text in (("name", hello.name), ("version", hello.version)):
        if len(text) > _NAME_LIMIT:
            raise GarbledError(f"hello.{field} is longer than {_NAME_LIMIT} characters")
    return Hello(
        token=hello.token,
        name=hello.name,
        version=hello.version,
        protocol=hello.protocol,
        max_batch=max(1, hello.max_batch),
        want_deal_ended=hello.want_deal_ended,
        resume=hello.resume,
    )


def read_answer(data: bytes) -> Answer:
    """Read any later message of a stream. Raises GarbledError."""
    request = _request(data)
    if request.WhichOneof("kind") != "answer":
        raise GarbledError("expected an answer")
    return Answer(request.answer.ask_id, request.answer.actions)


def _request(data: bytes) -> arena_pb2.PlayRequest:
    try:
        return arena_pb2.PlayRequest.FromString(data)
    except DecodeError:
        raise GarbledError(f"{len(data)} bytes that are no PlayRequest") from None


def welcome(*, seat: int, rule_set_json: str, limits: Limits, max_batch: int) -> bytes:
    """Encode the reply to a hello. `max_batch` is what this bot really gets."""
    return arena_pb2.PlayResponse(
        welcome=arena_pb2.Welcome(
            seat=seat,
            rule_set_json=rule_set_json,
            decision_ms=limits.decision_ms,
            margin_ms=limits.margin_ms,
            bank_ms=limits.bank_ms or 0,
            increment_ms=limits.increment_ms,
            cpu_ms=limits.cpu_ms or 0,
            max_batch=max_batch,
            strike_limit=limits.strikes,
            protocol=PROTOCOL,
        )
    ).SerializeToString()


def ask(ask_id: int, budget_ms: int, questions: Sequence[Question]) -> bytes:
    """Encode a batch of decisions."""
    response = arena_pb2.PlayResponse()
    message = response.ask
    message.ask_id = ask_id
    message.budget_ms = budget_ms
    add = message.decisions.add
    for question in questions:
        seat, forehand, hand, auction, game, declarer, plays, stoss, legal, house = (
            question.observation
        )
        decision = add(
            handle=question.handle,
            seed=question.seed,
            seat=seat,
            forehand=forehand,
            hand=hand,
            auction=auction,
            game=game,
            declarer=declarer,
            plays=plays,
            stoss=stoss,
            legal=legal,
        )
        if house is not None:
            _add_house_rules(decision, house)
        if question.bank_ms:
            decision.bank_ms = question.bank_ms
    return response.SerializeToString()


def decision(question: Question) -> bytes:
    """Encode one decision as it stands within an ask."""
    response = arena_pb2.PlayResponse.FromString(ask(1, 1, [question]))
    return response.ask.decisions[0].SerializeToString()


def _add_house_rules(decision: arena_pb2.Decision, house: House) -> None:
    decision.klopfen = house.klopfen
    decision.exchange = house.exchange
    decision.stock = house.stock
    decision.bock = house.bock
    decision.tally = house.tally


def fault(ask_id: int, kind: str, detail: str, strikes: int) -> bytes:
    """Encode the report of a bot's own fault."""
    return arena_pb2.PlayResponse(
        fault=arena_pb2.Fault(
            ask_id=ask_id, kind=_FAULT_KINDS[kind], detail=detail, strikes=strikes
        )
    ).SerializeToString()


def deal_ended(handle: int, payoff: int, plays: bytes) -> bytes:
    """Encode the report of a finished deal."""
    return arena_pb2.PlayResponse(
        deal_ended=arena_pb2.DealEnded(handle=handle, payoff=payoff, plays=plays)
    ).SerializeToString()


def goodbye(reason: str, detail: str) -> bytes:
    """Encode the last message of a stream."""
    return arena_pb2.PlayResponse(
        goodbye=arena_pb2.Goodbye(reason=_GOODBYES[reason], detail=detail)
    ).SerializeToString()


def is_welcome(message: bytes) -> bool:
    """Tell whether one of our encoded messages is a welcome, without decoding it."""
    return message[0] >> 3 == arena_pb2.PlayResponse.WELCOME_FIELD_NUMBER


def is_ask(message: bytes) -> bool:
    """Tell whether one of our encoded messages is an ask, without decoding it."""
    return message[0] >> 3 == arena_pb2.PlayResponse.ASK_FIELD_NUMBER


def with_ticket(welcome_message: bytes, ticket: str, reconnect_ms: int) -> bytes:
    """Return an encoded welcome with what a broken stream is resumed by."""
    response = arena_pb2.PlayResponse.FromString(welcome_message)
    response.welcome.resume = ticket
    response.welcome.reconnect_ms = reconnect_ms
    return response.SerializeToString()


def with_time_left(ask_message: bytes, passed_ms: float) -> bytes | None:
    """Return an encoded ask with the rest of its time, or None when none is left."""
    response = arena_pb2.PlayResponse.FromString(ask_message)
    left_ms = int(response.ask.budget_ms - passed_ms)
    if left_ms < 1:
        return None
    response.ask.budget_ms = left_ms
    return response.SerializeToString()


def settled(ask_message: bytes, heard: Sequence[bytes]) -> bool:
    """Tell whether one of a bot's messages ends this encoded ask, be it as an unreadable one."""
    if not heard:
        return False
    ask_id = arena_pb2.PlayResponse.FromString(ask_message).ask.ask_id
    try:
        return any(read_answer(message).ask_id == ask_id for message in heard)
    except GarbledError:
        return True

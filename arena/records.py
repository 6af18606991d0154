"""The lines of a journal as records. Their JSON form is the published log schema."""

from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import Meta

FORMAT = 1
"""Version of the journal's format; a reader refuses a newer one."""


class Key(msgspec.Struct, frozen=True, array_like=True, order=True, forbid_unknown_fields=True):
    """Names one deal of a league: the place in the schedule and the deal's number."""

    lineup: int
    arrangement: int
    seating: int
    session: int
    deal: int


Seat = Annotated[int, Meta(ge=0, le=3)]
BotIndex = Annotated[int, Meta(ge=0)]
"""One of the header's bots; readers refuse an index beyond them."""

Deals = Annotated[int, Meta(ge=1, le=1 << 32)]
SliceDeals = Annotated[int, Meta(ge=1, le=1_000_000)]
SessionDeals = Annotated[int, Meta(ge=1, le=10_000)]

Level = Literal["none", "limits", "landlock", "bubblewrap"]
"""How far bots are kept apart from the machine, the weakest first."""
LEVELS: Final[tuple[Level, ...]] = get_args(Level)


class BotEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One bot as it took part."""

    name: str
    version: str
    command: tuple[str, ...]
    folder: str
    """Working directory of the command; its files are hashed into `digest`."""
    digest: str
    """SHA-256 over the command and the contents of its files, hexadecimal."""
    readable: tuple[str, ...] = ()
    """Files and folders that a sandbox shows it beside its own folder and its programs."""
    remote: bool = False
    """Whether the bot dials in by itself. Then command, folder and digest are empty, and
    nobody can keep what it saw at one table from what it does at another."""


Times = tuple[int, int, int | None, int]
"""When a decision was queued, sent, received (null where nothing came while it was waited for)
and judged: microseconds of the arena's monotonic clock since its shard began."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time, patience and the machine's goods, as really used."""

    startup_ms: Annotated[int, Meta(ge=100, le=600_000)] = 10_000
    """From launching a process, or asking for a remote bot, to having its hello."""
    decision_ms: Annotated[int, Meta(ge=1, le=30_000)] = 400
    """Time of one decision, from handing over the question to reading the answer."""
    margin_ms: Annotated[int, Meta(ge=0, le=10_000)] = 0
    """An answer that comes no more than this after its time still counts."""
    bank_ms: Annotated[int, Meta(ge=1, le=3_600_000)] | None = None
    """Time of one seat for all its decisions of one deal; null where there is no such limit."""
    increment_ms: Annotated[int, Meta(ge=0, le=30_000)] = 0
    """Added to that bank after each decision."""
    cpu_ms: Annotated[int, Meta(ge=1, le=30_000)] | None = None
    """CPU time of one decision, as the bot's own processes use it; null for no such limit."""
    strikes: Annotated[int, Meta(ge=0, le=1_000_000)] = 20
    """A bot with more strikes than this within one shard is stood down."""
    failing_shards: Annotated[int, Meta(ge=1, le=1_000_000)] = 3
    """A bot that was stood down in so many shards in a row isn't started again in that run."""
    max_batch: Annotated[int, Meta(ge=1, le=256)] = 256
    """Cap on what a bot asks for."""
    memory_mb: Annotated[int, Meta(ge=16, le=1 << 22)] = 1024
    """Resident memory of a bot's processes, added up."""
    processes: Annotated[int, Meta(ge=8, le=100_000)] = 256
    """Processes and threads of a bot."""
    open_files: Annotated[int, Meta(ge=32, le=1 << 20)] = 1024
    """Of each of a bot's processes."""
    disk_mb: Annotated[int, Meta(ge=1, le=1 << 22)] = 64
    """What a bot may keep in files, each counted as a memory page at least: in each of its folders
    in bubblewrap's sandbox, else in its scratch folder, and in each file."""
    reconnect_ms: Annotated[int, Meta(ge=0, le=600_000)] = 10_000
    """Time for a remote bot to come back when its stream breaks; clocks run on meanwhile."""


class Recording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What deal lines hold beyond the usual."""

    times: bool = False
    """Whether they hold the four times of each decision."""
    sent: bool = False
    """Whether they hold digests of what each seat was sent."""


class Schedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything the order of work follows from, together with the bots."""

    deals: Deals
    """Deals per lineup; each is played in all seatings of its arrangement."""
    slice_deals: SliceDeals
    """Deals of one shard."""
    session_deals: SessionDeals
    """Deals of one session; 1 for rule sets that carry nothing from deal to deal."""
    lineups: Annotated[
        tuple[tuple[BotIndex, BotIndex, BotIndex, BotIndex], ...], Meta(min_length=1)
    ]
    """Each lineup's four bots as indexes into the header's bots."""
    fixed_partners: bool = False
    """Whether the rules make partners of those who sit opposite, so that pairings take turns."""


class Origin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The journal whose deals were settled anew by other rules."""

    commitment: str
    """As in that journal's header; the secret is the same."""
    chain: str
    """That journal's last chain, which stands for all of it."""
    rules: str
    """Name of the rules that the deals were played by."""
    arena: str
    """Version of the arena that settled them anew."""


class Header(msgspec.Struct, frozen=True, tag_field="kind", tag="header"):
    """First line of a journal."""

    format: int
    league: str
    created: str
    """UTC, ISO 8601."""
    arena: str
    """Version of the arena."""
    protocol: int
    rules: dict[str, object]
    """The effective rule set in full, with the keys of a rule-set file."""
    bots: Annotated[tuple[BotEntry, ...], Meta(min_length=1)]
    schedule: Schedule
    limits: Limits
    commitment: str
    """Commits to the secret from which all deals follow; hexadecimal."""
    open: bool
    """Whether the operator chose the secret, so that deals could be known beforehand."""
    isolation: Level
    """Runs that went on with the league had no less; their incidents tell."""
    recording: Recording = Recording()
    open_deals: int | None = None
    """Deals in play at once at a table; null where only batches decide that."""
    rescored_from: Origin | None = None
    """Where the deals were played; null where they were played for this journal."""
    chain: str = ""
    """As in a deal's line, with 64 zeros for the chain before."""


class FaultLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One decision that the house made in a bot's place."""

    seat: Seat
    decision: int
    """Index of the decision within the deal's actions."""
    fault: Literal["late", "illegal", "garbled", "gone"]
    detail: str


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a deal ended."""

    game: str | None
    """Key of the game type; null for a passed-out deal."""
    declarer: Seat | None
    side: tuple[Seat, ...]
    """Seats of the declarer's side."""
    points: tuple[int, int, int, int]
    """Augen per seat."""
    tricks: tuple[int, int, int, int]
    won: bool | None
    """Whether the declarer's side won."""
    schneider: bool
    schwarz: bool
    laufende: int
    """Length of the row that counted; 0 where it is too short or not paid."""
    doublings: int


class CarriedLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What earlier deals of the session left to a deal."""

    stock: int
    """Money in the Stock, which belongs to all seats alike."""
    bock: int
    """Deals that are still doubled, this one included."""
    strokes: tuple[int, int]
    """Strokes towards a Schafkopf of seats 0 and 2, and of seats 1 and 3."""
    schafkoepfe: tuple[int, int]
    """Schafköpfe of the match, in the same order."""


class DealLine(msgspec.Struct, frozen=True, tag_field="kind", tag="deal"):
    """One finished deal."""

    key: Key
    seats: tuple[BotIndex, BotIndex, BotIndex, BotIndex]
    """The bot of each seat as an index into the header's bots."""
    forehand: Seat
    hands: tuple[str, str, str, str]
    auction: tuple[tuple[Seat, str], ...]
    """Seat and call, in order."""
    stoss: tuple[Seat, ...]
    """Seats that doubled, in order."""
    plays: tuple[tuple[Seat, str], ...]
    """Seat and card, in order, the last trick included."""
    actions: str
    """Every answer in the order of the questions, by name; replays the deal."""
    asked: tuple[int, int, int, int]
    """Questions put to each seat."""
    think_us: tuple[int, int, int, int]
    """Think time per seat in microseconds; a batch's time is shared by its decisions."""
    faults: tuple[FaultLine, ...]
    stood_down: tuple[Seat, ...]
    """Seats whose bot was stood down by the end; who was never asked voids the deal for ratings."""
    result: Result
    payoff: tuple[int, int, int, int]
    """Gain per seat in units of the tariff; sums to 0."""
    first: tuple[str, ...] = ()
    """The half of each hand that was dealt first, where that matters: with Klopfen."""
    klopfen: tuple[Seat, ...] = ()
    """Seats that doubled before the auction, in order."""
    carried: CarriedLine | None = None
    """What the session's earlier deals left; null for rules that carry nothing."""
    cpu_us: tuple[int, ...] = ()
    """CPU time per seat in microseconds, where it is limited; shared like think time."""
    times: tuple[Times | None, ...] = ()
    """The times of each action's decision, where they are recorded; null for one that was not
    asked, since the house plays for that seat or its time was used up."""
    sent: tuple[str, ...] = ()
    """Per seat a digest of what it was sent in this deal, where the header asks for it."""
    thought_us: tuple[int, ...] = ()
    """Think times of all decisions that were asked, in order and in microseconds, where there are
    digests and time banks: what was left of a bank follows from them."""
    chain: str = ""
    """SHA-256 over the line before and this line without `chain`; hexadecimal."""


class IncidentLine(msgspec.Struct, frozen=True, tag_field="kind", tag="incident"):
    """Something that went wrong outside the deals."""

    time: str
    """UTC, ISO 8601."""
    incident: Literal[
        "shard_lost",
        "bot_failed",
        "bot_suspended",
        "bot_changed",
        "resumed",
        "torn_line",
        "reconnected",
        "seen_deals",
    ]
    detail: str
    shard: str | None = None
    bot: str | None = None
    isolation: Level | None = None
    """From here on, where the league was resumed."""
    seen: tuple[Key, ...] = ()
    """Sessions, by their first deals, that remote bots saw before something broke: they
    are not played again."""
    chain: str = ""


class Footer(msgspec.Struct, frozen=True, tag_field="kind", tag="footer"):
    """Last line of a finished league."""

    time: str
    deals: int
    """Deal lines in the journal."""
    missing: tuple[Key, ...]
    """Keys that could not be played after repeated incidents."""
    secret: str
    """Hexadecimal."""
    chain: str = ""


Line = Header | DealLine | IncidentLine | Footer


def encode_body(line: Line) -> bytes:
    """Return a line's JSON object without `chain`, which the journal's writer adds."""
    empty_chain = b',"chain":""}'
    encoded = msgspec.json.encode(line)
    assert encoded.endswith(empty_chain), "a line that is already chained is written only once"
    return encoded.removesuffix(empty_chain) + b"}"

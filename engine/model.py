"""The records that the rules work on: game types, rule sets, and a deal in play."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from engine.cards import PLAIN_RANKS, Rank, Suit
from engine.switches import (
    AuctionRules,
    DutyRules,
    FollowRules,
    LaufendeRules,
    RamschRules,
    SessionRules,
    StossRules,
    Tariff,
    Thresholds,
)

StepFunction = Callable[["Deal", int], None]
Four = tuple[int, int, int, int]

LOOKED_UP = {"looked_up": True}
"""Marks fields of a rule set that follow from the others and stand in no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameType:
    """One game that can be announced. The rules read this record and never its key."""

    key: str
    """Stable name; stands in journals, so it is never given away again."""
    family: str
    """What a rule set lists and ranks; the suits of a family rank alike."""
    kind: str
    """What a rule set prices; a Tout is of the kind it intensifies."""
    announcement: int
    """The action that announces it."""
    trump_ranks: tuple[Rank, ...]
    """Ranks that are trumps in every suit, strongest first."""
    trump_suit: Suit | None
    """The suit below those ranks, if any."""
    may_announce: Callable[[int], bool]
    """Whether a dealt hand entitles to it."""
    side: Callable[["Deal"], int]
    """The seats of the declarer's side, one bit each, from the dealt hands."""
    settle: Callable[["Deal"], "Settlement"]
    """The result of a finished deal."""
    plain_order: tuple[Rank, ...] = PLAIN_RANKS
    """A suit from strong to weak, as far as it isn't trump."""
    bid: int | None = None
    """The action that bids the family before the suit is named, where that is done."""
    may_announce_forced: Callable[[int], bool] | None = None
    """Whether a hand entitles who must play, where that is more than `may_announce`."""
    announced: bool = True
    """Whether somebody announces it; otherwise it is what a pass-out leads to."""
    everybody_alone: bool = False
    """Whether there is no declarer and no side."""
    hidden_partner: bool = False
    """Whether the sides stay unknown until a card shows them."""
    bound_seat: Callable[["Deal"], int | None] | None = None
    """The seat, if any, that has duties beyond following suit."""
    restrict: Callable[["Deal", int], int] | None = None
    """Narrows what the bound seat may play; leaves at least one card."""
    releases: Callable[["Deal", int], bool] | None = None
    """Whether the bound seat's duties end with this card that it just played."""
    tout: bool = False
    """Whether the declarer must take every trick."""
    wins_at_once: bool = False
    """Whether no card is played because nothing could change the result."""
    over: Callable[["Deal"], bool] | None = None
    """Whether the deal is decided after a trick, so that the rest isn't played."""
    fixed_partners: bool = False
    """Whether the sides are those who sit opposite each other."""


@dataclass(frozen=True, slots=True)
class Order:
    """Which cards follow which and which win, compiled from a game type."""

    trumps: int
    """All trumps, as a set."""
    ranked_trumps: tuple[int, ...]
    """All trumps, strongest first."""
    follow: tuple[int, ...]
    """For each card led, the set of cards that follow it."""
    otherwise: int
    """What must be played by a seat that can't follow and has it: trumps, or nothing."""
    powers: tuple[tuple[int, ...], ...]
    """For each card led, the strength of every laid card (seat * 32 + card); 0 can't win."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """A way to hold the auction."""

    key: str
    begin: Callable[["Deal"], None]
    """Puts the first question; later ones follow from the deal's step function."""
    problem: Callable[["RuleSet"], str | None]
    """Why these rules can't be played with this procedure, if they can't."""


@dataclass(frozen=True, slots=True)
class PassOut:
    """A way to go on when nobody wants to play."""

    key: str
    begin: Callable[["Deal"], None]
    games: tuple[GameType, ...] = ()
    """Games that it may lead to and that nobody announces."""
    problem: Callable[["RuleSet"], str | None] | None = None
    """Why these rules can't go on in this way, if they can't."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What goes on from deal to deal of a session."""

    stock: int = 0
    """Money in the Stock; it belongs to all four seats alike."""
    bock: int = 0
    """Deals that are still doubled, this one included."""
    strokes: tuple[int, int] = (0, 0)
    """Strokes towards a Schafkopf of seats 0 and 2, and of seats 1 and 3."""
    schafkoepfe: tuple[int, int] = (0, 0)
    """Schafköpfe of the match so far."""


NOTHING_CARRIED = Carried()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """A table's house rules, with the records that they name looked up."""

    name: str
    title: str = ""
    source: str = ""
    """Where the rules are written down."""
    deck: Literal[32, 24] = 32
    """Cards in the deck."""
    leader: Literal["forehand", "declarer"] = "forehand"
    """Who leads the first trick."""
    klopfen: bool = False
    """Whether each seat may double after seeing the first half of its hand."""
    auction: AuctionRules
    follow: FollowRules = FollowRules()
    ramsch: RamschRules = RamschRules()
    duties: DutyRules = DutyRules()
    stoss: StossRules = StossRules()
    thresholds: Thresholds = Thresholds()
    laufende: LaufendeRules = LaufendeRules()
    session: SessionRules = SessionRules()
    tariff: Tariff
    procedure: Procedure = field(metadata=LOOKED_UP, compare=False, repr=False)
    games: tuple[GameType, ...] = field(metadata=LOOKED_UP, compare=False, repr=False)
    """All games that may be announced, in order of their announcement."""
    rank: dict[int, int] = field(metadata=LOOKED_UP, compare=False, repr=False)
    """Rank of each game by its announcement; higher beats lower."""
    pass_out: "PassOut" = field(metadata=LOOKED_UP, compare=False, repr=False)
    rare: bool = field(metadata=LOOKED_UP, compare=False, repr=False)
    """Whether observations hold more than most rules need: see `view.House`."""
    orders: dict[int, Order] = field(metadata=LOOKED_UP, compare=False, repr=False)
    """The order of each game by its announcement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """How a deal ended. `payoff` sums to 0."""

    side: tuple[int, ...] = ()
    won: bool | None = None
    schneider: bool = False
    schwarz: bool = False
    laufende: int = 0
    """Length of the row that counted; 0 where it is too short or not paid."""
    payoff: Four = (0, 0, 0, 0)


class Bidding:
    """What an auction's procedure remembers; each uses what it needs."""

    __slots__ = ("bidders", "challengers", "held", "holder", "kind", "locked")

    def __init__(self) -> None:
        self.bidders: list[int] = []
        """Seats that want to play, in order."""
        self.holder: int | None = None
        """The bidder who is ahead while kinds of games are bid."""
        self.held = -1
        """Rank of the holder's bid."""
        self.kind = 0
        """The holder's bid."""
        self.challengers: list[int] = []
        """Bidders that are still to be asked for a kind."""
        self.locked: list[tuple[int, int]] = []
        """Seats and the suits that they secretly locked with their reports."""


class Deal:
    """A deal in play, changed by `rules.play` alone; `view` decides what a seat is shown."""

    __slots__ = (
        "auction",
        "bidding",
        "bound",
        "carried",
        "dealt",
        "declarer",
        "exchange",
        "finished",
        "first",
        "follow",
        "forced",
        "forehand",
        "game",
        "hands",
        "klopfen",
        "knocking",
        "legal",
        "lying",
        "mover",
        "opening",
        "order",
        "otherwise",
        "plays",
        "points",
        "poll",
        "polled",
        "rules",
        "side",
        "step",
        "stoss",
        "tricks",
        "turn",
        "window",
    )

    def __init__(  # noqa: PLR0915  # a line per field, and one to explain it
        self,
        rules: RuleSet,
        hands: Four,
        forehand: int,
        step: StepFunction,
        first: Four = (0, 0, 0, 0),
        carried: Carried = NOTHING_CARRIED,
    ) -> None:
        self.rules = rules
        self.carried = carried
        self.dealt = hands
        self.opening = hands
        """The hands with which play begins, after an exchange."""
        self.exchange: tuple[int, int, int, int] | None = None
        """In a Hochzeit: who offered, who took, the trump, and the card returned."""
        self.first = first
        """The half of each hand that is seen before the rest is dealt."""
        self.hands = list(hands)
        self.forehand = forehand
        self.turn = forehand
        """The seat that is asked."""
        self.mover = forehand
        """During a poll the seat whose card comes next."""
        self.legal = b""
        """What the asked seat may answer: action numbers, ascending."""
        self.step = step
        self.finished = False
        self.auction = bytearray()
        """Two bytes per call: seat, action."""
        self.bidding = Bidding()
        self.game: GameType | None = None
        self.declarer: int | None = None
        self.side = 0
        """Seats of the declarer's side, one bit each."""
        self.bound: int | None = None
        """The seat with duties beyond following suit, while it has them."""
        self.plays = bytearray()
        """One byte per card: seat * 32 + card."""
        self.stoss = bytearray()
        self.klopfen = bytearray()
        """Seats that doubled before the auction."""
        self.knocking = False
        """Whether only the first half of each hand is dealt yet."""
        self.forced = False
        """Whether the declarer plays because he has to."""
        self.window = False
        """Whether doubling is still possible."""
        self.polled = False
        """Whether the poll before the window closes was held."""
        self.poll: list[int] = []
        """Seats that are still to be polled."""
        self.points = [0, 0, 0, 0]
        self.tricks = [0, 0, 0, 0]
        self.lying = 0
        """Cards of the open trick."""
        self.order: Order | None = None
        self.follow = 0
        """Cards that follow the card led."""
        self.otherwise = 0
        """Cards of which one must be played by a seat that can't follow, if it has any."""

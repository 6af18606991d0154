"""The records that the rules work on: game types, rule sets, and a deal in play."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from engine.cards import Rank, Suit

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


@dataclass(frozen=True, slots=True)
class Procedure:
    """A way to hold the auction."""

    key: str
    begin: Callable[["Deal"], None]
    """Puts the first question; later ones follow from the deal's step function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuctionRules:
    """How the declarer is found (dossier section 2)."""

    procedure: str
    """Key of the auction's procedure."""
    ranking: tuple[tuple[str, ...], ...]
    """Families of games from low to high; families in one group rank alike."""
    partner_games_first_bidder_only: bool = True
    """Whether only the first bidder may announce a game with a hidden partner."""
    pass_out: Literal["next_deal"] = "next_deal"
    """What follows when nobody wants to play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DutyRules:
    """What the holder of a called ace must and may not do (dossier section 3)."""

    lead_restriction: bool = True
    """Whether he may lead the called suit only with its ace, running away aside."""
    runaway_threshold: int = 4
    """Cards of the called suit, ace included, from which he may lead a lower one."""
    runaway_count: Literal["now", "dealt"] = "now"
    """Whether those cards are counted in the hand now or as dealt."""
    ace_discard: Literal["last_trick_only", "penultimate", "free"] = "last_trick_only"
    """When the ace may be thrown on another suit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StossRules:
    """Doubling during the first trick (dossier section 4)."""

    steps: int = 0
    """How often a deal may be doubled; 0 to 4."""
    closes_before_card: int = 4
    """The card of the first trick that closes the window; 1 to 4."""
    reply_by: Literal["side", "declarer"] = "side"
    """Who may answer for the declarer's side."""
    takeover: bool = False
    """Whether the side that doubled last needs the majority of the Augen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaufendeRules:
    """The unbroken row of highest trumps (dossier section 1.2)."""

    minimum: dict[str, int] = field(default_factory=dict)
    """Shortest row that pays, by kind of game; a kind that is missing pays none."""
    scope: Literal["all_trumps", "trump_ranks"] = "all_trumps"
    """Whether the row goes on through the trump suit."""
    without: bool = True
    """Whether a row held by the other side counts too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Augen that decide (dossier section 1.1)."""

    win: int = 61
    """Augen with which the declarer's side wins."""
    schneider: int = 91
    """Augen with which the declarer's side wins with Schneider."""
    defenders_schneider: int = 90
    """Augen with which the defenders win with Schneider."""
    schwarz_by: Literal["tricks", "points"] = "tricks"
    """Whether Schwarz takes all tricks or all Augen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """Prices in units of money, paid by each loser to each winner (dossier section 1.3)."""

    base: dict[str, int]
    """Price of a plain win, by kind of game."""
    schneider: int = 10
    schwarz: int = 10
    """On top of Schneider."""
    laufende: int = 10
    """For each card of the row."""
    factor: dict[str, int] = field(default_factory=dict)
    """Multiplies base and Laufende, by family; such games pay no Schneider."""


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
    auction: AuctionRules
    duties: DutyRules = DutyRules()
    stoss: StossRules = StossRules()
    thresholds: Thresholds = Thresholds()
    laufende: LaufendeRules = LaufendeRules()
    tariff: Tariff
    procedure: Procedure = field(metadata=LOOKED_UP, compare=False, repr=False)
    games: tuple[GameType, ...] = field(metadata=LOOKED_UP, compare=False, repr=False)
    """All games that may be announced, in order of their announcement."""
    rank: dict[int, int] = field(metadata=LOOKED_UP, compare=False, repr=False)
    """Rank of each game by its announcement; higher beats lower."""


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


class Deal:
    """A deal in play: changed by `rules.play` alone.

    What everybody may know and what only single seats may know stand side by side
    here; `view` decides what a seat is shown.
    """

    __slots__ = (
        "auction",
        "bidders",
        "bound",
        "dealt",
        "declarer",
        "finished",
        "follow",
        "forehand",
        "game",
        "hands",
        "legal",
        "lying",
        "mover",
        "order",
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

    def __init__(self, rules: RuleSet, hands: Four, forehand: int, step: StepFunction) -> None:
        self.rules = rules
        self.dealt = hands
        self.hands = list(hands)
        self.forehand = forehand
        self.turn = forehand
        """The seat that is asked."""
        self.mover = forehand
        """During a poll the seat whose card comes next."""
        self.legal = b""
        """What the asked seat may answer: action numbers, ascending."""
        self.step = step
        """Takes the answer."""
        self.finished = False
        self.auction = bytearray()
        """Two bytes per call: seat, action."""
        self.bidders: list[int] = []
        self.game: GameType | None = None
        self.declarer: int | None = None
        self.side = 0
        """Seats of the declarer's side, one bit each."""
        self.bound: int | None = None
        """The seat with duties beyond following suit, while it has them."""
        self.plays = bytearray()
        """One byte per card: seat * 32 + card."""
        self.stoss = bytearray()
        """Seats that doubled."""
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


@dataclass(frozen=True, slots=True)
class Order:
    """Which cards follow which and which win, compiled from a game type."""

    trumps: int
    """All trumps, as a set."""
    ranked_trumps: tuple[int, ...]
    """All trumps, strongest first."""
    follow: tuple[int, ...]
    """For each card led, the set of cards that follow it."""
    powers: tuple[tuple[int, ...], ...]
    """For each card led, the strength of every laid card (seat * 32 + card); 0 can't win."""

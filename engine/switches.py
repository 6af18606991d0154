"""The switches of a rule set: plain records, one per subject, each value with its meaning."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class AuctionRules:
    """How the declarer is found (dossier section 2)."""

    procedure: str
    """Key of the auction's procedure."""
    ranking: tuple[tuple[str, ...], ...]
    """Families of games from low to high; families in one group rank alike."""
    partner_games_first_bidder_only: bool = True
    """Whether only the first bidder may announce a game with a hidden partner."""
    pass_out: str = "next_deal"
    """What follows when nobody wants to play: a key of the ways to go on."""
    hochzeit: bool = False
    """Whether a seat with exactly one trump may offer it before that."""
    forced_may_call_void: bool = False
    """Whether who must play may call an ace of a suit that he doesn't hold."""
    single_games_only_if_blocked: bool = False
    """Whether a single game needs a hand that can't call any ace."""
    holder_may_raise: bool = True
    """Whether an outbid bidder may raise; equal rank stays with the earlier bidder."""


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
    own_card_only: bool = False
    """Whether a seat may double only before its own first card, with no poll at the end."""
    takeover: bool = False
    """Whether the side that doubled last needs the majority of the Augen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowRules:
    """What a seat may play that doesn't hold the suit led (dossier section 6)."""

    must_trump: bool = False
    """Whether it must play a trump."""
    trump_instead: bool = False
    """Whether a trump may be played even by a seat that could follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RamschRules:
    """How a game without a declarer is settled (dossier section 5)."""

    decides: Literal["most_loses", "fewest_wins"] = "most_loses"
    tie: Literal["highest_trump", "all"] = "highest_trump"
    """Who of those with equal Augen it is: who was dealt the highest trump, or all."""
    jungfrau: Literal["none", "individual", "double_all"] = "none"
    """What a seat without a trick gets double: its own gain, or everybody's price."""
    durchmarsch: Literal["off", "all_tricks", "120", "91", "90"] = "off"
    """What turns the loser into the winner: all tricks, or so many Augen."""


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
    forced_with_few_trumps: int = 0
    """Trumps up to which who must play needs one of the Augen less; 0 for never."""
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
    lost_factor: int = 1
    """Multiplies what the declarer's side loses."""
    forced_lost_factor: int = 1
    """The same for a game that its declarer had to play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRules:
    """What goes on from deal to deal of a session (dossier section 5); off by default."""

    stock: int = 0
    """What each seat pays into the Stock when nobody plays."""
    bock_deals: int = 0
    """How many deals are doubled after an event that starts a Bock round."""
    bock_after: tuple[
        Literal["pass_out", "schneider", "schwarz", "single_game_lost", "tie", "stoss"], ...
    ] = ()
    """Events that start a Bock round; several in one deal start it once."""
    schafkopf_strokes: int = 0
    """Strokes that make a Schafkopf; 0 where none are counted."""
    match_schafkoepfe: int = 1
    """Schafköpfe that win a match, after which the count starts anew."""

    @property
    def carries(self) -> bool:
        """Whether anything goes on from deal to deal."""
        return bool(self.stock or (self.bock_deals and self.bock_after) or self.schafkopf_strokes)

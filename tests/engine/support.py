"""How the engine's tests write rules, hands, deals and what was said."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import engine
from engine.actions import action_name, parse_action
from engine.cards import LONG_DECK, SHORT_DECK, mask_of, members, parse_cards
from engine.model import Deal, Four, RuleSet, Settlement
from engine.rules import begin_play, new_deal, play
from engine.ruleset import rule_set, to_mapping
from engine.scoring import settle
from engine.variants import GAMES

_SHELF = Path(engine.__file__).parent / "rule_sets"

SHIPPED = tuple(sorted(path.stem for path in _SHELF.glob("*.toml")))
"""The names of all rule sets that come with the engine."""

MODEL = (
    "GO HO HU HA H8 G9 E9 S9",
    "SO EU H9 EA EK G7 SX S8",
    "GU SU HX HK EX E8 SK S7",
    "EO H7 GA GX GK G8 SA E7",
)
"""A whole deal in which everybody has an ace to call; seat 3 holds four Gras with the ace."""


def mapping_of(name: str) -> dict[str, Any]:
    """Read a shipped rule set, laid over the one that it names as its base."""
    table = tomllib.loads((_SHELF / f"{name}.toml").read_text(encoding="utf-8"))
    base = table.pop("base", None)
    return table if base is None else _over(mapping_of(base), table)


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        merged[key] = _over(below.get(key, {}), value) if isinstance(value, dict) else value
    return merged


@cache
def shipped(name: str) -> RuleSet:
    return rule_set(mapping_of(name))


def set_key(mapping: dict[str, Any], dotted: str, value: object) -> None:
    *path, last = dotted.split(".")
    for key in path:
        mapping = mapping.setdefault(key, {})
    mapping[last] = value


def changed(rules: RuleSet, changes: Mapping[str, object]) -> RuleSet:
    """Return the rules with other values under dotted keys."""
    mapping: dict[str, Any] = to_mapping(rules)
    for dotted, value in changes.items():
        set_key(mapping, dotted, value)
    return rule_set(mapping)


ONLINE = shipped("online")
SAUSPIEL = shipped("sauspiel")
TUTORIAL = shipped("tutorial")
STARGAMES = shipped("stargames-32")
DEUTSCHER = shipped("deutscher")
PRO = shipped("online-pro")
RUF_20 = changed(ONLINE, {"tariff.base.rufspiel": 20})
"""The tariff of most reference deals: 20 for a Rufspiel, 50 for the rest, 10 for extras."""


HOUSE = changed(
    SAUSPIEL,
    {
        "klopfen": False,
        "stoss.steps": 0,
        "auction.ranking": [["bettel"], *to_mapping(SAUSPIEL)["auction"]["ranking"]],
        "auction.hochzeit": True,
        "tariff.base.bettel": 30,
        "tariff.base.hochzeit": 20,
        "laufende.minimum.hochzeit": 3,
    },
)
"""All games of one table, without doubling."""
HOUSE_SHORT = changed(HOUSE, {"deck": 24})


def home(game: str) -> RuleSet:
    """Return rules that know this game: those of the document that says most about it."""
    announcement = GAMES[game].announcement
    return next(rules for rules in (ONLINE, DEUTSCHER, HOUSE) if announcement in rules.orders)


def hand(text: str) -> int:
    return mask_of(parse_cards(text))


def dealt(*texts: str, deck: int = LONG_DECK) -> Four:
    """Return four hands with at least these cards; what is left fills up the first seats."""
    hands = [hand(text) for text in (*texts, "", "", "", "")[:4]]
    assert sum(h.bit_count() for h in hands) == sum(hands).bit_count(), "a card is there twice"
    size = deck.bit_count() // 4
    rest = list(members(deck & ~sum(hands)))
    for seat in range(4):
        while hands[seat].bit_count() < size:
            hands[seat] |= 1 << rest.pop(0)
    assert not rest, "a hand has too many cards"
    return hands[0], hands[1], hands[2], hands[3]


def deck_mask(rules: RuleSet) -> int:
    return LONG_DECK if rules.deck == 32 else SHORT_DECK


def say(deal: Deal, text: str) -> Deal:
    """Let the asked seats answer these words, one after the other."""
    for word in text.split():
        play(deal, parse_action(word))
    return deal


def names(actions: Iterable[int]) -> set[str]:
    return {action_name(action) for action in actions}


def words(text: str) -> set[str]:
    return set(text.split())


def in_play(
    rules: RuleSet, game: str, hands: Four, *, declarer: int = 0, forehand: int = 0, gone: str = ""
) -> Deal:
    """Return a deal whose auction is over, also with fewer cards than a whole hand.

    Seat 1 was dealt the cards that are `gone`, and doesn't hold them any more. In a
    Hochzeit the declarer's partner sits opposite.
    """
    before = (hands[0], hands[1] | hand(gone), hands[2], hands[3])
    deal = new_deal(rules, before, forehand)
    deal.knocking = False
    deal.hands = list(hands)
    deal.exchange = ((declarer + 2) & 3, declarer, 0, 0)
    begin_play(deal, GAMES[game], None if GAMES[game].everybody_alone else declarer)
    return deal


def called_ace(game: str) -> str:
    """Return the called ace of a Rufspiel; nothing for other games."""
    family, _, suit = game.partition("-")
    return f"{suit[0].upper()}A" if family == "rufspiel" else ""


def asked(rules: RuleSet, game: str, role: str, cards: str, opened: str) -> Deal:
    """Return a deal in which seat 3, holding these cards, is asked to follow what is open."""
    laid = opened.split()
    first = 3 - len(laid)
    hands = [0, 0, 0, hand(cards)]
    for seat, card in enumerate(laid, start=first):
        hands[seat] = hand(card)
    ace = called_ace(game)
    gone = "" if ace in {*cards.split(), *laid} else ace
    leader = first if rules.leader == "declarer" else 0
    deal = in_play(
        rules,
        game,
        (hands[0], hands[1], hands[2], hands[3]),
        declarer=3 if role == "declarer" else leader,
        forehand=first,
        gone=gone,
    )
    return say(deal, opened)


def ended(
    rules: RuleSet,
    game: str,
    hands: Four,
    points: int,
    tricks: int,
    stoss: tuple[int, ...] = (),
    klopfen: tuple[int, ...] = (),
    *,
    forced: bool = False,
) -> Deal:
    """Return a finished deal of declarer 0, whose side made these Augen and tricks."""
    deal = in_play(rules, game, hands)
    deal.forced = forced
    deal.klopfen = bytearray(klopfen)
    deal.points = [points, 120 - points, 0, 0]
    deal.tricks = [tricks, deck_mask(rules).bit_count() // 4 - tricks, 0, 0]
    deal.stoss = bytearray(stoss)
    deal.finished = True
    return deal


def result(rules: RuleSet, game: str, *texts: str, points: int, tricks: int = 5) -> Settlement:
    return settle(ended(rules, game, dealt(*texts), points, tricks))

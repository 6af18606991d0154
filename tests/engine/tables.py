"""Rule sets that the engine's properties are tried with: the shipped ones, and house rules."""

from engine.ruleset import to_mapping
from tests.engine.support import (
    DEUTSCHER,
    HOUSE,
    ONLINE,
    PRO,
    SAUSPIEL,
    SHIPPED,
    STARGAMES,
    TUTORIAL,
    changed,
    shipped,
)

MUSS = {
    "auction.pass_out": "must_play",
    "auction.forced_may_call_void": True,
    "thresholds.forced_with_few_trumps": 3,
    "tariff.forced_lost_factor": 2,
}
STOCK = {"session.stock": 5, "auction.pass_out": "next_deal"}
HOCHZEIT = {"auction.hochzeit": True, "tariff.base.hochzeit": 10}
BOCK = {
    "session.bock_deals": 4,
    "session.bock_after": ["pass_out", "schneider", "single_game_lost", "tie", "stoss"],
}
STROKES = {"session.schafkopf_strokes": 9, "session.match_schafkoepfe": 2}
DOUBLING = {"klopfen": True, "stoss.steps": 4}
BETTEL = {
    "auction.ranking": [*to_mapping(STARGAMES)["auction"]["ranking"], ["bettel"]],
    "tariff.base.bettel": 30,
}

HOUSES = {
    "house": changed(HOUSE, DOUBLING),
    "muss": changed(PRO, {**MUSS, **HOCHZEIT}),
    "stock": changed(shipped("schafkopfschule"), {**STOCK, **BOCK, **HOCHZEIT}),
    "bettel": changed(STARGAMES, {**BETTEL, **DOUBLING, **BOCK, "auction.hochzeit": False}),
    "tutorial-muss": changed(TUTORIAL, {**MUSS, **DOUBLING}),
    "sauspiel-stock": changed(SAUSPIEL, {**STOCK, "follow.must_trump": True}),
    "strokes": changed(DEUTSCHER, {**STROKES, **DOUBLING}),
    "strokes-free": changed(DEUTSCHER, {**STROKES, "follow.trump_instead": True}),
    "online-bock": changed(ONLINE, {**BOCK, **HOCHZEIT, "leader": "declarer"}),
}
"""Rules that no shipped set has, alone and together."""

TABLES = {**{name: shipped(name) for name in SHIPPED}, **HOUSES}

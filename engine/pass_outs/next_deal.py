"""Nobody plays: the deal is over and pays nothing (S0, S3)."""

from engine.model import PassOut
from engine.rules import end_unplayed

PASS_OUTS = (PassOut("next_deal", end_unplayed),)

"""The Python bots run in their own folder and import from there; the tests follow them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "sample_bots" / "python"))

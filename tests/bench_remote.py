"""What the way through `arena serve` costs: four bots that dial in over TLS, and four launched.

Run as `python -m tests.bench_remote`; both kinds take turns, so that the machine's moods even out.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from arena import journal_read
from arena.records import DealLine
from tests.arena.serving import SAMPLES, Papers, dialling, registered, served
from tests.league_files import ARENA

_BOTS: Final = ("a", "b", "c", "d")
_ROUNDS: Final = 3


def measure(folder: Path, kind: str, deals: int, batch: int) -> tuple[float, float]:
    """Play a league, one shard after the other; return decisions/s and think time in µs."""
    file = folder / "league.toml"
    lines = ['name = "league"', f"deals = {deals}", f"slice_deals = {deals}"]
    if kind == "remote":
        lines.append(f"bots = {list(_BOTS)}")
    lines += ["[limits]", f"max_batch = {batch}"]
    for name in _BOTS if kind == "launched" else ():
        lines += ["[[bots]]", f'name = "{name}"', f"folder = '{SAMPLES}'"]
        lines.append(f"command = ['{sys.executable}', 'random_bot.py']")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    where = Path(tempfile.mkdtemp(dir=folder))
    command = [*ARENA, "run", file, "--folder", where, "--workers", "1", "--quiet"]
    subprocess.run(command, check=True)
    played = [line for _, line in journal_read.read(where) if isinstance(line, DealLine)]
    think_us = sum(sum(line.think_us) for line in played) / sum(sum(line.asked) for line in played)
    log = (where / "logs" / "arena.log").read_bytes().splitlines()
    shards = [line for line in map(json.loads, log) if line["event"] == "shard done"]
    rate = sum(each["decisions"] for each in shards) / sum(each["play_s"] for each in shards)
    return rate, think_us


def main() -> None:
    """Print medians and their ratio, for full batches and for single decisions."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        os.environ["ARENA_HOME"] = str(folder / "home")
        papers = Papers(folder)
        server = stack.enter_context(served(*papers.options))
        for bot in _BOTS:
            token = registered(bot)
            stack.enter_context(dialling(server.address, token, streams=2, papers=papers))
        for batch, deals in ((64, 600), (1, 30)):
            rates: dict[str, list[float]] = {"launched": [], "remote": []}
            thinks: dict[str, list[float]] = {"launched": [], "remote": []}
            for _ in range(_ROUNDS):
                for kind, found in rates.items():
                    decisions_per_s, think_us = measure(folder, kind, deals, batch)
                    found.append(decisions_per_s)
                    thinks[kind].append(think_us)
            rate = {kind: statistics.median(each) for kind, each in rates.items()}
            think = {kind: statistics.median(each) for kind, each in thinks.items()}
            print(
                f"batches of up to {batch}: launched {rate['launched']:.0f} decisions/s, remote"
                f" {rate['remote']:.0f}, ratio {rate['remote'] / rate['launched']:.2f};"
                f" think time of a decision {think['launched']:.1f} and {think['remote']:.1f} us",
                flush=True,
            )


if __name__ == "__main__":
    main()

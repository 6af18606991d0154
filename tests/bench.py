"""Measures the arena's speed: `python -m tests.bench --help`.

Medians over several runs. Speeds of other machines, or of this one while it is busy, are
only comparable as ratios to bare gRPC, which is measured beside the arena in every run.
"""

import argparse
import json
import sys
from collections import defaultdict
from typing import Final

from tests import bench_arena, bench_engine, bench_grpc, bench_lateness
from tests.bench_figures import Figure, Goal, machine, table

BATCHES: Final = (64, 1)
GOALS: Final = {
    "batch 64: decisions/s": Goal(30_000),
    "batch 64: arena CPU us/decision": Goal(25, at_least=False),
    "batch 1: decisions/s": Goal(2_000),
    f"engine: {bench_engine.PLAYOUT}/s": Goal(15_000),
}

Values = defaultdict[str, list[float]]


def main() -> None:
    options = _options()
    values: Values = defaultdict(list)
    facts = {**machine(), "runs": options.runs, "seconds": options.seconds}
    if not options.json:
        print("  ".join(f"{key} {value}" for key, value in facts.items()), flush=True)
    if options.only in {None, "engine"}:
        for run in range(options.runs):
            _engine(values, options.seconds / 2, run)
    if options.only in {None, "arena"}:
        for batch in BATCHES:
            _arena(values, batch, options)
    if options.only in {None, "lateness"}:
        for tables in bench_lateness.TABLES:
            _lateness(values, tables)
    figures = [Figure(name, tuple(each), GOALS.get(name)) for name, each in values.items()]
    if options.json:
        report = {"machine": facts, "figures": {each.name: each.plain() for each in figures}}
        print(json.dumps(report, indent=2))
    else:
        print(table(figures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure speed.")
    parser.add_argument("--runs", type=int, default=5, help="runs per figure (5)")
    parser.add_argument("--seconds", type=float, default=3.0, help="about so long a run (3)")
    parser.add_argument(
        "--only", choices=("engine", "arena", "lateness"), help="leave the rest out"
    )
    parser.add_argument("--json", action="store_true", help="print JSON with all values")
    return parser.parse_args()


def _engine(values: Values, seconds: float, seed: int) -> None:
    for name, rate in bench_engine.measure(seconds, seed).items():
        values[f"engine: {name}/s"].append(rate)


def _arena(values: Values, batch: int, options: argparse.Namespace) -> None:
    deals = bench_arena.deals_for(options.seconds, batch)
    for run in range(options.runs):
        if sys.stderr.isatty():
            print(f"batch {batch}, run {run + 1}", end="\r", file=sys.stderr, flush=True)
        for name, value in _beside_grpc(bench_arena.measure(deals, batch)).items():
            values[f"batch {batch}: {name}"].append(value)


def _lateness(values: Values, tables: int) -> None:
    """One run each: a league of so many tables is long enough."""
    for batch, by_cpu in ((64, False), (1, False), (1, True)):
        taken = bench_lateness.measure(tables, batch, by_cpu=by_cpu)
        clock = ", by CPU time" if by_cpu else ""
        name = f"lateness: {tables} tables, batch {batch}{clock}:"
        values[f"{name} tables at once"].append(taken.at_once)
        values[f"{name} losses"].append(taken.losses)
        values[f"{name} decisions"].append(taken.decisions)
        values[f"{name} median ms"].append(taken.median_ms)
        values[f"{name} 99 % ms"].append(taken.late_ms)
        values[f"{name} longest ms"].append(taken.longest_ms)


def _beside_grpc(arena: bench_arena.Taken) -> dict[str, float]:
    """Return one run's figures, with as many messages of bare gRPC right after it."""
    fill = arena.decisions / arena.asks
    bare = bench_grpc.measure(arena.asks, bench_grpc.sizes(max(1, round(fill))))
    arena_us = 1e6 * arena.arena_cpu_s / arena.decisions
    bots_us = 1e6 * arena.bots_cpu_s / arena.decisions
    asks_per_s = arena.asks / arena.seconds
    bare_asks_per_s = arena.asks / bare.seconds
    return {
        "decisions/s": arena.decisions / arena.seconds,
        "arena CPU us/decision": arena_us,
        "of it the coordinator's": 1e6 * arena.coordinator_cpu_s / arena.decisions,
        "bots' CPU us/decision": bots_us,
        "arena's share of all CPU": arena_us / (arena_us + bots_us),
        "mean batch": fill,
        "messages/s": asks_per_s,
        "bare gRPC messages/s": bare_asks_per_s,
        "arena / bare gRPC, messages/s": asks_per_s / bare_asks_per_s,
        "arena / bare gRPC, server's CPU": arena.arena_cpu_s / bare.server_cpu_s,
    }


if __name__ == "__main__":
    main()

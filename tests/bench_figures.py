"""Figures of several runs: medians, spread, goals, and how they are shown."""

import os
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path

import msgspec


class Goal(msgspec.Struct, frozen=True):
    """What a figure's median should be."""

    value: float
    at_least: bool = True

    def met(self, median: float) -> bool:
        return median >= self.value if self.at_least else median <= self.value

    def text(self) -> str:
        return f"{'>=' if self.at_least else '<='} {number(self.value)}"


class Figure(msgspec.Struct, frozen=True):
    """One measured quantity, with a value per run."""

    name: str
    values: tuple[float, ...]
    goal: Goal | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def row(self) -> str:
        numbers = (self.median, min(self.values), max(self.values))
        goal = "" if self.goal is None else self.goal.text()
        missed = "  missed" if self.goal and not self.goal.met(self.median) else ""
        return (
            f"{self.name:46}" + "".join(f"{number(n):>10}" for n in numbers) + f"  {goal}{missed}"
        )

    def plain(self) -> dict[str, object]:
        goal = None if self.goal is None else self.goal.text()
        return {"median": self.median, "values": self.values, "goal": goal}


def number(value: float) -> str:
    """Write a number with about three digits that mean something."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def machine() -> dict[str, object]:
    """Return what the figures depend on."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": _cpu_model(),
        "python": platform.python_version(),
        "load_before": os.getloadavg()[0],
    }


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(": ")[2]
    return platform.machine()


def table(figures: Sequence[Figure]) -> str:
    """Return all figures for people."""
    head = f"{'':46}{'median':>10}{'lowest':>10}{'highest':>10}  goal"
    return "\n".join((head, *(figure.row() for figure in figures)))

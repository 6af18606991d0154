"""Chooses any legal action, each as likely as the others."""

from arena_client import Observation, play


def choose(observation: Observation) -> int:
    """Return one of the legal actions."""
    return observation.legal[observation.seed % len(observation.legal)]


if __name__ == "__main__":
    play(choose, name="random", version="1")

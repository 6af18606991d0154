"""The arithmetic of ratings: least squares, Bradley-Terry, bootstrap over sessions."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from math import log
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from arena.rating_records import Interval
from arena.rating_sample import Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CONFIDENCE: Final = 0.95
PRIOR_BLOCKS: Final = 1.0
"""Drawn blocks added to every pair that met, so that a bot that won all its blocks has an Elo."""
DIGITS: Final = 9
"""Decimals of a difference of strengths; anything smaller is the arithmetic's noise, and a tie."""
_ELO_PER_NAT: Final = 400 / log(10)
_LINK: Final = 1e-9
"""Weight of the whole league in each resample, which may have lost the only link of two bots."""
_CHUNK_BYTES: Final = 64 << 20
_LONGEST_STEP: Final = 1.0
"""Newton's steps in log-odds are cut to this; from a start at equality they can't overshoot."""
_SETTLED: Final = 1e-6
"""A last step this short leaves an error of about its square."""
_MOST_STEPS: Final = 1000


@dataclass(frozen=True)
class Fit:
    """Strengths and Elo per bot: once from all blocks, and once per resample."""

    groups: tuple[int, ...]
    """Bots with the same number can be compared."""
    strengths: "Floats"
    elo: "Floats"
    strength_draws: "Floats"
    """Resamples by bots; no rows if there is only one session."""
    elo_draws: "Floats"
    elo_bounded: tuple[bool, ...]
    """Whether only the prior keeps the bot's Elo finite."""


def fit(sample: Sample, seed: str, resamples: int) -> Fit:
    """Fit once to everything and once to each resample of the sessions.

    A resample has one session fewer than the sample, which makes its spread unbiased.
    """
    import numpy as np

    sums = np.concatenate([sample.payoff, sample.wins], axis=1).astype(np.float64)
    counts = np.bincount(sample.pattern_of) @ sample.patterns
    whole = _matrices(counts[None], sample.equations)
    met = _matrices(counts[None], sample.meetings) > 0
    null, unmet = null_space(whole[0]), null_space(_laplacian(met[0].astype(np.float64)))
    centre = _centring(groups_of(null))
    strengths, elo = [], []
    everything = (sums.sum(0)[None], counts[None], 0.0)
    for total, blocks, link in chain([everything], _resampled(sample, sums, seed, resamples)):
        left = _matrices(blocks, sample.equations) + link * whole
        strengths.append(solve(left, total[:, : sample.bots], null) @ centre)
        games = _matrices(blocks, sample.meetings) + PRIOR_BLOCKS * met
        won = (total[:, sample.bots :] + PRIOR_BLOCKS * met[0].sum(1)) / 2
        elo.append(bradley_terry(won, games, unmet) @ centre * _ELO_PER_NAT)
    return Fit(
        groups=tuple(groups_of(null)),
        strengths=strengths[0][0],
        elo=elo[0][0],
        strength_draws=np.concatenate([strengths[0][:0], *strengths[1:]]),
        elo_draws=np.concatenate([elo[0][:0], *elo[1:]]),
        elo_bounded=_bounded(met[0], sample.scored),
    )


def solve(left: "Floats", right: "Floats", null: "Floats") -> "Floats":
    """Return the shortest solution of each system; `null` projects on what they can't see."""
    import numpy as np

    scale = np.maximum(np.trace(left, axis1=1, axis2=2), 1.0)[:, None, None]
    return np.linalg.solve(left + scale * null, right[:, :, None])[:, :, 0]


def null_space(left: "Floats") -> "Floats":
    """Return the projector on the directions that a symmetric matrix maps to zero."""
    import numpy as np

    values, vectors = np.linalg.eigh(left)
    unseen = vectors[:, values <= 1e-9 * max(1.0, values[-1])]
    return np.asarray(unseen @ unseen.T)


def bradley_terry(won: "Floats", games: "Floats", null: "Floats") -> "Floats":
    """Return log-odds per row of `won`, blocks won by each bot of the blocks in `games`."""
    import numpy as np

    odds = np.zeros_like(won)
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(odds[:, None, :] - odds[:, :, None]))
        surprise = won - (games * chance).sum(2)
        step = solve(_laplacian(games * chance * (1 - chance)), surprise, null)
        longest = np.abs(step).max(1, keepdims=True)
        odds += step * (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
        if longest.max() < _SETTLED:
            return odds
    raise ArithmeticError("the Bradley-Terry fit did not settle")


def tail(sessions: int) -> float:
    """Return the share of resamples to cut from each end for an interval.

    It is Student's for few sessions, where percentiles alone give intervals too narrow.
    """
    normal = NormalDist()
    z, freedom = normal.inv_cdf((1 + CONFIDENCE) / 2), sessions - 1
    student = (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
    return normal.cdf(-student)


def generator(seed: str) -> "np.random.Generator":
    """Return the dice of the resamples, the same for the same seed."""
    import numpy as np

    digest = hashlib.sha256(b"arena rating bootstrap\0" + seed.encode()).digest()
    return np.random.default_rng(int.from_bytes(digest))


def interval(draws: "Floats", sessions: int) -> Interval | None:
    """Return what the resamples of so many sessions tell; None without any."""
    import numpy as np

    if not len(draws):
        return None
    cut = tail(sessions)
    low, high = np.quantile(draws, [cut, 1 - cut])
    return Interval(float(low), float(high))


def _resampled(
    sample: Sample, sums: "Floats", seed: str, resamples: int
) -> "Iterator[tuple[Floats, Floats, float]]":
    """Yield chunks of resamples: totals per bot, blocks per order, weight of the link."""
    import numpy as np

    if sample.sessions < 2:
        return
    dice = generator(seed)
    size = 8 * max(sample.sessions, 4 * sample.bots**2)
    chunk = max(1, min(resamples, _CHUNK_BYTES // size))
    for start in range(0, resamples, chunk):
        rows = min(chunk, resamples - start)
        weights = np.zeros((rows, sample.sessions))
        patterns = np.zeros((rows, len(sample.patterns)))
        for row in range(rows):
            drawn = dice.integers(0, sample.sessions, sample.sessions - 1)
            weights[row] = np.bincount(drawn, minlength=sample.sessions)
            patterns[row] = np.bincount(sample.pattern_of[drawn], minlength=len(sample.patterns))
        yield weights @ sums, patterns @ sample.patterns, _LINK


def _matrices(blocks: "Floats", per_block: "Floats") -> "Floats":
    """Return one square matrix per row: that of each order, times its number of blocks."""
    bots = round(per_block.shape[1] ** 0.5)
    return (blocks @ per_block).reshape(-1, bots, bots)


def _laplacian(links: "Floats") -> "Floats":
    import numpy as np

    return np.asarray(np.eye(links.shape[-1]) * links.sum(-1)[..., None] - links)


def groups_of(null: "Floats") -> list[int]:
    """Number the bots such that those whose difference can be told share a number."""
    import numpy as np

    numbers: list[int] = []
    for bot, row in enumerate(null):
        like = [other for other in range(bot) if np.abs(null[other] - row).max() < 1e-6]
        numbers.append(numbers[like[0]] if like else max(numbers, default=-1) + 1)
    return numbers


def _centring(groups: list[int]) -> "Floats":
    """Return the matrix that takes each group's mean from a row of values."""
    import numpy as np

    same = np.equal.outer(groups, groups)
    return np.asarray(np.eye(len(groups)) - same / same.sum(0))


def _bounded(met: "NDArray[np.bool_]", scored: "NDArray[np.bool_]") -> tuple[bool, ...]:
    """Tell which bots belong to a field that falls apart: one part never scored against a rest."""
    import numpy as np

    linked, reach = np.eye(len(met)) + met > 0, np.eye(len(met)) + scored > 0
    for via in range(len(met)):
        linked |= np.outer(linked[:, via], linked[via])
        reach |= np.outer(reach[:, via], reach[via])
    apart = (linked & ~(reach & reach.T)).any(1)
    return tuple(map(bool, np.atleast_1d(apart)))

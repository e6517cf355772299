"""Intervals: Wilson's for a share, the bootstrap for means and ratios, with clusters resampled together."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.metrics.special import ndtri

RESAMPLES = 2000
FEW = 10  # right or wrong answers below which the percentile bootstrap of a share is not to be trusted
_BLOCK = 1 << 22  # numbers held at once while resampling


class Interval(NamedTuple):
    low: float
    high: float


def wilson(hits: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.95) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    r"""Wilson's score interval of shares hits/n (Wilson, 1927), element by element; NaN where n is 0.

    With p = hits/n and z the normal quantile: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n).

    >>> low, high = wilson(8, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.4902, 0.9433)
    """
    return score_interval(hits, n, float(ndtri(0.5 + level / 2)))


def score_interval(hits: npt.ArrayLike, n: npt.ArrayLike, z: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Wilson's interval for a quantile z, such as one of Student's, which for one degree of freedom (12.7) is that of no level
    below 1 that a float can hold."""
    hits, n = np.asarray(hits, float), np.asarray(n, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = hits / n
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # Rounding may put the bound an ulp on the wrong side of an exact 0 or 1.
    low = np.where(hits == 0, 0.0 * middle, np.clip(middle - half, 0, 1))
    high = np.where(hits == n, 1.0 + 0.0 * middle, np.clip(middle + half, 0, 1))
    return low, high


def wilson_count(value: float, low: float, high: float, level: float = 0.95) -> float:
    """The n of Wilson's interval: its bounds b solve (b − p)² = z² b(1−b)/n. The wider side is used; it is never 0 wide.

    >>> low, high = wilson(8, 10)
    >>> round(wilson_count(0.8, float(low), float(high)), 6)
    10.0
    """
    z = float(ndtri(0.5 + level / 2))
    bound = high if high - value > value - low else low
    return z * z * bound * (1 - bound) / (bound - value) ** 2


def bootstrap_ratio(
    sums: npt.ArrayLike, sizes: npt.ArrayLike, *, seed: int, level: float = 0.95, resamples: int = RESAMPLES
) -> Interval:
    """Percentile bootstrap of Σ sums / Σ sizes over clusters, each resampled as a whole.

    Equal clusters are resampled as counts, so that a share of 50,000 pictures costs no more than one of 50.
    """
    pairs = np.column_stack([np.asarray(sums, float), np.asarray(sizes, float)])
    if len(pairs) == 0:
        return Interval(np.nan, np.nan)
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(kinds))
    ratios = []
    for start in range(0, resamples, block):
        draws = rng.multinomial(len(pairs), counts / len(pairs), size=min(block, resamples - start))
        ratios.append((draws @ kinds[:, 0]) / (draws @ kinds[:, 1]))
    return percentile(np.concatenate(ratios), level)


def bootstrap_mean(
    values: npt.ArrayLike,
    *,
    seed: int,
    clusters: Counts | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """Percentile bootstrap of a mean. Rows with the same number in `clusters` are resampled together."""
    values = np.asarray(values, float)
    if clusters is None:
        return bootstrap_ratio(values, np.ones(len(values)), seed=seed, level=level, resamples=resamples)
    _, index = np.unique(clusters, return_inverse=True)
    sums, sizes = np.bincount(index, values), np.bincount(index)
    return bootstrap_ratio(sums, sizes, seed=seed, level=level, resamples=resamples)


def share_interval(
    hits: npt.ArrayLike,
    *,
    seed: int,
    clusters: Counts | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[Interval, str]:
    """Interval of a share of right answers, and the name of its method.

    The bootstrap, where at least `FEW` clusters are right and `FEW` are wrong. With fewer its interval is too narrow, down to no
    width at all where every answer is right, so there Wilson's is given, with clusters for n.
    """
    hits = np.asarray(hits, float)
    index = np.arange(len(hits)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    sums, sizes = np.bincount(index, hits), np.bincount(index)
    right = float((sums / sizes).sum())
    if min(right, len(sums) - right) < FEW:
        low, high = wilson(hits.mean() * len(sums), len(sums), level)
        return Interval(float(low), float(high)), f"Wilson, {level:.0%}"
    found = bootstrap_ratio(sums, sizes, seed=seed, level=level, resamples=resamples)
    return found, f"bootstrap over pictures, {level:.0%}"


def percentile(draws: npt.NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(draws, [0.5 - level / 2, 0.5 + level / 2])
    return Interval(float(low), float(high))

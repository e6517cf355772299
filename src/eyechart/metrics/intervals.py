"""Intervals: Wilson's for a share, the bootstrap for means and ratios, with clusters resampled together."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

RESAMPLES = 2000
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
    hits, n = np.asarray(hits, float), np.asarray(n, float)
    z = float(ndtri(0.5 + level / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = hits / n
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # Rounding may put the bound an ulp on the wrong side of an exact 0 or 1.
    low = np.where(hits == 0, 0.0 * middle, np.clip(middle - half, 0, 1))
    high = np.where(hits == n, 1.0 + 0.0 * middle, np.clip(middle + half, 0, 1))
    return low, high


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
    return _percentile(np.concatenate(ratios), level)


def bootstrap_mean(
    values: npt.ArrayLike,
    *,
    seed: int,
    clusters: npt.NDArray[np.int64] | None = None,
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
    clusters: npt.NDArray[np.int64] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[Interval, str]:
    """Interval of a share of right answers, and the name of its method.

    The bootstrap; but where all answers agree it has nothing to resample and its interval would have no width, however few the
    pictures, so there Wilson's is given, over clusters.
    """
    hits = np.asarray(hits, bool)
    if len(hits) and (hits.all() or not hits.any()):
        n = len(hits) if clusters is None else len(np.unique(clusters))
        low, high = wilson(n if hits[0] else 0, n, level)
        return Interval(float(low), float(high)), f"Wilson, {level:.0%}"
    found = bootstrap_mean(hits, seed=seed, clusters=clusters, level=level, resamples=resamples)
    return found, f"bootstrap over pictures, {level:.0%}"


def mean_of_shares_interval(
    hits: npt.ArrayLike, n: npt.ArrayLike, *, seed: int, level: float = 0.95, resamples: int = RESAMPLES
) -> tuple[Interval, str]:
    """Interval of the mean over classes of hits/n, and the name of its method: the classes are fixed, the pictures resampled.

    n−1 pictures are drawn from a class of n (Rao and Wu, 1988), since drawing n would understate the variance by the factor
    (n−1)/n, which is felt where classes are small. No variance can be seen in a class of one picture: such classes are taken
    together as one stratum (a lone one is drawn with the share of all pictures). Where all answers agree, Wilson's over all
    pictures. Classes without pictures must be left out by the caller.
    """
    hits, n = np.asarray(hits, np.int64), np.asarray(n, np.int64)
    if len(n) == 0 or (n <= 0).any():
        raise ValueError("every class needs a picture")
    if hits.sum() in (0, n.sum()):
        low, high = wilson(hits.sum(), n.sum(), level)
        return Interval(float(low), float(high)), f"Wilson, {level:.0%}"
    single = n == 1
    share = hits / n
    if single.any():
        share = np.where(single, share[single].mean() if single.sum() > 1 else hits.sum() / n.sum(), share)
    drawn = np.maximum(n - 1, 1)
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(n))
    means = []
    for start in range(0, resamples, block):
        draws = rng.binomial(drawn, share, size=(min(block, resamples - start), len(n)))
        means.append((draws / drawn).mean(axis=1))
    return _percentile(np.concatenate(means), level), f"bootstrap of pictures within classes, {level:.0%}"


def _percentile(draws: npt.NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(draws, [0.5 - level / 2, 0.5 + level / 2])
    return Interval(float(low), float(high))

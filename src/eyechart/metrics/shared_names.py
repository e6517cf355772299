"""Shares over scenes that are made of names from one list: every name stands in many scenes, and they vary with it."""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

from eyechart.metrics.intervals import Counts, Interval, wilson

HOW = "Wilson at the jackknife variance over names, Student's t, 95%"


def named_mean(
    values: npt.ArrayLike,
    names: Counts,
    *,
    sizes: npt.ArrayLike | None = None,
    clusters: Counts | None = None,
) -> tuple[float, float, int]:
    r"""Σ values / Σ sizes (1 a row by default) over rows made of the names `names` [N, n], its variance, and the number of names.

    What is estimated is the mean over sets of n names from the population that the K names of the list stand for. The estimate
    is a U-statistic of the names, and its variance that of the jackknife over names (Arvesen, 1969), V_names = Σ_m (θ₋ₘ − mean)²,
    with θ₋ₘ the ratio over rows without name m. What rows vary by themselves enters it n/(1−n/K) times instead of once, and is
    taken off again: V = V_names − (n/(1−n/K) − 1) V_rows, never less than V_rows, the variance over `clusters` (rows by default)
    as if names had nothing to do with it. Where the list is too short to leave a name out, V_rows is given.
    """
    values = np.asarray(values, float)
    sizes = np.ones(len(values)) if sizes is None else np.asarray(sizes, float)
    total, whole = values.sum(), sizes.sum()
    mean = float(total / whole)
    residuals: npt.NDArray[np.float64] = values - mean * sizes
    if clusters is not None:
        residuals = np.bincount(np.unique(clusters, return_inverse=True)[1], residuals).astype(np.float64)
    of_rows = float(residuals @ residuals) / float(whole) ** 2
    every, index = np.unique(names, return_inverse=True)
    index, (k, n) = index.reshape(np.shape(names)), (len(every), np.shape(names)[1])
    left = whole - sum(np.bincount(column, sizes, k) for column in index.T)
    if k < 3 or left.min() <= 0:
        return mean, of_rows, k
    without = (total - sum(np.bincount(column, values, k) for column in index.T)) / left
    of_names = float(((without - without.mean()) ** 2).sum())
    return mean, max(of_names - (n / (1 - n / k) - 1) * of_rows, of_rows), k


def named_share(
    hits: npt.ArrayLike,
    names: Counts,
    *,
    sizes: npt.ArrayLike | None = None,
    clusters: Counts | None = None,
    level: float = 0.95,
) -> tuple[float, Interval]:
    """`named_mean` of hits between 0 and 1, and Wilson's interval for the n that gives its variance, p(1−p)/V, with Student's
    quantile of K − 1 degrees. NaN where the sizes sum to 0."""
    whole = len(np.asarray(hits)) if sizes is None else float(np.sum(sizes))
    if whole == 0:
        return float("nan"), Interval(float("nan"), float("nan"))
    share, variance, k = named_mean(hits, names, sizes=sizes, clusters=clusters)
    n = min(share * (1 - share) / variance, whole) if variance > 0 else float(whole)
    low, high = wilson(share * n, n, 2 * float(ndtr(stdtrit(max(k - 1, 1), 0.5 + level / 2))) - 1)
    return share, Interval(float(low), float(high))


def named_difference(
    differences: npt.ArrayLike, names: Counts, *, clusters: Counts | None = None, level: float = 0.95
) -> tuple[float, Interval]:
    """`named_mean` of differences, row by row, and its Student interval of K − 1 degrees."""
    mean, variance, k = named_mean(differences, names, clusters=clusters)
    half = float(stdtrit(max(k - 1, 1), 0.5 + level / 2)) * float(np.sqrt(variance))
    return mean, Interval(mean - half, mean + half)

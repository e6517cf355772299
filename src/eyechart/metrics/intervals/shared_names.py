"""Shares over scenes made of names from one list: every name is in many scenes, which vary with it."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.metrics.intervals import Interval, score_interval
from eyechart.metrics.special import stdtrit

HOW = "Wilson at the jackknife variance over names, Student's t, 95%"


def named_mean(
    values: npt.ArrayLike,
    names: Counts,
    *,
    sizes: npt.ArrayLike | None = None,
    clusters: Counts | None = None,
) -> tuple[float, float, int]:
    r"""Σ values / Σ sizes (1 a row by default) over rows made of names, its variance, and the number of names.
    `names` [N, n] numbers them from 0; -1 fills rows that have fewer names, and n is then the mean number.

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
    rows_with, sums_with = _by_name(sizes, names), _by_name(values, names)
    present = _by_name(np.ones(len(values)), names) > 0
    k, n, left = int(present.sum()), float((np.asarray(names) >= 0).sum(axis=1).mean()), (whole - rows_with)[present]
    if k < 3 or n >= k or left.min() <= 0:
        return mean, of_rows, k
    without = (total - sums_with)[present] / left
    of_names = float(((without - without.mean()) ** 2).sum())
    return mean, max(of_names - (n / (1 - n / k) - 1) * of_rows, of_rows), k


def _by_name(values: npt.NDArray[np.float64], names: Counts) -> npt.NDArray[np.float64]:
    """The sum of the values of all rows that a name stands in."""
    numbers = np.ravel(names)
    return np.bincount(numbers[numbers >= 0], np.repeat(values, np.shape(names)[1])[numbers >= 0]).astype(np.float64)


def named_share(
    values: npt.ArrayLike,
    names: Counts,
    *,
    sizes: npt.ArrayLike | None = None,
    clusters: Counts | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
) -> tuple[float, Interval]:
    """`named_mean` of values between `bounds` (hits; differences of two hits, from −1 to 1), and its interval: Wilson's, brought
    to the scale from 0 to 1, for the n that gives the variance, p(1−p)/V, with Student's quantile of K − 1 degrees. Where nothing
    varies, n is that of the rows. NaN where the sizes sum to 0."""
    values = np.asarray(values, float)
    sizes = np.ones(len(values)) if sizes is None else np.asarray(sizes, float)
    whole, (least, most) = float(sizes.sum()), bounds
    if whole == 0:
        return float("nan"), Interval(float("nan"), float("nan"))
    scaled = (values - least * sizes) / (most - least)
    share, variance, k = named_mean(scaled, names, sizes=sizes, clusters=clusters)
    share = min(max(share, 0.0), 1.0)
    n = share * (1 - share) / variance if variance > 1e-12 else whole
    low, high = score_interval(share * n, n, float(stdtrit(max(k - 1, 1), 0.5 + level / 2)))
    return least + (most - least) * share, Interval(*(least + (most - least) * float(bound) for bound in (low, high)))

"""Mean per-class accuracy with an interval: every class has the same weight."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.metrics.intervals import FEW, RESAMPLES, Interval, percentile, wilson


def mean_of_shares_interval(
    hits: npt.ArrayLike,
    classes: Counts,
    *,
    seed: int,
    clusters: Counts | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[Interval, str]:
    """Interval of the mean over classes of the share of hits, and the name of its method.

    The classes are fixed and the pictures of each are resampled, rows of one cluster together. k−1 clusters are drawn from a
    class of k (Rao and Wu, 1988), since drawing k would understate the variance by (k−1)/k, which matters for
    small classes. A class of one picture shows no variance: such classes are pooled into one stratum, and a single one is
    drawn with the share of all pictures. With fewer than `FEW` correct or wrong pictures, Wilson's interval for the n that gives
    the same variance if all classes were alike: C² / Σ 1/k.
    """
    hits, classes = np.asarray(hits, float), np.asarray(classes)
    if len(hits) == 0:
        raise ValueError("there is no picture")
    rows = np.arange(len(hits)) if clusters is None else clusters
    numbers, row = np.unique(rows, return_inverse=True)
    label = np.unique(classes, return_inverse=True)[1]
    pairs, index = np.unique(label * len(numbers) + row, return_inverse=True)
    right = np.bincount(index, hits) / np.bincount(index)  # share of each picture within its class, 0 or 1 but for odd labels
    of_class = pairs // len(numbers)
    k = np.bincount(of_class)
    share = np.bincount(of_class, right) / k
    if min(right.sum(), len(right) - right.sum()) < FEW:
        alike = len(k) ** 2 / (1 / k).sum()
        low, high = wilson(share.mean() * alike, alike, level)
        return Interval(float(low), float(high)), f"Wilson, {level:.0%}"
    single = k == 1
    if single.any():
        share = np.where(single, share[single].mean() if single.sum() > 1 else right.mean(), share)
    drawn = np.maximum(k - 1, 1)
    rng = np.random.default_rng(seed)
    means = rng.binomial(drawn, share, size=(resamples, len(k))) / drawn
    return percentile(means.mean(axis=1), level), f"bootstrap of pictures within classes, {level:.0%}"

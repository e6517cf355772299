"""Woodruff's interval of a median over clustered values."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.metrics.intervals import Interval
from eyechart.metrics.special import ndtri


def median_interval(values: npt.ArrayLike, *, clusters: Counts | None = None, level: float = 0.95) -> Interval:
    r"""Woodruff's interval of a median (1952): that of the share of values up to the median, read off the ordered values.

    With y_i = [v_i ≤ median] and p its mean over n values in k clusters, the variance of p is
    k/(k−1) Σ_c (Σ_{i∈c} (y_i − p))² / n²; the interval runs between the quantiles 1/2 ± z·√variance. NaN where all values are of
    one cluster.
    """
    values = np.asarray(values, float)
    index = np.arange(len(values)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    n, k = len(values), int(index.max()) + 1 if len(values) else 0
    if k < 2:
        return Interval(np.nan, np.nan)
    ordered = np.sort(values)
    below = (values <= np.median(values)).astype(float)
    residuals = np.bincount(index, below - below.mean())
    half = float(ndtri(0.5 + level / 2)) * np.sqrt(k / (k - 1) * (residuals @ residuals)) / n
    low, high = int(np.floor(n * (0.5 - half))), int(np.ceil(n * (0.5 + half)))
    return Interval(float(ordered[max(low - 1, 0)]), float(ordered[min(high, n - 1)]))

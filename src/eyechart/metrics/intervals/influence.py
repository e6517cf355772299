"""Intervals from influence functions: how much each picture moves an estimate, summed within clusters."""

import numpy as np

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.intervals import Interval
from eyechart.metrics.special import expit, logit, ndtri


def standard_error(influence: Doubles, clusters: Counts | None = None) -> float:
    r"""√(k/(k−1) · Σ_c (Σ_{i∈c} φ_i)²) over k clusters, with φ_i the first-order part of row i in the estimate's error (they sum
    to 0). With one row a cluster and a mean it is the textbook s/√n. NaN for a single cluster.

    >>> x = np.array([1.0, 2.0, 3.0, 6.0])
    >>> bool(np.isclose(standard_error((x - x.mean()) / 4), x.std(ddof=1) / 2))
    True
    """
    sums = influence if clusters is None else np.bincount(np.unique(clusters, return_inverse=True)[1], influence)
    if len(sums) < 2:
        return float("nan")
    return float(np.sqrt(len(sums) / (len(sums) - 1) * (sums @ sums)))


def normal_interval(value: float, error: float, level: float = 0.95) -> Interval:
    half = float(ndtri(0.5 + level / 2)) * error
    return Interval(value - half, value + half)


def log_interval(value: float, error: float, level: float = 0.95) -> Interval:
    """Normal interval of log v: it stays above 0 and reaches further up than down. For value > 0."""
    low, high = np.exp(normal_interval(float(np.log(value)), error / value, level))
    return Interval(float(low), float(high))


def logit_interval(value: float, error: float, level: float = 0.95) -> Interval:
    """Normal interval of log(v/(1−v)): it stays between 0 and 1. For 0 < value < 1."""
    low, high = expit(normal_interval(float(logit(value)), error / (value * (1 - value)), level))
    return Interval(float(low), float(high))

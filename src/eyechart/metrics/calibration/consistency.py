"""Consistency resampling: the ECE that a calibrated model would show on the same pictures (Bröcker and Smith, 2007).

The bootstrap estimates noise from the observed answers, and a bin with few pictures holds too little information: nine of nine
correct answers at 90% confidence would look free of noise.
"""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.calibration.ece import Gaps
from eyechart.metrics.intervals import RESAMPLES, Interval
from eyechart.metrics.intervals.influence import normal_interval
from eyechart.metrics.intervals.resampling import clustered_sums

HOW = "the wider of inverted bootstrap and drawn answers, 95%"
_BLOCK = 1 << 22  # numbers held at once


def calibrated_gaps(
    found: Gaps, confidence: npt.ArrayLike, *, seed: int, clusters: Counts | None = None, resamples: int = RESAMPLES
) -> Doubles:
    """Draws [resamples, bins] of the gaps of a calibrated model, divided by the number of rows.

    Every answer is correct with the probability of its confidence. Rows of a cluster share one random number, so that copies of a
    picture are correct together.
    """
    confidence = np.asarray(confidence, np.float64)
    n = len(confidence)
    unit = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    order = np.argsort(unit, kind="stable")
    unit, sure, of_row = unit[order], confidence[order], found.of_row[order]
    units = int(unit[-1]) + 1
    said = np.bincount(of_row, sure, minlength=len(found.bins))
    # Hits are counted by a product, which is three times as fast as sums over slices. Up to 2^24 single precision counts exactly.
    in_bin = np.zeros((n, len(found.bins)), np.float32 if n < 1 << 24 else np.float64)
    in_bin[np.arange(n), of_row] = 1
    rng, draws = np.random.default_rng(seed), np.empty((resamples, len(found.bins)))
    block = max(1, _BLOCK // n)
    for start in range(0, resamples, block):
        lots = rng.random((min(block, resamples - start), units))
        right = (lots if units == n else lots[:, unit]) < sure
        draws[start : start + block] = (said - (right.astype(in_bin.dtype) @ in_bin)) / n
    return draws


def calibrated_mean_interval(
    value: float,
    confidence: npt.ArrayLike,
    clusters: Counts | None = None,
    *,
    stakes: npt.ArrayLike = 1.0,
    level: float = 0.95,
) -> Interval:
    """Interval of a mean over answers, with the noise that the confidences themselves imply.

    Standard error: √(Σ_c (Σ_{i∈c} d_i·√(p_i(1−p_i)))²) / n, with stakes d_i: how much a wrong answer changes the i-th term. The
    observed answers show no noise where all of them are correct.
    """
    p = np.asarray(confidence, np.float64)
    spread = clustered_sums((np.sqrt(p * (1 - p)) * stakes)[:, None], clusters)
    return normal_interval(value, float(np.linalg.norm(spread)) / len(p), level)


def wider(a: Interval, b: Interval) -> Interval:
    """The smallest interval that contains both."""
    return Interval(min(a.low, b.low), max(a.high, b.high))

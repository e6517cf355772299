"""Consistency resampling: the ECE that a calibrated model would show on the same pictures (Bröcker and Smith, 2007).

The bootstrap estimates noise from the observed answers, and a bin with few pictures holds too little information: nine of nine
correct answers at 90% confidence would look free of noise.
"""

from collections.abc import Sequence
from typing import Any

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
    found: Sequence[Gaps],
    confidences: Sequence[npt.ArrayLike],
    *,
    seed: int,
    clusters: Counts | None = None,
    resamples: int = RESAMPLES,
) -> list[Doubles]:
    """Draws [resamples, bins] of the gaps of a calibrated model, divided by the number of rows, for several measurements of the
    same rows, such as before and after temperature scaling.

    Every answer is correct with the probability of its confidence. Rows of a cluster share one random number, so that copies of a
    picture are correct together; so do all measurements of a row.
    """
    n = len(found[0].of_row)
    unit = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    order = np.argsort(unit, kind="stable")
    unit = unit[order]
    units = int(unit[-1]) + 1
    sure = [np.asarray(confidence, np.float64)[order] for confidence in confidences]
    bins = [_in_bins(gaps, order) for gaps in found]
    said = [p @ in_bin for p, in_bin in zip(sure, bins, strict=True)]
    rng, draws = np.random.default_rng(seed), [np.empty((resamples, len(gaps.bins))) for gaps in found]
    block = max(1, _BLOCK // n)
    for start in range(0, resamples, block):
        lots = rng.random((min(block, resamples - start), units))
        of_row = lots if units == n else lots[:, unit]
        for drawn, p, in_bin, expected in zip(draws, sure, bins, said, strict=True):
            drawn[start : start + block] = (expected - ((of_row < p).astype(in_bin.dtype) @ in_bin)) / n
    return draws


def _in_bins(found: Gaps, order: Counts) -> npt.NDArray[Any]:
    """[n, bins]: 1 in the bin of each row. Hits are counted by a product with it, which is three times as fast as sums over
    slices. Up to 2^24 single precision counts exactly."""
    n = len(order)
    in_bin = np.zeros((n, len(found.bins)), np.float32 if n < 1 << 24 else np.float64)
    in_bin[np.arange(n), found.of_row[order]] = 1
    return in_bin


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

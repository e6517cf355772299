"""Answers drawn as a model itself expects them: what ECE would be if it kept its word (consistency resampling, Bröcker and
Smith, 2007).

The bootstrap takes the noise from the answers that were seen, of which a bin with few pictures tells too little: one in which
nine of nine answers at 90% happen to be right looks as if it could not be otherwise."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.calibration.ece import Gaps
from eyechart.metrics.intervals import RESAMPLES, Interval
from eyechart.metrics.intervals.influence import normal_interval
from eyechart.metrics.intervals.resampling import clustered_sums

HOW = "the wider of inverted bootstrap and drawn answers, 95%"
_BLOCK = 1 << 22  # numbers held at once


def kept_gaps(
    found: Gaps, confidence: npt.ArrayLike, *, seed: int, clusters: Counts | None = None, resamples: int = RESAMPLES
) -> Doubles:
    """Draws [resamples, bins] of the gaps, divided by the number of rows, if every answer is right with the probability that is
    its confidence. Rows of a cluster draw the same lot, so that copies of a picture are right together."""
    confidence = np.asarray(confidence, np.float64)
    n = len(confidence)
    unit = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    order = np.argsort(found.of_row, kind="stable")
    unit, sure = unit[order], confidence[order]
    filled, starts = np.unique(found.of_row[order], return_index=True)
    said = np.add.reduceat(sure, starts)
    rng, draws = np.random.default_rng(seed), np.zeros((resamples, len(found.bins)))
    block = max(1, _BLOCK // n)
    for start in range(0, resamples, block):
        lots = rng.random((min(block, resamples - start), int(unit.max()) + 1))
        right = np.add.reduceat(lots[:, unit] < sure, starts, axis=1, dtype=np.float64)
        draws[start : start + block, filled] = (said - right) / n
    return draws


def kept_mean_interval(
    value: float,
    confidence: npt.ArrayLike,
    clusters: Counts | None = None,
    *,
    stakes: npt.ArrayLike = 1.0,
    level: float = 0.95,
) -> Interval:
    r"""Of a mean over answers, with the noise that the model itself expects: its standard error is
    √(Σ_c (Σ_{i∈c} d_i·√(p_i(1−p_i)))²) / n, the stakes d_i being what a wrong answer changes in the mean's i-th part. Where every
    answer seen is right, these show no noise at all."""
    p = np.asarray(confidence, np.float64)
    spread = clustered_sums((np.sqrt(p * (1 - p)) * stakes)[:, None], clusters)
    return normal_interval(value, float(np.linalg.norm(spread)) / len(p), level)


def wider(a: Interval, b: Interval) -> Interval:
    """From the lower of both lower ends to the higher of both higher ones."""
    return Interval(min(a.low, b.low), max(a.high, b.high))

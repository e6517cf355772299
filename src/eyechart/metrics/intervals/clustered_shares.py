"""Shares of correct answers where one scene has several rows: under several corruptions, in several datasets, in each frame of
a video.

Differences and ratios of two shares account for their correlation.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.metrics.intervals import Interval, wilson
from eyechart.metrics.intervals.mover import Estimate, difference_interval, ratio_interval
from eyechart.metrics.special import ndtri, stdtrit

HOW = "Wilson at the clustered variance, 95%"
_ROUNDING = 1e-24  # a variance: what sums of a million residuals leave of 0
FEW_UNITS = 10
HOW_TWO = "MOVER from two clustered Wilson intervals, 95%"


@dataclass(frozen=True)
class ClusteredShare:
    """A share with a cluster-robust interval.

    estimate: Value and interval.
    n: Number of answers.
    units: Number of scenes.
    whole: Sum of weights: the share if all answers were correct.
    residuals: First-order contribution of each unit to the error of the estimate.
    """

    estimate: Estimate
    n: int
    units: int
    whole: float
    residuals: npt.NDArray[np.float64]

    @property
    def value(self) -> float:
        return self.estimate.value


def clustered_share(
    hits: npt.ArrayLike,
    units: Counts,
    *,
    groups: Counts | None = None,
    weights: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> ClusteredShare:
    r"""Σ_g w_g · p_g with p_g the share of hits in group g (one group where none are given; equal weights of sum 1 likewise).

    Rows of one unit vary together, across groups too; units and groups are numbered from 0 and no group is empty. The variance
    is that of the sum over units of the linear residuals, Σ_u (Σ_{i∈u} w_g(i) (h_i − p_g(i)) / n_g(i))². The interval is
    Wilson's for a share of the same value and variance, whose n is p(1−p)/variance (Korn and Graubard, 1998): that of all
    answers where every answer is a unit, that of all units where answers of a unit are copies. So it stays within its bounds
    and keeps its width near 0 and 1; where nothing varies, n is the number of units. Where units have several answers, n is
    corrected for the number of units (`_corrected_count`).
    """
    hits, units = np.asarray(hits, float), np.asarray(units)
    groups = np.zeros(len(hits), np.int64) if groups is None else np.asarray(groups)
    sizes = np.bincount(groups)
    if len(hits) == 0 or not sizes.all():
        raise ValueError("every group needs an answer")
    w = np.full(len(sizes), 1 / len(sizes)) if weights is None else np.asarray(weights, float)
    shares = np.bincount(groups, hits) / sizes
    value, whole = float(w @ shares), float(w.sum())
    residuals = np.asarray(np.bincount(units, (w / sizes)[groups] * (hits - shares[groups])), np.float64)
    count = int((np.bincount(units) > 0).sum())
    p, variance = value / whole, float(residuals @ residuals) / whole**2
    n = p * (1 - p) / variance if variance > _ROUNDING else float(count)
    if count < len(hits):
        n = _corrected_count(n, count, len(hits) if len(sizes) == 1 else np.inf, level)
    low, high = wilson(p * n, n, level)
    estimate = Estimate(value, float(low) * whole, float(high) * whole)
    return ClusteredShare(estimate, len(hits), count, whole, residuals)


def _corrected_count(n: float, units: int, answers: float, level: float) -> float:
    """The n of Wilson's interval where the variance is estimated from G units.

    The variance is multiplied by G/(G−1), and n by (z/t)² with Student's t of G−1 degrees of freedom (Korn and Graubard, 1998).
    That makes n no smaller than G, which it is where all answers of a unit are copies, and n is never above `answers`. With fewer
    than `FEW_UNITS` units the variance between them is hardly known: there n is at most their number.
    """
    if units < FEW_UNITS:
        return min(n, float(units))
    upper = 0.5 + level / 2
    correction = (units - 1) / units * float(ndtri(upper) / stdtrit(units - 1, upper)) ** 2
    return min(max(n * correction, min(n, float(units))), answers)


def effective_counts(hits: npt.ArrayLike, groups: Counts, units: Counts, count: int) -> npt.NDArray[np.float64]:
    """For each of `count` groups, the number of independent answers whose share has the same variance; 0 for an empty group.

    It is p(1−p) over the clustered variance, with the correction G/(G−1) for G units. It lies between the number of units, as
    if all answers of a unit were copies, and the number of answers. With fewer than `FEW_UNITS` units the variance between them
    is hardly known, and where no answer differs it is 0: there it is the number of units.
    """
    hits, groups = np.asarray(hits, float), np.asarray(groups)
    sizes = np.bincount(groups, minlength=count)
    share = np.bincount(groups, hits, minlength=count) / np.maximum(sizes, 1)
    pairs, inverse = np.unique(np.column_stack([groups, units]), axis=0, return_inverse=True)
    distinct = np.bincount(pairs[:, 0], minlength=count)
    residuals = np.bincount(inverse.reshape(-1), hits - share[groups])
    squares = np.bincount(pairs[:, 0], residuals**2, minlength=count) / np.maximum(sizes, 1) ** 2
    variance = squares * distinct / np.maximum(distinct - 1, 1)
    known = (distinct >= FEW_UNITS) & (variance > _ROUNDING) & (distinct < sizes)
    found = share * (1 - share) / np.where(known, variance, 1.0)
    return np.where(known, np.clip(found, distinct, sizes), distinct.astype(np.float64))


def above_chance(share: ClusteredShare, chance: float) -> ClusteredShare:
    """The share corrected for chance, (p − c) / (1 − c): 0 for guessing, 1 for all correct (Cohen, 1960)."""
    e, scale = share.estimate, 1 / (1 - chance)
    estimate = Estimate(*(scale * (bound - chance) for bound in (e.value, e.low, e.high)))
    return replace(share, estimate=estimate, whole=scale * share.whole, residuals=scale * share.residuals)


def share_difference(a: ClusteredShare, b: ClusteredShare) -> Interval:
    """Interval of a − b (MOVER). Equal unit numbers in both mark rows that vary together."""
    return difference_interval(a.estimate, b.estimate, _correlation(a, b))


def share_ratio(a: ClusteredShare, b: ClusteredShare) -> Interval:
    """Interval of a / b (MOVER); NaN where b may be 0. Equal unit numbers in both mark rows that vary together."""
    return ratio_interval(a.estimate, b.estimate, _correlation(a, b))


def _correlation(a: ClusteredShare, b: ClusteredShare) -> float:
    """Correlation of the two estimates. A positive one is reduced by half an answer, as Newcombe (1998, method 10 for pairs)
    does: a hundred pictures that all keep their answers do not prove that none ever changes."""
    both = min(len(a.residuals), len(b.residuals))
    varies = float(a.residuals @ a.residuals) * float(b.residuals @ b.residuals)
    if varies == 0:
        return 0.0
    together = float(a.residuals[:both] @ b.residuals[:both])
    answers = np.sqrt(a.n / a.units * b.n / b.units)  # per unit: the more there are, the finer its share
    half = a.whole * b.whole / (2 * a.units * b.units * answers)
    return (max(together - half, 0.0) if together > 0 else together) / float(np.sqrt(varies))

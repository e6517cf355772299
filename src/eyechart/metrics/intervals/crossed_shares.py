"""Shares over pictures made from two sources, each used in many: rows vary with both of their sources."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.metrics.intervals import Interval, score_interval
from eyechart.metrics.intervals.dyadic import dyadic_variance
from eyechart.metrics.special import stdtrit

HOW = "Wilson at the variance over pictures that share a source, Student's t, 95%"


def crossed_share(hits: npt.ArrayLike, first: Counts, second: Counts, level: float = 0.95) -> tuple[float, Interval]:
    """The share of hits and its interval, where rows with equal numbers in `first` vary together, and rows with equal numbers
    in `second`.

    Two-way clustered variance (Cameron, Gelbach and Miller, 2011), V_first + V_second − V_both, which for pairs of sources is
    the dyadic one, and never less than that of independent rows. The interval is Wilson's for n = p(1−p)/variance. With few
    sources the variance is itself uncertain: the normal quantile is replaced by Student's t with one degree of freedom less
    than the smaller number of sources. Where all rows share a source the interval is NaN."""
    hits = np.asarray(hits, float)
    _, a = np.unique(first, return_inverse=True)
    _, b = np.unique(second, return_inverse=True)
    share, rows = float(hits.mean()), len(hits)
    freedom = min(int(a.max()), int(b.max()))
    if freedom == 0:
        return share, Interval(np.nan, np.nan)
    variance = dyadic_variance(hits, np.ones(rows), a, b + int(a.max()) + 1)
    n = min(share * (1 - share) / variance, rows) if variance > 0 else float(rows)
    low, high = score_interval(share * n, n, float(stdtrit(freedom, 0.5 + level / 2)))
    return share, Interval(float(low), float(high))

"""Pearson's χ² test of many two-by-two tables: does an event happen to one group more often than to the others?"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles
from eyechart.metrics.multiplicity import benjamini_hochberg
from eyechart.metrics.special import chdtrc


class Tested(NamedTuple):
    """Test results, one per table: `statistic`, `p` and `adjusted` p-values; p is 1 where a margin is empty."""

    statistic: Doubles
    p: Doubles
    adjusted: Doubles


def two_by_two(hits: npt.ArrayLike, size: npt.ArrayLike, other_hits: npt.ArrayLike, other_size: npt.ArrayLike) -> Tested:
    r"""Pearson's χ² = N(ad − bc)² / ((a+b)(c+d)(a+c)(b+d)) without a correction for continuity, one degree of freedom; `adjusted`
    controls the share of false alarms among all tables (Benjamini and Hochberg, 1995).

    >>> found = two_by_two([20], [100], [5], [100])
    >>> round(float(found.statistic[0]), 3)
    10.286
    """
    a, c = np.asarray(hits, float), np.asarray(other_hits, float)
    b, d = np.asarray(size, float) - a, np.asarray(other_size, float) - c
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    n = a + b + c + d
    statistic = np.where(margins > 0, n * (a * d - b * c) ** 2 / np.where(margins > 0, margins, 1), 0.0)
    p = np.where(margins > 0, chdtrc(1, statistic), 1.0)
    adjusted = benjamini_hochberg(p)
    return Tested(np.asarray(statistic), np.asarray(p), np.asarray(adjusted))

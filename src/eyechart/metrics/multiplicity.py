"""Corrections of p-values for several tests: Holm's for few, Benjamini and Hochberg's for many."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles


def holm(p: npt.ArrayLike) -> Doubles:
    """Holm's correction (1979): the smallest p times the number of tests, the next times one fewer, and so on, never falling.

    If only tests with a corrected p below 0.05 count, the chance of any false alarm is at most 5%.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p, float)
    order = np.argsort(p)
    rising = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(rising, 1.0)
    return corrected


def benjamini_hochberg(p: npt.ArrayLike) -> Doubles:
    """Benjamini and Hochberg's correction (1995): of the tests with a corrected p below 0.05, 5% are false alarms
    on average, at most.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    p = np.asarray(p, float)
    order = np.argsort(p)[::-1]
    falling = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(falling, 1.0)
    return corrected

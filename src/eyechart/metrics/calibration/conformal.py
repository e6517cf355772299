"""Prediction sets with a guaranteed coverage, by split-conformal calibration.

The score is LAC, least ambiguous sets (Sadinle, Lei and Wasserman, 2019): among all sets with the same marginal coverage its sets
are the smallest. It needs one number, a least probability, and no random draw, unlike adaptive sets (APS; Romano, Sesia and
Candès, 2020): the same picture always gets the same set. Coverage is not guaranteed within each class or group, so it is measured
there. A set may be empty.
"""

import numpy as np
import numpy.typing as npt


def least_probability(true_probability: npt.ArrayLike, coverage: float) -> float:
    """p₀ such that {c : p_c ≥ p₀} holds the true class of a new picture with probability `coverage` or more.

    `true_probability` [n]: the probability of the true class of pictures that were not used to fit the classifier. p₀ is the
    k-th largest, k = ⌈coverage · (n + 1)⌉; for exchangeable pictures the coverage is k/(n+1), and more with ties. With too few
    pictures, k > n, no class can be left out: p₀ = 0.

    >>> least_probability(np.arange(1, 20) / 20, 0.9)
    0.1
    """
    known = np.sort(np.asarray(true_probability, np.float64))[::-1]
    k = int(np.ceil(coverage * (len(known) + 1) - 1e-9))
    return float(known[k - 1]) if k <= len(known) else 0.0

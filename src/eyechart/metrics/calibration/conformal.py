"""Prediction sets that hold the true class as often as promised, by split-conformal calibration.

Of the usual scores this is the least ambiguous one (LAC; Sadinle, Lei and Wasserman, 2019): among all sets with the same
coverage over all pictures its sets are the smallest. It needs one number afterwards, a least probability, and no random draw
as adaptive sets (APS; Romano, Sesia and Candès, 2020) do for exact coverage: the same picture always gets the same set. What it
does not promise is coverage within each class or group, so that is to be measured; and a set may be empty, where no class is
likely enough."""

import numpy as np
import numpy.typing as npt


def least_probability(true_probability: npt.ArrayLike, coverage: float) -> float:
    r"""p₀ such that {c : p_c ≥ p₀} holds the true class of a new picture with a chance of `coverage` or more.

    `true_probability` [n]: what the classifier gave the true class of pictures that had no part in making it. p₀ is the k-th
    largest, k = ⌈coverage · (n + 1)⌉; for pictures drawn alike the chance is k/(n+1), and more where probabilities are equal.
    With too few pictures, k > n, nothing can be left out: p₀ = 0.

    >>> least_probability(np.arange(1, 20) / 20, 0.9)
    0.1
    """
    known = np.sort(np.asarray(true_probability, np.float64))[::-1]
    k = int(np.ceil(coverage * (len(known) + 1) - 1e-9))
    return float(known[k - 1]) if k <= len(known) else 0.0

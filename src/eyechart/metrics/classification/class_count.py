"""Accuracy as the class list gets longer: its mean over all class lists of one length, in closed form."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.metrics.special import gammaln


def list_lengths(classes: int) -> list[int]:
    """2, 5, 10, 20, 50, … and all classes."""
    steps = [m * 10**e for e in range(7) for m in (1, 2, 5)]
    return [*(k for k in steps if 2 <= k < classes), classes]


def count_rivals(scores: Floats, truth: Indices) -> Indices:
    """[n]: how many wrong classes score as high as the true one or higher, so that ties count as errors."""
    own = scores[np.arange(len(scores)), truth]
    return np.asarray((scores >= own[:, None]).sum(axis=1) - 1, np.int64)


def mean_over_lists(rivals: Indices, classes: int, k: int) -> npt.NDArray[np.float64]:
    r"""[n]: the share of class lists of length k with the true class in which a picture is classified correctly.

    A list adds k − 1 of the other C − 1 classes, and the picture is correct where none of its r rivals is among them:
    C(C−1−r, k−1) / C(C−1, k−1).

    >>> mean_over_lists(np.array([0, 1, 3]), classes=4, k=2).round(3)
    array([1.   , 0.667, 0.   ])
    """
    if not 1 <= k <= classes:
        raise ValueError(f"k is {k}; choose 1 to {classes}")
    others = classes - 1
    free = others - np.arange(classes)  # classes that are no rivals, for r = 0, 1, …
    with np.errstate(invalid="ignore"):
        logs = gammaln(free + 1) - gammaln(free - k + 2) - gammaln(others + 1) + gammaln(others - k + 2)
    shares = np.where(free >= k - 1, np.exp(logs), 0.0)
    shares[0] = 1.0  # exactly, not up to rounding
    return np.asarray(shares[rivals], np.float64)

"""When to say "I don't know": the confidence below which a classifier keeps silent, so that few right answers are lost."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Indices


def keeping_threshold(confidence: npt.ArrayLike, keep: float) -> float:
    r"""The highest threshold t with which a new right answer is kept with a chance of `keep` or more, from n that were seen.

    `confidence` [n]: of the right answers, the true positives. t is the k-th smallest, k = ⌊(1 − keep)(n + 1)⌋; a new one drawn
    alike falls below it with a chance of k/(n+1) at most, whatever the distribution. Where k is 0 too few were seen to turn any
    away: t = 0.

    >>> keeping_threshold(np.arange(1, 20) / 20, 0.9)
    0.1
    """
    known = np.sort(np.asarray(confidence, np.float64))
    k = int(np.floor((1 - keep) * (len(known) + 1) + 1e-9))
    return float(known[k - 1]) if k else 0.0


def class_thresholds(confidence: npt.ArrayLike, answers: Indices, keep: float, classes: int) -> Doubles:
    """[classes]: the same for the right answers of each class by itself; 0 for a class with too few to tell."""
    confidence = np.asarray(confidence, np.float64)
    return np.array([keeping_threshold(confidence[answers == c], keep) for c in range(classes)])

"""Abstention: the confidence below which a classifier gives no answer, chosen so that few correct answers are lost."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Indices


def abstention_threshold(confidence: npt.ArrayLike, keep: float) -> float:
    """The highest threshold at which a new correct answer is kept with probability `keep` or more.

    `confidence` [n]: of correct answers. The threshold is the k-th smallest, k = ⌊(1 − keep)(n + 1)⌋: an exchangeable new one
    falls below it with probability at most k/(n+1), for any distribution. Where k is 0 there are too few answers, and the
    threshold is 0.

    >>> abstention_threshold(np.arange(1, 20) / 20, 0.9)
    0.1
    """
    known = np.sort(np.asarray(confidence, np.float64))
    k = int(np.floor((1 - keep) * (len(known) + 1) + 1e-9))
    return float(known[k - 1]) if k else 0.0


def class_abstention_thresholds(confidence: npt.ArrayLike, answers: Indices, keep: float, classes: int) -> Doubles:
    """[classes]: the threshold from the correct answers of each class alone; 0 for a class with too few."""
    confidence = np.asarray(confidence, np.float64)
    return np.array([abstention_threshold(confidence[answers == c], keep) for c in range(classes)])

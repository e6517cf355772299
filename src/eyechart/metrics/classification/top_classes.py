"""The best classes of every picture with their probabilities, the rank of the true class, and the MCM score."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Flags, Floats, Indices
from eyechart.metrics.calibration.logits import LogitBlocks

K = 5  # classes kept for every picture


@dataclass(frozen=True, eq=False)
class TopClasses:
    """What a classifier answers for every picture.

    classes: [n, k] the classes with the highest scores, best first; classes with equal scores are in the order of the class list.
    probabilities: [n, k] their probabilities; None where the scores have no scale.
    margin: [n] probability of the best class − that of the second; NaN where there is no second class or no scale.
    rank: [n] how many classes come before the true one; -1 where the true class is unknown.
    tied: [n] whether several classes share the highest score.
    mcm: [n] max_c softmax(score)_c; higher for in-distribution pictures.
    """

    classes: Indices
    probabilities: Floats | None
    margin: Floats
    rank: Indices
    tied: Flags
    mcm: Floats

    @property
    def predicted(self) -> Indices:
        return np.asarray(self.classes[:, 0])


def top_classes(scores: LogitBlocks, truth: Indices, *, scale: float | None, k: int = K) -> TopClasses:
    r"""The k best classes and everything that is known of each answer, in one pass over blocks.

    Probabilities are softmax(scale · score); a bias that all classes share does not change them. MCM, maximum concept matching
    (Ming et al., 2022), is the highest softmax(score): of raw cosines, temperature 1. For logits with scale 1 it is the maximum
    softmax probability (MSP).

    Args:
        scores: Cosines, or the logits of a classifier.
        truth: The true class of every row; -1 where it is unknown.
        scale: What scores are multiplied by before the softmax; None where that is unknown.
        k: How many classes are kept, at most.
    """
    n, k = len(scores), min(k, scores.width)
    classes, rank, tied = np.empty((n, k), np.int64), np.full(n, -1, np.int64), np.empty(n, bool)
    probabilities = None if scale is None else np.empty((n, k), np.float32)
    margin, mcm = np.full(n, np.nan, np.float32), np.empty(n, np.float32)
    for rows, block in scores.blocks():
        rank[rows] = _ranks(block, truth[rows])
        best = block.max(axis=1, keepdims=True)
        tied[rows] = np.count_nonzero(block == best, axis=1) > 1
        block -= best
        mcm[rows] = 1 / np.exp(block.astype(np.float32)).sum(axis=1, dtype=np.float64)
        whole = None if scale is None else np.exp((scale * block).astype(np.float32)).sum(axis=1, dtype=np.float64)
        classes[rows], relative = _best(block, k)
        if scale is not None and whole is not None and probabilities is not None:
            p = np.exp(scale * relative) / whole[:, None]
            probabilities[rows] = p
            if k > 1:
                margin[rows] = p[:, 0] - p[:, 1]
    return TopClasses(classes, probabilities, margin, rank, tied, mcm)


def _best(block: Doubles, k: int) -> tuple[Indices, Doubles]:
    """The k best columns of every row, and their values. Of equal ones, argmax finds the first first. Overwrites the block."""
    rows = np.arange(len(block))
    found, values = np.empty((len(block), k), np.int64), np.empty((len(block), k))
    for place in range(k):
        found[:, place] = block.argmax(axis=1)
        values[:, place] = block[rows, found[:, place]]
        block[rows, found[:, place]] = -np.inf
    return found, values


def _ranks(block: Doubles, truth: Indices) -> Indices:
    """How many classes have a higher score than the true one, or an equal score and an earlier place; -1 for an unknown truth."""
    own = np.take_along_axis(block, truth[:, None], axis=1)
    ahead = np.count_nonzero(block > own, axis=1)
    for row in np.flatnonzero(np.count_nonzero(block == own, axis=1) > 1):
        ahead[row] += np.count_nonzero(block[row, : truth[row]] == own[row])
    return np.where(truth >= 0, ahead, -1)

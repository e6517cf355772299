"""Suspected label errors: confident learning on similarities to the class means of the pictures themselves.

No class name is used, so a name that the model does not know is not taken for a label error.
"""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Flags, Floats, Indices

_BLOCK = 4096  # rows whose scores are held at once


@dataclass(frozen=True, eq=False)
class MeanScores:
    """How near each picture is to its own class and to the others, by class means that leave the picture itself out.

    own: [n] cosine to the mean of its own class without itself; -1 where it is the only picture of its class.
    best: [n] the class whose mean is nearest.
    other: [n] the nearest of the other classes.
    to_other: [n] cosine to the mean of that class.
    """

    own: Floats
    best: Indices
    other: Indices
    to_other: Floats


def mean_scores(vectors: Floats, labels: Indices, classes: int) -> MeanScores:
    """The cosines of unit vectors to class means, each without the picture itself.

    Args:
        vectors: [n, d] unit vectors.
        labels: [n] the class of each.
        classes: The number of classes.
    """
    sums = np.zeros((classes, vectors.shape[1]), np.float64)
    np.add.at(sums, labels, vectors)
    counts = np.bincount(labels, minlength=classes)
    means = (sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)).astype(np.float32)
    empty = counts == 0
    own, other = np.empty(len(labels), np.float32), np.empty(len(labels), np.int64)
    to_other = np.empty(len(labels), np.float32)
    for start in range(0, len(labels), _BLOCK):
        part = slice(start, start + _BLOCK)
        x, y = vectors[part], labels[part]
        rows = np.arange(len(y))
        rest = sums[y] - x
        norms = np.linalg.norm(rest, axis=1)
        own[part] = np.where(counts[y] > 1, (rest * x).sum(axis=1) / np.maximum(norms, 1e-12), -1.0)
        scores = x @ means.T
        scores[:, empty] = -np.inf
        scores[rows, y] = -np.inf
        other[part] = scores.argmax(axis=1)
        to_other[part] = scores[rows, other[part]]
    return MeanScores(own, np.where(own >= to_other, labels, other), other, to_other)


def suspected_errors(scores: MeanScores, labels: Indices, classes: int) -> tuple[Flags, Doubles]:
    """Which labels look wrong, and by how much.

    Confident learning (Northcutt et al., 2021) with cosines as scores: the threshold of a class is the mean score of the pictures
    that have its label. A label is suspected where another class reaches its own threshold and beats the picture's own class.

    Returns:
        ([n] whether the label is suspected, [n] by how much the other class is nearer: the order in which to look)
    """
    counts = np.bincount(labels, minlength=classes)
    known = scores.own > -1
    thresholds = np.bincount(labels[known], scores.own[known], minlength=classes) / np.maximum(
        np.bincount(labels[known], minlength=classes), 1
    )
    enough = counts > 1
    reaches = (scores.to_other >= thresholds[scores.other]) & enough[scores.other]
    margin = np.asarray(scores.to_other - scores.own, np.float64)
    return np.asarray(known & reaches & (margin > 0), bool), margin

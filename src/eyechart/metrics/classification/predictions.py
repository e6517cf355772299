"""Predictions of a classifier given by one vector a class: what it says, where the truth ranks, and which answers are ties."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.metrics.vectors import unit

_FAST = 1 << 21  # scores held at once: so few that they stay near the processor until all is read off them
_BLOCK = 1 << 24  # products of class vectors held at once


@dataclass(frozen=True)
class Predictions:
    """`predicted`: the first best class. `rank`: how many classes come before the true one, -1 where the truth is unknown.
    `tied`: the best score is shared by several classes."""

    predicted: Indices
    rank: Indices
    tied: npt.NDArray[np.bool_]


def ensembles(prompt_vectors: Floats, counts: Indices) -> Floats:
    """Vectors of prompts → one vector a class: normalise each, mean, normalise (Radford et al., 2021, §3.1.4).

    The first counts[0] rows are prompts of the first class, the next counts[1] of the second, and so on; no class has none."""
    means = np.empty((len(counts), prompt_vectors.shape[1]))
    for c, end in enumerate(np.cumsum(counts)):  # class by class, whose few prompts stay near the processor
        means[c] = unit(prompt_vectors[end - counts[c] : end]).sum(axis=0, dtype=np.float64) / counts[c]
    return unit(means.astype(np.float32))


def classify(images: Floats, class_vectors: Floats, truth: Indices, twins: Indices | None = None) -> Predictions:
    """Score unit picture vectors [n, d] against unit class vectors [C, d], in blocks.

    `twins[c]` is the first class with the same prompts as c (itself where there is none). Twins get the very same score: each
    distinct class is scored once, since a matrix product may round two equal columns differently. Order among equal scores
    is that of the class list, as argmax has it.
    """
    count = len(class_vectors)
    twins = np.arange(count) if twins is None else twins
    distinct, column = np.unique(twins, return_inverse=True)
    weights = np.ascontiguousarray(class_vectors[distinct].T)
    predicted, rank = np.empty(len(images), np.int64), np.empty(len(images), np.int64)
    tied = np.empty(len(images), bool)
    rows = max(1, _FAST // max(count, 1))
    for start in range(0, len(images), rows):
        block = slice(start, start + rows)
        scores = images[block] @ weights
        if len(distinct) < count:
            scores = scores[:, column]
        predicted[block] = scores.argmax(axis=1)
        tied[block] = np.count_nonzero(scores == scores.max(axis=1, keepdims=True), axis=1) > 1
        rank[block] = _ranks(scores, truth[block])
    return Predictions(predicted, np.where(truth >= 0, rank, -1), tied)


def _ranks(scores: Floats, truth: Indices) -> Indices:
    """How many classes come before the true one: those of higher scores, and of equal ones the earlier. An unknown truth (-1)
    gets the rank of the last class, for the caller to drop."""
    own = np.take_along_axis(scores, truth[:, None], axis=1)
    ahead = np.count_nonzero(scores > own, axis=1)
    for row in np.flatnonzero(np.count_nonzero(scores == own, axis=1) > 1):
        ahead[row] += np.count_nonzero(scores[row, : truth[row] % scores.shape[1]] == own[row])
    return np.asarray(ahead, np.int64)


def best_classes(images: Floats, class_vectors: Floats, twins: Indices) -> Indices:
    """The first best class of every picture, in blocks: `classify` where only the answer is wanted. `twins` as there, or any
    other numbers that are equal for twins and grow along the class list, such as a part of them."""
    _, first = np.unique(twins, return_index=True)
    weights = np.ascontiguousarray(class_vectors[first].T)
    best = np.empty(len(images), np.int64)
    rows = max(1, _FAST // len(first))
    for start in range(0, len(images), rows):
        best[start : start + rows] = (images[start : start + rows] @ weights).argmax(axis=1)
    return np.asarray(first[best])


def duplicate_classes(prompts: Sequence[Sequence[str]]) -> Indices:
    """For each class the first one whose prompts are the same."""
    first: dict[tuple[str, ...], int] = {}
    return np.array([first.setdefault(tuple(p), i) for i, p in enumerate(prompts)], np.int64)


def same_vectors(vectors: Floats, twins: Indices, tolerance: float = 2e-6) -> Indices:
    """`twins` joined further: classes whose unit vectors differ by rounding alone are twins as well."""
    joined = twins.copy()
    rows = max(1, _BLOCK // len(vectors))
    for start in range(0, len(vectors), rows):
        near = np.argwhere(vectors[start : start + rows] @ vectors.T > 1 - 1e-5)
        near[:, 0] += start
        for later, earlier in near[near[:, 0] > near[:, 1]]:
            if np.abs(vectors[later] - vectors[earlier]).max() <= tolerance:
                joined[later] = min(joined[later], joined[earlier])
    return joined


def confusion_matrix(truth: Indices, predicted: Indices, classes: int) -> npt.NDArray[np.int64]:
    """[true, predicted] counts."""
    return np.bincount(truth * classes + predicted, minlength=classes * classes).reshape(classes, classes)

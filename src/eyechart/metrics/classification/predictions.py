"""Predictions of a classifier with one vector per class: predicted class, rank of the true class, and ties."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.metrics.vectors import unit

_FAST = 1 << 21  # scores held at once, sized to fit in the CPU cache
_BLOCK = 1 << 24  # products of class vectors held at once


@dataclass(frozen=True)
class ClassificationResult:
    """Predictions for every picture.

    predicted: The first class with the highest score.
    rank: How many classes come before the true one; -1 where the true class is unknown.
    tied: Whether several classes share the highest score.
    """

    predicted: Indices
    rank: Indices
    tied: npt.NDArray[np.bool_]


def ensembles(prompt_vectors: Floats, counts: Indices) -> Floats:
    """Prompt vectors → one vector per class: normalize each, take the mean, normalize (Radford et al., 2021, §3.1.4).

    The first counts[0] rows are prompts of the first class, the next counts[1] of the second, and so on; every class has one.
    """
    means = np.empty((len(counts), prompt_vectors.shape[1]))
    for c, end in enumerate(np.cumsum(counts)):  # class by class, whose few prompts stay near the processor
        means[c] = unit(prompt_vectors[end - counts[c] : end]).sum(axis=0, dtype=np.float64) / counts[c]
    return unit(means.astype(np.float32))


def classify(images: Floats, class_vectors: Floats, truth: Indices, duplicates: Indices | None = None) -> ClassificationResult:
    """Score unit picture vectors [n, d] against unit class vectors [C, d], in blocks.

    `duplicates[c]` is the first class with the same prompts as c. Duplicate classes get exactly the same score: each distinct
    class is scored once, since a matrix product may round two equal columns differently. Equal scores are ordered as the class
    list, as argmax does."""
    count = len(class_vectors)
    duplicates = np.arange(count) if duplicates is None else duplicates
    distinct, column = np.unique(duplicates, return_inverse=True)
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
    return ClassificationResult(predicted, np.where(truth >= 0, rank, -1), tied)


def _ranks(scores: Floats, truth: Indices) -> Indices:
    """How many classes come before the true one: those with higher scores, and earlier ones with equal scores. An unknown true
    class (-1) gets the rank of the last class, which the caller drops."""
    own = np.take_along_axis(scores, truth[:, None], axis=1)
    ahead = np.count_nonzero(scores > own, axis=1)
    for row in np.flatnonzero(np.count_nonzero(scores == own, axis=1) > 1):
        ahead[row] += np.count_nonzero(scores[row, : truth[row] % scores.shape[1]] == own[row])
    return np.asarray(ahead, np.int64)


def best_classes(images: Floats, class_vectors: Floats, duplicates: Indices) -> Indices:
    """The first class with the highest score for every picture, in blocks: `classify` where only the prediction is needed.

    `duplicates` as there, or any numbers that are equal for duplicate classes and grow along the class list.
    """
    _, first = np.unique(duplicates, return_index=True)
    weights = np.ascontiguousarray(class_vectors[first].T)
    best = np.empty(len(images), np.int64)
    rows = max(1, _FAST // len(first))
    for start in range(0, len(images), rows):
        best[start : start + rows] = (images[start : start + rows] @ weights).argmax(axis=1)
    return np.asarray(first[best])


def duplicate_classes(prompts: Sequence[Sequence[str]]) -> Indices:
    """For each class the first class that has the same prompts."""
    first: dict[tuple[str, ...], int] = {}
    return np.array([first.setdefault(tuple(p), i) for i, p in enumerate(prompts)], np.int64)


def same_vectors(vectors: Floats, duplicates: Indices, tolerance: float = 2e-6) -> Indices:
    """Extend `duplicates`: classes with unit vectors that differ by rounding alone are duplicates as well."""
    joined = duplicates.copy()
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

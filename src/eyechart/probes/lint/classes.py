"""Checks of whole classes: names that the model does not know, and two names of one class."""

import numpy as np

from eyechart.arrays import Counts, Doubles, Floats, Indices
from eyechart.metrics.intervals import wilson

LEAST = 10  # pictures of a class
ALIKE = 0.5  # of a class must be nearest to the mean of its own pictures, at 95% confidence
FOUND = 0.3  # of it may be found by its name, at 95% confidence
APART = 0.65  # of two classes must be nearer to their own mean, at 95% confidence; 0.5 is chance
NEAR = 5  # other classes with which each class is compared


def unknown_names(matrix: Counts, by_means: Counts) -> list[tuple[int, int, int]]:
    """(class, pictures that its name finds, pictures) of classes whose pictures are alike, but are not found by the name.

    Args:
        matrix: [C, C] pictures by true class and zero-shot prediction.
        by_means: [C, C] pictures by true class and nearest class mean.
    """
    n = matrix.sum(axis=1)
    alike, _ = wilson(by_means.diagonal(), n)
    _, found = wilson(matrix.diagonal(), n)
    chosen = np.flatnonzero((n >= LEAST) & (np.nan_to_num(alike) > ALIKE) & (np.nan_to_num(found, nan=1.0) < FOUND))
    return [(int(c), int(matrix[c, c]), int(n[c])) for c in chosen]


def same_pictures(vectors: Floats, labels: Indices, classes: int) -> list[tuple[int, int]]:
    """Pairs of classes whose pictures cannot be told apart.

    For the nearest classes of each: how many pictures of both are nearer to the mean of their own class, without themselves, than
    to that of the other. Where that is hardly more than chance, the two are one class.
    """
    counts = np.bincount(labels, minlength=classes)
    usable = np.flatnonzero(counts >= LEAST)
    sums = np.zeros((classes, vectors.shape[1]))
    np.add.at(sums, labels, vectors)
    means = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    near = means[usable] @ means[usable].T
    np.fill_diagonal(near, -np.inf)
    candidates = {
        tuple(sorted((int(usable[i]), int(usable[j]))))
        for i in range(len(usable))
        for j in np.argsort(-near[i], kind="stable")[:NEAR]
        if np.isfinite(near[i, j])
    }
    return [(a, b) for a, b in sorted(candidates) if _inseparable(vectors, labels, sums, a, b)]


def _inseparable(vectors: Floats, labels: Indices, sums: Doubles, a: int, b: int) -> bool:
    own_hits = total = 0
    for own, other in ((a, b), (b, a)):
        x = vectors[labels == own]
        rest = sums[own] - x
        to_own = (rest * x).sum(axis=1) / np.maximum(np.linalg.norm(rest, axis=1), 1e-12)
        to_other = x @ sums[other] / max(float(np.linalg.norm(sums[other])), 1e-12)
        own_hits += int((to_own > to_other).sum())
        total += len(x)
    return bool(wilson(own_hits, total)[1] < APART)

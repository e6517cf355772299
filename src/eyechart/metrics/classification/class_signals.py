"""Class-level signals that need no labels: margin, entropy, confidence, confusion, and their means by class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Floats, Indices
from eyechart.metrics.classification.margins import margins_of_block
from eyechart.metrics.special import stdtrit

_BLOCK = 1 << 18  # cosines held at once


@dataclass(frozen=True)
class PictureSignals:
    """Of n pictures: `predicted` class; `margins`: one [n] for each labeling; `entropy` (nats) and `confidence` of the softmax,
    None where the scale of the logits is unknown."""

    predicted: Indices
    margins: tuple[Doubles, ...]
    entropy: Doubles | None
    confidence: Doubles | None


def read_signals(images: Floats, class_vectors: Floats, labelings: Sequence[Indices], scale: float | None) -> PictureSignals:
    """In one pass over unit vectors [n, d] and [C ≥ 2, d], block by block. Entropy: −Σ p log p of p = softmax(scale · cosine)."""
    n, weights = len(images), np.ascontiguousarray(class_vectors.T)
    predicted, margins = np.empty(n, np.int64), tuple(np.empty(n) for _ in labelings)
    entropy, confidence = np.empty(n), np.empty(n)
    rows = max(1, _BLOCK // len(class_vectors))
    for start in range(0, n, rows):
        block = slice(start, start + rows)
        scores = images[block] @ weights
        predicted[block] = scores.argmax(axis=1)
        for of, labels in zip(margins, labelings, strict=True):
            of[block] = margins_of_block(scores, labels[block])
        if scale is not None:
            below = scale * (scores - scores.max(axis=1, keepdims=True)).astype(np.float64)
            powers = np.exp(below)
            whole = powers.sum(axis=1)
            entropy[block] = np.log(whole) - np.einsum("nc,nc->n", powers, below) / whole
            confidence[block] = 1 / whole
    known = scale is not None
    return PictureSignals(predicted, margins, entropy if known else None, confidence if known else None)


def class_means(values: Doubles, labels: Indices, classes: int, unseen: float) -> Doubles:
    """[classes]; `unseen` for those without a picture."""
    counts = np.bincount(labels, minlength=classes)
    return np.where(counts > 0, np.bincount(labels, values, minlength=classes) / np.maximum(counts, 1), unseen)


def strongest_confusion(labels: Indices, predicted: Indices, classes: int) -> Doubles:
    """[classes]: the largest share of a class's pictures that any single other class takes; 1 where it has none."""
    wrong = labels != predicted
    pairs, taken = np.unique(labels[wrong] * classes + predicted[wrong], return_counts=True)
    most = np.zeros(classes)
    np.maximum.at(most, pairs // classes, taken)
    counts = np.bincount(labels, minlength=classes)
    return np.where(counts > 0, most / np.maximum(counts, 1), 1.0)


def class_mean_errors(values: Doubles, labels: Indices, clusters: Indices, classes: int, level: float = 0.95) -> Doubles:
    """[classes]: half the width of Student's interval of each class's mean, rows of one cluster counting as one; NaN where a
    class has fewer than two clusters."""
    counts = np.bincount(labels, minlength=classes)
    means = np.bincount(labels, values, minlength=classes) / np.maximum(counts, 1)
    _, pair = np.unique(np.column_stack([labels, clusters]), axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    of_class = np.zeros(int(pair.max()) + 1, np.int64)
    of_class[pair] = labels
    sums = np.bincount(pair, (values - means[labels]) / counts[labels])
    k = np.bincount(of_class, minlength=classes).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(k / (k - 1) * np.bincount(of_class, sums**2, minlength=classes))
        return np.asarray(np.where(k > 1, stdtrit(np.maximum(k - 1, 1), 0.5 + level / 2) * error, np.nan))

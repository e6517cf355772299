"""Which candidate is taken: the one that does most for the worst classes at a price that was agreed on beforehand."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Flags, Floats, Indices
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.repair.candidates import Candidate

Labels = npt.NDArray[np.str_]


@dataclass(frozen=True)
class CandidateScore:
    """Of a candidate on some pictures: all of them, and the mean of the `worst` lowest accuracies of labels. `n`: the pictures;
    `low`, `high`: the 95% interval of the accuracy, to be shown and no part of the choice."""

    accuracy: float
    worst: float
    n: int = field(default=0, compare=False)
    low: float = field(default=0.0, compare=False)
    high: float = field(default=1.0, compare=False)


def label_accuracies(right: Flags, labels: Labels) -> Doubles:
    """Of every label that has a picture, in sorted order."""
    _, of_row = np.unique(labels, return_inverse=True)
    return np.asarray(np.bincount(of_row, right) / np.bincount(of_row))


def worst_labels(right: Flags, labels: Labels, count: int) -> list[str]:
    """The labels of lowest accuracy; among equals those with most pictures, which are the surest to be bad."""
    names, sizes = np.unique(labels, return_counts=True)
    order = np.lexsort((names, -sizes, label_accuracies(right, labels)))
    return [str(names[i]) for i in order[:count]]


def score(vectors: Floats, class_labels: Labels, images: Floats, labels: Labels, worst: int, units: Indices) -> CandidateScore:
    """`units`: which pictures are one and the same."""
    right = class_labels[best_classes(images, vectors, np.arange(len(vectors)))] == labels
    lowest = np.sort(label_accuracies(right, labels))[:worst]
    estimate = clustered_share(right, np.unique(units, return_inverse=True)[1]).estimate
    return CandidateScore(float(right.mean()), float(lowest.mean()), len(labels), estimate.low, estimate.high)


def choose(found: Sequence[Candidate], scores: Sequence[CandidateScore], before: CandidateScore, cost: float) -> int:
    """The highest accuracy of the worst classes among candidates that lose no more than `cost` in all; of equals the more
    accurate, then the earlier. Where every candidate costs more, the most accurate one."""
    affordable = [i for i, s in enumerate(scores) if s.accuracy >= before.accuracy - cost - 1e-12]
    if not affordable:
        return max(range(len(found)), key=lambda i: (scores[i].accuracy, -i))
    return max(affordable, key=lambda i: (scores[i].worst, scores[i].accuracy, -i))

"""Selection of a candidate: the highest accuracy of the worst classes, at a limited cost in overall accuracy."""

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
    """The score of a candidate on some pictures.

    accuracy: Top-1 accuracy.
    worst: Mean accuracy of the worst labels.
    n: Number of pictures.
    low: Lower end of the 95% interval of the accuracy; shown only, not used for the selection.
    high: Upper end of it.
    """

    accuracy: float
    worst: float
    n: int = field(default=0, compare=False)
    low: float = field(default=0.0, compare=False)
    high: float = field(default=1.0, compare=False)


def label_accuracies(correct: Flags, labels: Labels) -> Doubles:
    """The accuracy of every label that has a picture, in sorted order."""
    _, of_row = np.unique(labels, return_inverse=True)
    return np.asarray(np.bincount(of_row, correct) / np.bincount(of_row))


def worst_labels(correct: Flags, labels: Labels, count: int) -> list[str]:
    """The labels of lowest accuracy; among equals those with the most pictures, which are the strongest evidence."""
    names, sizes = np.unique(labels, return_counts=True)
    order = np.lexsort((names, -sizes, label_accuracies(correct, labels)))
    return [str(names[i]) for i in order[:count]]


def score(vectors: Floats, class_labels: Labels, images: Floats, labels: Labels, worst: int, clusters: Indices) -> CandidateScore:
    """The score of class vectors. `clusters`: equal for rows that are the same picture."""
    correct = class_labels[best_classes(images, vectors, np.arange(len(vectors)))] == labels
    lowest = np.sort(label_accuracies(correct, labels))[:worst]
    estimate = clustered_share(correct, np.unique(clusters, return_inverse=True)[1]).estimate
    return CandidateScore(float(correct.mean()), float(lowest.mean()), len(labels), estimate.low, estimate.high)


def choose(found: Sequence[Candidate], scores: Sequence[CandidateScore], before: CandidateScore, cost: float) -> int:
    """The index of the selected candidate.

    It has the highest accuracy of the worst classes among the candidates that lose at most `cost` of overall accuracy. Ties go
    to the more accurate one, then to the earlier one. Where every candidate loses more, the most accurate one is selected.
    """
    affordable = [i for i, s in enumerate(scores) if s.accuracy >= before.accuracy - cost - 1e-12]
    if not affordable:
        return max(range(len(found)), key=lambda i: (scores[i].accuracy, -i))
    return max(affordable, key=lambda i: (scores[i].worst, scores[i].accuracy, -i))

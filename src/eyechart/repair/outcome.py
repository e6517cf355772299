"""What a classifier says of pictures whose labels are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Flags, Floats, Indices
from eyechart.classifier import Classifier

_BLOCK = 1 << 21  # probabilities held at once


@dataclass(frozen=True, eq=False)
class ClassifierOutcome:
    """Picture by picture. `right`: the answer has the picture's label. `own`: the probability of that label, by the likeliest
    class that has it; 0 where none does. `covered`: the prediction set holds it; `sizes`: of the sets. Both are None for a
    classifier without sets."""

    answers: Indices
    right: Flags
    confidence: Doubles
    own: Doubles
    abstain: Flags
    covered: Flags | None
    sizes: Indices | None

    @property
    def nll(self) -> Doubles:
        return np.asarray(-np.log(np.maximum(self.own, np.finfo(np.float64).tiny)))


def ask(classifier: Classifier, images: Floats, labels: npt.NDArray[np.str_]) -> ClassifierOutcome:
    """In blocks: probabilities of all pictures and classes are never held at once."""
    rows = max(1, _BLOCK // len(classifier.labels))
    n, of_class, truth = len(images), *_numbered(classifier.labels, labels)
    answers, own, confidence, sizes = np.empty(n, np.int64), np.empty(n), np.empty(n), np.zeros(n, np.int64)
    for start in range(0, n, rows):
        block = slice(start, start + rows)
        said = classifier(images[block])
        p, answers[block], confidence[block] = said.probabilities, said.classes, said.confidence
        own[block] = np.where(truth[block, None] == of_class, p, 0.0).max(axis=1)
        if classifier.least is not None:
            sizes[block] = (p >= classifier.least).sum(axis=1)
    covered = None if classifier.least is None else (own >= classifier.least) & np.isin(truth, of_class)
    abstain = confidence < classifier.thresholds[answers]
    with_sets = None if classifier.least is None else sizes
    return ClassifierOutcome(answers, of_class[answers] == truth, confidence, own, abstain, covered, with_sets)


def _numbered(class_labels: Sequence[str], labels: npt.NDArray[np.str_]) -> tuple[Indices, Indices]:
    """Labels of classes and of pictures as numbers, equal where the labels are: texts are slow to compare."""
    _, numbers = np.unique(np.concatenate([np.array(class_labels), labels]), return_inverse=True)
    return numbers[: len(class_labels)], numbers[len(class_labels) :]

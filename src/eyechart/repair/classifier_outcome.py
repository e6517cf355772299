"""The predictions of a classifier on labeled pictures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Flags, Floats, Indices
from eyechart.classifier import Classifier
from eyechart.metrics.special import softmax

_BLOCK = 1 << 21  # probabilities in memory at once


@dataclass(frozen=True, eq=False)
class ClassifierOutcome:
    """Predictions, one entry per picture.

    answers: Index of the predicted class.
    correct: Whether the predicted class has the picture's label.
    confidence: Probability of the predicted class.
    label_probability: Probability of the picture's label, by its most probable class; 0 where no class has it.
    abstained: Whether the confidence is below the threshold of the predicted class.
    covered: Whether the prediction set contains the label; None for a classifier without prediction sets.
    set_sizes: Size of the prediction set; None for a classifier without prediction sets.
    """

    answers: Indices
    correct: Flags
    confidence: Doubles
    label_probability: Doubles
    abstained: Flags
    covered: Flags | None
    set_sizes: Indices | None

    @property
    def nll(self) -> Doubles:
        return np.asarray(-np.log(np.maximum(self.label_probability, np.finfo(np.float64).tiny)))


def predict(classifier: Classifier, images: Floats, labels: npt.NDArray[np.str_]) -> ClassifierOutcome:
    """Predict in blocks, so that the probabilities of all pictures and classes are never in memory at once."""
    rows = max(1, _BLOCK // len(classifier.labels))
    n, of_class, truth = len(images), *_label_codes(classifier.labels, labels)
    answers, own, confidence, sizes = np.empty(n, np.int64), np.empty(n), np.empty(n), np.zeros(n, np.int64)
    for start in range(0, n, rows):
        block = slice(start, start + rows)
        found = classifier(images[block])
        p, answers[block], confidence[block] = found.probabilities, found.classes, found.confidence
        own[block] = np.where(truth[block, None] == of_class, p, 0.0).max(axis=1)
        if classifier.least is not None:
            sizes[block] = (p >= classifier.least).sum(axis=1)
    covered = None if classifier.least is None else (own >= classifier.least) & np.isin(truth, of_class)
    abstained = confidence < classifier.thresholds[answers]
    set_sizes = None if classifier.least is None else sizes
    return ClassifierOutcome(answers, of_class[answers] == truth, confidence, own, abstained, covered, set_sizes)


def predict_by_scores(scores: Floats, class_labels: Sequence[str], labels: npt.NDArray[np.str_]) -> ClassifierOutcome:
    """Predictions from the logits [n, C] of classes, without thresholds and prediction sets."""
    of_class, truth = _label_codes(class_labels, labels)
    p = softmax(np.asarray(scores, np.float64), axis=1)
    answers, rows = scores.argmax(axis=1), np.arange(len(scores))
    own = np.where(truth[:, None] == of_class, p, 0.0).max(axis=1)
    never = np.zeros(len(scores), np.bool_)
    return ClassifierOutcome(answers, of_class[answers] == truth, p[rows, answers], own, never, None, None)


def _label_codes(class_labels: Sequence[str], labels: npt.NDArray[np.str_]) -> tuple[Indices, Indices]:
    """Labels of classes and of pictures as integer codes: comparing strings is slow."""
    _, codes = np.unique(np.concatenate([np.array(class_labels), labels]), return_inverse=True)
    return codes[: len(class_labels)], codes[len(class_labels) :]

"""Predictions for shifted pictures: among the compared classes, and only where zero_shot does not make them anyway."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax
from tests.probes.answering import among
from tests.probes.vectors import given_by_vectors

from eyechart.probes.tasks.predictors import predictors
from eyechart.probes.tasks.shift_pairs import pair_with
from eyechart.probes.tasks.shifted_predictions import shifted_predictions

IMAGES = np.array([[3.0, 1, 0, 0], [0, 2, 1, 0], [1, 0, 4, 0], [0, 1, 2, 5]])
UNIT = IMAGES / np.linalg.norm(IMAGES, axis=1, keepdims=True)
NAMES = ["a", "b", "c", "d"]


def exam():
    return given_by_vectors(IMAGES, np.eye(4), [0, 1, 2, 3], None, names=NAMES, logit_scale=10.0)


def shifted(names, truth):
    classes = np.eye(4)[[NAMES.index(name) for name in names]]
    return given_by_vectors(IMAGES, classes, truth, None, names=names, name="dark", role="shift", logit_scale=10.0)


def predicted(other):
    inputs = among(exam(), other)
    (predictor,) = predictors(inputs)
    return shifted_predictions(inputs, pair_with(inputs, other, np.ones(4, bool)), predictor)


def test_predictions_are_among_the_shared_classes_in_the_order_of_the_source():
    """The shifted set has d and b, in this order, and zero_shot predicts them so. Truth: b for row 1, d for rows 2 and 3."""
    (found,) = predicted(shifted(["d", "b"], [-1, 1, 0, 0]))
    assert found.labels == ["b", "d"] and found.dataset == "dark" and found.prompts == "bare"
    assert found.ids == ["dark-1", "dark-2", "dark-3"] and found.truth.tolist() == [0, 1, 1]
    p = softmax(10 * UNIT[1:][:, [1, 3]], axis=1)
    assert found.top[:, 0].tolist() == [0, 0, 1]
    assert found.probabilities[:, 0] == pytest.approx(p.max(axis=1), rel=1e-5)
    assert found.rank.tolist() == [0, 1, 0]


def test_the_same_classes_in_the_same_order_are_left_to_zero_shot():
    assert predicted(shifted(["b", "d"], [-1, 0, 1, 1])) == []
    inputs = exam()
    (predictor,) = predictors(inputs)
    assert shifted_predictions(inputs, pair_with(inputs, inputs, np.ones(4, bool)), predictor) == []


def test_a_set_that_was_made_is_predicted_here():
    other = shifted(["b", "d"], [-1, 0, 1, 1])
    (found,) = predicted(replace(other, dataset=replace(other.dataset, made=True)))
    assert found.labels == ["b", "d"]


def test_scores_of_classes_are_logits_as_they_are():
    """A model that scores class names: its probabilities are the softmax of its scores over the shared classes."""
    scores = np.array([[3.0, 1, 0, 0], [0, 2, 1, 0], [1, 0, 4, 0], [0, 1, 2, 5]], np.float32)

    def scoring(given):
        return replace(given, prompts=(), class_scores=lambda rows: scores[list(rows)], scored_classes=tuple(NAMES))

    inputs, other = scoring(exam()), scoring(shifted(["d", "b"], [-1, 1, 0, 0]))
    inputs = among(inputs, other)
    (predictor,) = predictors(inputs)
    (found,) = shifted_predictions(inputs, pair_with(inputs, other, np.ones(4, bool)), predictor)
    expected = softmax(scores[1:][:, [1, 3]], axis=1).max(axis=1)
    assert found.probabilities[:, 0] == pytest.approx(expected, rel=1e-5)

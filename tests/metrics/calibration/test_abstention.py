"""Thresholds that keep most right answers: by hand, and the promise on new pictures."""

import numpy as np
import pytest

from eyechart.metrics.calibration.abstention import abstention_threshold, class_abstention_thresholds


def test_by_hand():
    """Nine right answers, keep 0.8: k = ⌊0.2 · 10⌋ = 2, the second smallest confidence."""
    assert abstention_threshold([0.9, 0.1, 0.8, 0.3, 0.7, 0.6, 0.5, 0.4, 0.95], 0.8) == 0.3


def test_too_few_right_answers_turn_nobody_away():
    assert abstention_threshold([0.9] * 18, 0.95) == 0.0
    assert abstention_threshold([], 0.5) == 0.0
    assert abstention_threshold(np.linspace(0.5, 0.9, 19), 0.95) == 0.5


def test_each_class_by_itself():
    confidence = np.array([0.9, 0.8, 0.7, 0.6, 0.3, 0.2, 0.1])
    answers = np.array([0, 0, 0, 1, 1, 1, 2])
    np.testing.assert_array_equal(class_abstention_thresholds(confidence, answers, 0.75, 4), [0.7, 0.2, 0, 0])


@pytest.mark.parametrize("keep", [0.8, 0.95])
def test_new_right_answers_are_kept_as_often_as_promised(keep):
    rng = np.random.default_rng(0)
    kept = []
    for _ in range(200):
        seen, new = rng.beta(5, 2, 400), rng.beta(5, 2, 400)
        kept.append((new >= abstention_threshold(seen, keep)).mean())
    assert keep - 0.005 < np.mean(kept) < keep + 0.01

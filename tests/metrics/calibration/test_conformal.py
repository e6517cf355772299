"""Prediction sets: by hand, by brute force, and the promise over 200 splits."""

import numpy as np
import pytest
from scipy.special import softmax

from eyechart.metrics.calibration.conformal import least_probability


def test_by_hand():
    """Of four pictures and a coverage of 0.6: k = ⌈0.6 · 5⌉ = 3, the third largest probability."""
    assert least_probability([0.9, 0.2, 0.5, 0.7], 0.6) == 0.5


def test_too_few_pictures_leave_nothing_out():
    assert least_probability([0.9, 0.8, 0.7], 0.9) == 0.0
    assert least_probability([], 0.9) == 0.0


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_leaving_one_out_covers_exactly_as_often_as_said(coverage):
    """Exchangeability by brute force: of n + 1 pictures each is once the new one, and k of them are covered by the others."""
    p = np.random.default_rng(1).random(41)
    covered = sum(p[i] >= least_probability(np.delete(p, i), coverage) for i in range(41))
    assert covered == np.ceil(coverage * 41 - 1e-9)


@pytest.mark.parametrize("nominal", [0.8, 0.9, 0.95])
def test_coverage_over_200_splits_is_within_a_point_of_what_was_promised(nominal):
    """A classifier whose probabilities are wrong (three times too sure): the promise does not depend on them."""
    rng = np.random.default_rng(2)
    n, classes = 3000, 12
    truth = rng.integers(0, classes, n)
    p = softmax(3 * (rng.normal(size=(n, classes)) + 2.0 * np.eye(classes)[truth]), axis=1)
    true = p[np.arange(n), truth]
    covered = []
    for _ in range(200):
        calibrate = rng.permutation(n) < n // 2
        covered.append((true[~calibrate] >= least_probability(true[calibrate], nominal)).mean())
    assert abs(np.mean(covered) - nominal) < 0.01
    assert np.std(covered) < 0.02


def test_a_threshold_taken_from_the_wrong_side_would_be_seen():
    """The complement of the quantile covers far too few: the test above can fail."""
    true = np.random.default_rng(3).random(2000)
    assert (true >= np.quantile(true, 0.9)).mean() < 0.11 < 0.89 < (true >= least_probability(true, 0.9)).mean()

"""Differences on the same pictures: by hand, against SciPy, and the coverage of their intervals."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, ttest_rel
from sklearn.metrics import roc_auc_score

from eyechart.metrics.calibration.ece import ece, gaps
from eyechart.metrics.intervals.paired_differences import auroc_difference, ece_difference, mean_difference
from eyechart.metrics.ranking.intervals import Scored


def test_a_mean_difference_is_scipys_paired_one():
    """Student's and the normal quantile of 4,000 pictures differ by less than a thousandth."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal(4000)
    b = a + 0.3 + 0.2 * rng.standard_normal(4000)
    value, interval = mean_difference(a, b)
    expected = ttest_rel(a, b).confidence_interval()
    assert value == pytest.approx((a - b).mean())
    assert tuple(interval) == pytest.approx((expected.low, expected.high), rel=1e-3)


def test_copies_of_pictures_add_nothing():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 100))
    once = mean_difference(a, b, np.arange(100))
    tenfold = mean_difference(a.repeat(10), b.repeat(10), np.arange(100).repeat(10))
    assert tenfold[1] == pytest.approx(once[1])


def scores(rng, n, gain):
    """Two scores of one underlying quality and independent noise; the second has `gain` more of the quality."""
    inside = np.arange(2 * n) < n
    quality = np.where(inside, 0.5, -0.5) + rng.standard_normal(2 * n)
    return inside, quality + rng.standard_normal(2 * n), (1 + gain) * quality + rng.standard_normal(2 * n)


def test_an_auroc_difference_is_that_of_scikit_learns():
    inside, a, b = scores(np.random.default_rng(2), 60, 1.0)
    value, _ = auroc_difference(Scored(a, inside), Scored(b, inside))
    assert value == pytest.approx(roc_auc_score(inside, a) - roc_auc_score(inside, b))


@pytest.mark.slow
@pytest.mark.parametrize("gain", [0.0, 1.0])
def test_intervals_of_auroc_differences_cover(gain):
    """The truth in closed form: a score q·k + e of N(±k/2, k² + 1) has AUROC Φ(k / √(2(k² + 1)))."""
    rng, held = np.random.default_rng(3), 0
    of = [norm.cdf(k / np.sqrt(2 * (k * k + 1))) for k in (1.0, 1.0 + gain)]
    for _ in range(2000):
        inside, a, b = scores(rng, 100, gain)
        _, (low, high) = auroc_difference(Scored(a, inside), Scored(b, inside))
        held += low <= of[0] - of[1] <= high
    assert 0.93 <= held / 2000 <= 0.97


def test_an_ece_difference_is_the_difference_of_both():
    rng = np.random.default_rng(4)
    sure, right = rng.uniform(0.2, 1, 300), rng.random(300) < 0.6
    value, (low, high) = ece_difference(gaps(sure, right), gaps(sure**2, right), seed=0, resamples=200)
    assert value == pytest.approx(ece(sure, right) - ece(sure**2, right))
    assert low < value < high


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 2.0), (2.0, 1.2)])
def test_intervals_of_ece_differences_hold_the_truth_at_least_as_often_as_they_say(a, b):
    """Of two models with confidence σ(a · logit p) where p is the chance to be right; most answers are the same."""
    grid = np.linspace(0.3, 0.99, 1_000_001)
    truth = ece(expit(a * logit(grid)), grid) - ece(expit(b * logit(grid)), grid)
    rng, held = np.random.default_rng(5), 0
    for draw in range(200):
        p = rng.uniform(0.3, 0.99, 600)
        right = rng.random(600) < p
        other = np.where(rng.random(600) < 0.15, rng.random(600) < p, right)
        found = gaps(expit(a * logit(p)), right), gaps(expit(b * logit(p)), other)
        _, (low, high) = ece_difference(*found, seed=draw, resamples=300)
        held += low <= truth <= high
    assert held >= 186

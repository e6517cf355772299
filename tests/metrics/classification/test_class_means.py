"""The mean over classes: which interval is used when, and what it is."""

import numpy as np
import pytest
from scipy.stats import binomtest

from eyechart.metrics.classification.class_means import mean_of_shares_interval


@pytest.mark.parametrize("few", ["wrong", "right"])
def test_few_errors_or_few_hits_give_wilson_for_the_pictures_that_count(few):
    """Two classes of 50: 2² / (1/50 + 1/50) = 100 pictures if all were alike."""
    hits = np.ones(100)
    hits[[3, 60]] = 0
    if few == "right":
        hits = 1 - hits
    (low, high), how = mean_of_shares_interval(hits, np.repeat([0, 1], 50), seed=0)
    expected = binomtest(int(hits.sum()), 100).proportion_ci(method="wilson")
    assert how == "Wilson, 95%"
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_unequal_classes_count_as_fewer_pictures():
    """90 and 10: 4 / (1/90 + 1/10) = 36 pictures."""
    hits = np.ones(100)
    hits[95:] = 0  # half of the small class: the mean is 75%, 27 of 36
    (low, high), how = mean_of_shares_interval(hits, np.repeat([0, 1], [90, 10]), seed=0)
    expected = binomtest(27, 36).proportion_ci(method="wilson")
    assert how == "Wilson, 95%"
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_with_ten_of_both_it_is_the_bootstrap_within_classes():
    """k − 1 of k pictures are drawn: with 20 of 40 right in each of two classes, the variance is 2 · ¼ / 39 / 4."""
    hits = np.tile([0.0, 1.0], 40)
    (low, high), how = mean_of_shares_interval(hits, np.repeat([0, 1], 40), seed=1, resamples=20_000)
    assert how.startswith("bootstrap")
    width = 2 * 1.96 * np.sqrt(2 * 0.25 / 39 / 4)
    assert high - low == pytest.approx(width, rel=0.06)
    assert (low + high) / 2 == pytest.approx(0.5, abs=0.02)

"""Slopes over checkpoints: against SciPy, and the coverage of their intervals."""

import numpy as np
import pytest
from scipy.stats import linregress, t

from eyechart.metrics.trends.growth import per_doubling

SAMPLES = np.array([15_000, 30_000, 60_000, 90_000, 120_000])


def test_the_slope_is_that_of_scipy():
    values = np.array([0.2, 0.31, 0.38, 0.41, 0.47])
    slope, (low, high) = per_doubling(SAMPLES, values)
    expected = linregress(np.log2(SAMPLES), values)
    half = t.ppf(0.975, 3) * expected.stderr
    assert (slope, low, high) == pytest.approx((expected.slope, expected.slope - half, expected.slope + half))


@pytest.mark.slow
def test_intervals_cover():
    rng = np.random.default_rng(0)
    truth = 0.05
    lines = truth * np.log2(SAMPLES) + rng.normal(0, 0.03, (2000, 5))
    held = sum(low <= truth <= high for _, (low, high) in (per_doubling(SAMPLES, line) for line in lines))
    assert 0.93 <= held / 2000 <= 0.97


@pytest.mark.parametrize("samples", [[1, 2], [4, 4, 4]])
def test_too_few_checkpoints_have_no_slope(samples):
    with pytest.raises(ValueError, match="three checkpoints"):
        per_doubling(samples, np.zeros(len(samples)))


def test_three_checkpoints_are_enough_and_the_level_is_that_asked_for():
    samples, values = np.array([10, 20, 60]), np.array([0.1, 0.3, 0.35])
    slope, (low, high) = per_doubling(samples, values, 0.8)
    expected = linregress(np.log2(samples), values)
    half = t.ppf(0.9, 1) * expected.stderr
    assert (slope, low, high) == pytest.approx((expected.slope, expected.slope - half, expected.slope + half))

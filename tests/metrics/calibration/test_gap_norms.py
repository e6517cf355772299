"""Intervals of norms: the search for the lower end against a fine grid."""

import numpy as np
import pytest
from scipy.stats import norm as normal

from eyechart.metrics.calibration.gap_norms import norm_interval, total


def euclidean(gaps):
    return np.sqrt((gaps**2).sum(axis=-1))


@pytest.mark.parametrize("norm", [total, euclidean])
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("size", [0.02, 0.06, 0.2])
def test_the_lower_end_is_the_smallest_multiple_that_noise_lifts_to_the_norm(norm, level, size):
    rng = np.random.default_rng(0)
    gaps, noise = size * rng.normal(size=6), 0.02 * rng.normal(size=(500, 6))
    low, high = norm_interval(gaps, noise, norm, level)
    found, tail = float(norm(gaps)), (1 - level) / 2
    shares = [s for s in np.linspace(0, 1, 1025) if np.quantile(norm(s * gaps + noise), 1 - tail) >= found]
    assert low == pytest.approx(min(shares) * found, abs=found / 256)
    assert low >= min(shares) * found - 1e-9
    assert high == pytest.approx(found + normal.ppf(1 - tail) * norm(gaps + noise).std())


def test_what_noise_alone_explains_may_be_nothing():
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(200, 3))
    assert norm_interval(np.array([0.1, -0.1, 0.0]), noise).low == 0.0


def test_without_noise_the_norm_is_known():
    low, high = norm_interval(np.array([0.1, -0.3]), np.zeros((50, 2)))
    assert (low, high) == pytest.approx((0.4, 0.4))


def test_total_is_over_the_last_axis():
    assert total(np.array([[1.0, -2.0], [0.5, 0.5]])).tolist() == [3.0, 1.0]

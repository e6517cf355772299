"""Standard errors from influences: SciPy's for independent rows, by hand for clusters; intervals on three scales."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, sem

from eyechart.metrics.intervals.influence import log_interval, logit_interval, normal_interval, standard_error


def test_rows_of_their_own_have_the_standard_error_of_the_mean():
    x = np.random.default_rng(0).exponential(size=12)
    assert standard_error((x - x.mean()) / 12) == pytest.approx(sem(x))
    assert standard_error((x - x.mean()) / 12, np.arange(12) + 40) == pytest.approx(sem(x))


def test_clusters_are_summed():
    """Sums 0.5, −0.75 and 0.25 over three clusters."""
    influence = np.array([0.25, 0.25, -1.0, 0.25, 0.25])
    error = standard_error(influence, np.array([9, 9, 2, 2, 5]))
    assert error == pytest.approx(np.sqrt(3 / 2 * (0.5**2 + 0.75**2 + 0.25**2)))


def test_one_cluster_has_no_error_and_two_have():
    assert np.isnan(standard_error(np.array([0.1, -0.1]), np.zeros(2, int)))
    assert standard_error(np.array([0.1, -0.1])) == pytest.approx(np.sqrt(2 * 0.02))


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_intervals_are_normal_on_their_scale(level):
    z = norm.ppf(0.5 + level / 2)
    assert normal_interval(0.3, 0.05, level) == pytest.approx((0.3 - z * 0.05, 0.3 + z * 0.05))
    assert log_interval(0.3, 0.05, level) == pytest.approx((0.3 * np.exp(-z / 6), 0.3 * np.exp(z / 6)))
    half = z * 0.05 / (0.3 * 0.7)
    assert logit_interval(0.3, 0.05, level) == pytest.approx((expit(logit(0.3) - half), expit(logit(0.3) + half)))


def test_the_level_is_95_by_default():
    for interval in (normal_interval, log_interval, logit_interval):
        assert interval(0.3, 0.05) == interval(0.3, 0.05, 0.95)

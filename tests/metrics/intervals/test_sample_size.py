"""The sample size that is said to decide does so in 80% of draws."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from eyechart.metrics.intervals.sample_size import design_effect, n_for_share, n_for_value

DRAWS = 4000


def scipys_wilson(hits, n):
    """Wilson's intervals by SciPy: (low, high) for each number of hits."""
    known = {int(k): binomtest(int(k), n).proportion_ci(method="wilson") for k in np.unique(hits)}
    found = np.array([known[int(k)] for k in np.atleast_1d(hits)]).T
    return found if np.ndim(hits) else found[:, 0]


@pytest.mark.parametrize(("share", "limit"), [(0.9, 0.8), (0.7, 0.8), (0.5, 0.4), (0.95, 0.9), (0.3, 0.55), (0.15, 0.05)])
def test_wilsons_interval_excludes_the_limit_with_the_stated_power(share, limit):
    """Wilson's interval is SciPy's, not ours."""
    n = math.ceil(n_for_share(share, limit))
    hits = np.random.default_rng(0).binomial(n, share, DRAWS)
    low, high = scipys_wilson(hits, n)
    excluded = (low > limit) if share > limit else (high < limit)
    assert 0.76 <= excluded.mean() <= 0.86


@pytest.mark.parametrize(("value", "limit"), [(0.1, 0.05), (-0.2, -0.1), (3.0, 2.5)])
def test_a_mean_excludes_the_limit_with_the_stated_power(value, limit):
    spread, small = 1.5, 50
    half = 1.959964 * spread / math.sqrt(small)
    n = math.ceil(n_for_value(value, value - half, value + half, small, limit))
    means = np.random.default_rng(0).normal(value, spread / math.sqrt(n), DRAWS)
    away = (means - limit) * np.sign(value - limit)
    assert 0.77 <= (away > 1.959964 * spread / math.sqrt(n)).mean() <= 0.83


def test_a_value_at_the_limit_is_never_decided():
    assert n_for_share(0.8, 0.8) == math.inf and n_for_value(0.1, 0.0, 0.2, 50, 0.1) == math.inf


def test_clusters_cost_pictures():
    low, high = scipys_wilson(80, 100)
    assert design_effect(0.8, low, high, 100) == pytest.approx(1)
    middle, half = (low + high) / 2, (high - low) / 2
    assert design_effect(0.8, middle - 2 * half, middle + 2 * half, 100) == pytest.approx(4)
    assert design_effect(0.8, middle, middle, 100) == 1


@pytest.mark.parametrize(("power", "level"), [(0.8, 0.95), (0.9, 0.95), (0.8, 0.9), (0.5, 0.95)])
@pytest.mark.parametrize(("share", "limit"), [(0.9, 0.8), (0.3, 0.55)])
def test_sizes_are_those_of_the_score_test(share, limit, power, level):
    """Fleiss (1981): the share's own deviations from the limit, z_level under the limit and z_power under the share."""
    n = n_for_share(share, limit, power=power, level=level)
    reach = norm.ppf(0.5 + level / 2) * math.sqrt(limit * (1 - limit) / n) + norm.ppf(power) * math.sqrt(share * (1 - share) / n)
    assert reach == pytest.approx(abs(share - limit))
    n = n_for_value(share, share - 0.2, share + 0.1, 40, limit, power=power, level=level)
    half = 0.15 * math.sqrt(40 / n)  # half of the width, at n
    assert half * (1 + norm.ppf(power) / norm.ppf(0.5 + level / 2)) == pytest.approx(abs(share - limit))


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_design_effect_at_the_ends(share):
    low, high = scipys_wilson(int(100 * share), 100)
    assert design_effect(share, low, high, 100) == pytest.approx(1)
    assert design_effect(share, 0.0, 1.0, 100) == pytest.approx(1 / (high - low) ** 2)

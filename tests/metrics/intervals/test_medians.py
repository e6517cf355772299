"""Woodruff's interval of a median: SciPy's for independent values, and its coverage where values hang together."""

import numpy as np
import pytest
from scipy import stats

from eyechart.metrics.intervals.medians import median_interval


def test_independent_values_give_the_interval_of_order_statistics():
    values = np.random.default_rng(0).exponential(size=401)
    low, high = median_interval(values)
    exact = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    ordered = np.sort(values)
    for found, expected in ((low, exact.low), (high, exact.high)):
        assert abs(np.searchsorted(ordered, found) - np.searchsorted(ordered, expected)) <= 2


def test_coverage_with_clusters():
    """Five ranks a picture, with a share in common: the population median of lognormal ranks is 1."""
    rng, hits = np.random.default_rng(1), 0
    for _ in range(2000):
        values = np.exp(rng.standard_normal((120, 1)) + rng.standard_normal((120, 5))).ravel()
        low, high = median_interval(values, clusters=np.repeat(np.arange(120), 5))
        hits += low <= 1 <= high
    assert 0.93 <= hits / 2000 <= 0.97


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(2)
    values, clusters = np.repeat(rng.exponential(size=60), 5), np.repeat(np.arange(60), 5)
    low, high = median_interval(values, clusters=clusters)
    alone = median_interval(values)
    assert high - low > 1.5 * (alone.high - alone.low)


def test_one_cluster_has_no_interval():
    assert np.isnan(median_interval([1, 2, 3], clusters=np.zeros(3, int))).all()


def test_many_equal_ranks_are_no_trouble():
    assert median_interval(np.r_[np.ones(90), np.full(10, 7)]) == pytest.approx((1, 1))


def test_two_clusters_by_hand():
    """Three values of one picture up to the median, three of another above it: the half width is 1.96 · √(2 · (1.5² + 1.5²)) / 6,
    which is beyond both ends."""
    low, high = median_interval([1, 2, 3, 4, 5, 6], clusters=np.repeat([0, 1], 3))
    assert (low, high) == (1, 6)


def test_the_lower_end_is_the_smallest_value_where_the_interval_goes_beyond():
    assert median_interval([3.0, 7.0, 9.0]).low == 3.0


def test_order_statistics_by_hand():
    """100 values one by one: half width 1.96 · √(100/99 · 25) / 100 = 0.0985, so from the 40th to the 61st value (floor and
    ceil of 40.15 and 59.85, one step out)."""
    low, high = median_interval(np.arange(1, 101))
    assert (low, high) == (40, 61)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("n", [20, 33, 60])
def test_clustered_order_statistics_by_the_definition(n, level):
    """Woodruff (1952), value by value."""
    rng = np.random.default_rng(n)
    clusters = rng.integers(0, n // 2, n) * 3
    values = rng.normal(size=n // 2)[clusters // 3] + rng.normal(size=n)
    low, high = median_interval(values, clusters=clusters, level=level)
    middle = sorted(values)[n // 2] if n % 2 else (sorted(values)[n // 2 - 1] + sorted(values)[n // 2]) / 2
    below = [float(v <= middle) for v in values]
    p = sum(below) / n
    sums = {c: sum(b - p for b, of in zip(below, clusters, strict=True) if of == c) for c in set(clusters.tolist())}
    k = len(sums)
    half = stats.norm.ppf(0.5 + level / 2) * (k / (k - 1) * sum(s * s for s in sums.values())) ** 0.5 / n
    first, last = int(n * (0.5 - half)), int(np.ceil(n * (0.5 + half)))
    ordered = sorted(values)
    assert (low, high) == (ordered[max(first - 1, 0)], ordered[min(last, n - 1)])


def test_two_values_have_an_interval_and_one_or_none_has_not():
    assert median_interval([1.0, 4.0]) == (1.0, 4.0)
    assert np.isnan(median_interval([1.0])).all()
    assert np.isnan(median_interval([])).all()

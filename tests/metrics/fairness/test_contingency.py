import numpy as np
import pytest
from scipy.stats import chi2_contingency, false_discovery_control

from eyechart.metrics.fairness.contingency import two_by_two


def test_scipy_gives_the_same_statistics():
    rng = np.random.default_rng(0)
    size, other = 80, 130
    hits, other_hits = rng.integers(1, size, 20), rng.integers(1, other, 20)
    found = two_by_two(hits, size, other_hits, other)
    for i in range(20):
        table = [[hits[i], size - hits[i]], [other_hits[i], other - other_hits[i]]]
        reference = chi2_contingency(table, correction=False)
        assert found.statistic[i] == pytest.approx(reference.statistic)
        assert found.p[i] == pytest.approx(reference.pvalue)
    assert found.adjusted == pytest.approx(false_discovery_control(found.p))


def test_what_never_or_always_happens_tells_nothing():
    found = two_by_two([0, 10], [10, 10], [0, 20], [20, 20])
    assert found.p.tolist() == [1.0, 1.0]


def test_few_false_alarms_among_many_tables():
    rng, alarms = np.random.default_rng(1), 0
    for _ in range(200):
        hits, other = rng.binomial(200, 0.2, 50), rng.binomial(200, 0.2, 50)
        alarms += bool((two_by_two(hits, 200, other, 200).adjusted < 0.05).any())
    assert alarms <= 18


def test_the_smallest_tables_are_scipys():
    """Every table of up to three in each group."""
    tables = [(a, m, c, n) for m in (1, 2, 3) for n in (1, 2, 3) for a in range(m + 1) for c in range(n + 1)]
    hits, size, other_hits, other_size = np.array(tables).T
    found = two_by_two(hits, size, other_hits, other_size)
    for (a, m, c, n), statistic, p in zip(tables, found.statistic, found.p, strict=True):
        if 0 < a + c < m + n:
            expected = chi2_contingency([[a, m - a], [c, n - c]], correction=False)
            assert (statistic, p) == pytest.approx((expected.statistic, expected.pvalue))
        else:
            assert (statistic, p) == (0.0, 1.0)
    assert found.adjusted == pytest.approx(false_discovery_control(found.p))

"""Shares of kinds by group: those of `clustered_share`, with and without copies."""

import numpy as np
import pytest

from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.workbench.group_shares import accuracy_share, kind_shares


@pytest.mark.parametrize("copies", [False, True])
def test_shares_and_intervals_equal_the_clustered_ones(copies):
    rng = np.random.default_rng(1)
    kind, n = rng.integers(0, 3, 400), 400
    units = np.unique(rng.integers(0, 150, n), return_inverse=True)[1] if copies else np.arange(n)
    groups = [np.arange(n), np.flatnonzero(rng.random(n) < 0.3), np.flatnonzero(kind == 1)]
    found = kind_shares(kind, 3, groups, units, distinct=not copies)
    for g, rows in enumerate(groups):
        for k in range(3):
            expected = clustered_share(kind[rows] == k, units[rows]).estimate
            assert (found.value[g, k], found.low[g, k], found.high[g, k]) == pytest.approx(tuple(expected), abs=1e-9)
    assert found.n.tolist() == [len(rows) for rows in groups]


def test_versions_of_eight_originals_are_worth_eight_pictures():
    """One error in each of seven originals: the variance between originals is near 0, and the clustered interval 3.1 to 5.2%."""
    units, correct = np.repeat(np.arange(8), 22), np.zeros(176, bool)
    correct[np.arange(7) * 22] = True
    found = accuracy_share(correct, units)
    n, p, z = 8, 7 / 176, 1.959963984540054
    middle, half = (p + z**2 / (2 * n)) / (1 + z**2 / n), z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert (found.value, found.estimate.low, found.estimate.high) == pytest.approx((p, middle - half, middle + half), abs=1e-9)
    assert found.n == 176


def test_many_originals_have_the_clustered_interval():
    rng = np.random.default_rng(2)
    units = np.repeat(np.arange(200), 2)
    correct = np.repeat(rng.random(200) < 0.6, 2)
    assert accuracy_share(correct, units).estimate == clustered_share(correct, units).estimate

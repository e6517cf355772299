"""Shares of kinds by group: those of `clustered_share`, with and without copies."""

import numpy as np
import pytest

from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.workbench.group_shares import kind_shares


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

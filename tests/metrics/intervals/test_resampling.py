"""Counts of draws with replacement."""

import numpy as np
import pytest

from eyechart.metrics.intervals import resampling
from eyechart.metrics.intervals.resampling import count_draws, resampled_sums


@pytest.mark.parametrize("n", [1, 7, 500])
def test_counts_are_those_of_the_draws_one_by_one_however_they_are_counted(n, monkeypatch):
    drawn = np.random.default_rng(3).integers(0, n, (5, n))
    expected = [[int((row == item).sum()) for item in range(n)] for row in drawn]
    for many in (1, 1000):
        monkeypatch.setattr(resampling, "_MANY", many)
        assert count_draws(np.random.default_rng(3), n, 5).tolist() == expected


def test_sums_of_ones_are_the_number_of_draws():
    assert resampled_sums(np.ones((50, 1)), seed=0, resamples=20).tolist() == [[50.0]] * 20

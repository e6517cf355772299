import numpy as np
import pytest
from scipy.stats import spearmanr

from eyechart.metrics.ranking.rank_correlation import spearman


@pytest.mark.parametrize("ties", [False, True])
def test_a_resample_is_as_if_its_points_were_written_out(ties):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 6, 30).astype(float) if ties else rng.normal(size=30)
    y = x + rng.normal(size=30)
    counts = rng.multinomial(30, np.full(30, 1 / 30), size=5)
    expected = [spearmanr(np.repeat(x, row), np.repeat(y, row)).statistic for row in counts]
    np.testing.assert_allclose(spearman(x, y, counts.astype(float)), expected)


def test_reversed_order_is_minus_one():
    x = np.arange(5.0)
    assert spearman(x, -(x**3), np.ones((1, 5))).tolist() == [-1.0]


def test_points_of_one_rank_have_no_correlation():
    weights = np.array([[1.0, 1.0, 1.0], [0.0, 2.0, 1.0]])
    found = spearman(np.array([1.0, 2.0, 2.0]), np.array([3.0, 1.0, 2.0]), weights)
    assert found[0] == pytest.approx(spearmanr([1, 2, 2], [3, 1, 2]).statistic)
    assert np.isnan(found[1])

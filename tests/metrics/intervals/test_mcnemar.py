import numpy as np
import pytest
from scipy.stats import binomtest

from eyechart.metrics.intervals.mcnemar import Changes, changed_clusters, exact_mcnemar


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (0, 1), (5, 5), (8, 1), (3, 45), (700, 810), (0, 60)])
def test_the_exact_test_is_the_binomial_test(gained, lost):
    expected = binomtest(gained, gained + lost, 0.5).pvalue if gained + lost else 1.0
    assert exact_mcnemar(Changes(gained, lost)) == pytest.approx(expected, rel=1e-9)


def test_copies_of_a_picture_count_once():
    first = np.array([1, 1, 1, 0, 0, 1], bool)
    second = np.array([0, 0, 0, 1, 0, 1], bool)
    assert changed_clusters(first, second, np.arange(6)) == Changes(gained=1, lost=3)
    assert changed_clusters(first, second, np.array([7, 7, 7, 2, 3, 4])) == Changes(gained=1, lost=1)

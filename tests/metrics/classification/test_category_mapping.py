import numpy as np
import pytest

from eyechart.metrics.classification.category_mapping import category_probabilities


def test_the_mean_decides_and_not_the_sum_nor_the_largest():
    found = category_probabilities(np.log([[0.30, 0.24, 0.24, 0.22, 1e-30]]), [[0], [1, 2], [3, 4]])
    np.testing.assert_allclose(found, [[0.30, 0.24, 0.11]])  # sums: .30, .48, .22
    found = category_probabilities(np.log([[0.35, 0.05, 0.30, 0.30]]), [[0, 1], [2, 3]])
    np.testing.assert_allclose(found, [[0.20, 0.30]])  # largest: .35, .30


def test_classes_of_no_category_take_their_share():
    assert category_probabilities([[0.0, 0.0]], [[0]])[0, 0] == pytest.approx(0.5)


def test_large_logits_do_not_overflow():
    np.testing.assert_allclose(category_probabilities([[1000.0, 0.0]], [[0], [1]]), [[1.0, 0.0]], atol=1e-12)

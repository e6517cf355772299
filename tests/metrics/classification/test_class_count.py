from itertools import combinations
from math import comb

import numpy as np
import pytest

from eyechart.metrics.classification.class_count import count_rivals, list_lengths, mean_over_lists


def test_lengths_grow_to_the_whole_list():
    assert list_lengths(18) == [2, 5, 10, 18]
    assert list_lengths(1000) == [2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert list_lengths(2) == [2]


def test_all_lists_one_by_one_agree():
    rng = np.random.default_rng(0)
    scores, truth = rng.normal(size=(40, 7)).astype(np.float32), rng.integers(0, 7, 40)
    scores[5, (truth[5] + 1) % 7] = scores[5, truth[5]]  # a tie
    rivals = count_rivals(scores, truth)
    for k in (1, 2, 5, 7):
        for i in range(40):
            others = [c for c in range(7) if c != truth[i]]
            correct = [all(scores[i, c] < scores[i, truth[i]] for c in listed) for listed in combinations(others, k - 1)]
            assert mean_over_lists(rivals, 7, k)[i] == pytest.approx(np.mean(correct))


@pytest.mark.parametrize("k", [2, 500, 999, 1000])
def test_long_lists_are_exact(k):
    rivals = np.array([0, 1, 2, 500, 999])
    exact = [comb(999 - int(r), k - 1) / comb(999, k - 1) for r in rivals]
    np.testing.assert_allclose(mean_over_lists(rivals, 1000, k), exact, rtol=1e-9)


def test_a_length_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="k is 8; choose 1 to 7"):
        mean_over_lists(np.array([0]), 7, 8)

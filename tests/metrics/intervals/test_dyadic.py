"""Shares over pairs of pictures: by hand, against plain clusters, and the coverage of their intervals."""

import numpy as np
import pytest

from eyechart.metrics.intervals.dyadic import dyadic_share, dyadic_variance


def test_variance_by_hand():
    """Pairs (0,1), (0,2), (3,4) with 2 of 2, 0 of 2 and 1 of 2 hits: residuals 1, -1, 0. The first two share picture 0, so their
    product counts twice: 1 + 1 - 2 = 0. Without the link it is 1 + 1 over 6², times 3/2."""
    hits, sizes = [2, 0, 1], [2, 2, 2]
    assert dyadic_variance(hits, sizes, np.array([0, 0, 3]), np.array([1, 2, 4])) == 0
    assert dyadic_variance(hits, sizes, np.array([0, 5, 3]), np.array([1, 2, 4])) == pytest.approx(2 / 36 * 3 / 2)


def test_pairs_of_the_same_two_pictures_count_as_one_whichever_comes_first():
    """Residuals 1, 1 and -2: the first two pairs are one with residual 2."""
    found = dyadic_variance([2, 2, 1], [2, 2, 4], np.array([0, 1, 2]), np.array([1, 0, 3]))
    p = 5 / 8
    residuals = np.array([4 - 4 * p, 1 - 4 * p])
    assert found == pytest.approx(residuals @ residuals / 64 * 2)


def test_separate_pairs_are_independent():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 9, 200)
    hits = rng.binomial(sizes, 0.3)
    p = hits.sum() / sizes.sum()
    expected = ((hits - p * sizes) ** 2).sum() / sizes.sum() ** 2 * 200 / 199
    assert dyadic_variance(hits, sizes, np.arange(200), np.arange(200) + 200) == pytest.approx(expected)


def test_a_perfect_share_has_an_interval_of_as_many_pairs():
    share, (low, high) = dyadic_share([5] * 10, [5] * 10, np.arange(10), np.arange(10) + 10)
    assert (share, high) == (1.0, 1.0)
    assert low == pytest.approx(10 / (10 + 1.959964**2))  # Wilson's bound for ten of ten


@pytest.mark.slow
def test_intervals_cover_where_pictures_stand_in_many_pairs():
    """60 pictures, each easy or hard for every pair it is in; 240 of their pairs with four points each. The population's share is
    the mean over all pairs of easy and hard pictures, 0.5."""
    rng, covered, naive = np.random.default_rng(1), 0, 0
    for _ in range(2000):
        ease = rng.choice([-0.2, 0.2], 60)
        first = rng.integers(60, size=240)
        second = (first + rng.integers(1, 60, 240)) % 60
        hits, sizes = rng.binomial(4, 0.5 + ease[first] + ease[second]), np.full(240, 4)
        _, (low, high) = dyadic_share(hits, sizes, first, second)
        covered += low <= 0.5 <= high
        _, (low, high) = dyadic_share(hits, sizes, np.arange(240), np.arange(240) + 240)
        naive += low <= 0.5 <= high
    assert 0.93 <= covered / 2000 <= 0.97
    assert naive / 2000 < 0.9  # what is gained: pairs taken for independent cover less


def test_the_variance_is_that_of_all_pairs_of_dyads_that_share_a_picture():
    """A loop over dyads, some of which are a picture beside itself, and some of which occur twice."""
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 9, 40), rng.integers(0, 9, 40)
    sizes = rng.integers(1, 5, 40)
    hits = rng.binomial(sizes, 0.2 + 0.07 * first)
    p = hits.sum() / sizes.sum()
    sums = {}
    for a, b, h, s in zip(first.tolist(), second.tolist(), hits, sizes, strict=True):
        key = frozenset((a, b))
        sums[key] = sums.get(key, 0.0) + h - p * s
    together = sum(sums[c] * sums[d] * (len(c & d) if c != d else 1) for c in sums for d in sums if c & d)
    k = len(sums)
    expected = max(together, 0) / sizes.sum() ** 2 * k / (k - 1)
    assert dyadic_variance(hits, sizes, first, second) == pytest.approx(expected)
    share, (low, high) = dyadic_share(hits, sizes, first, second, 0.9)
    n, z = p * (1 - p) / expected, 1.644854
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert share == pytest.approx(p)
    assert (low, high) == pytest.approx((middle - half, middle + half), abs=1e-6)

import math

import numpy as np
import pytest

from eyechart.metrics.fairness.skew import (
    association,
    bias_at_k,
    max_skew,
    max_skew_interval,
    ndkl,
    ndkl_interval,
    weighted_skews,
)

EVEN = np.array([0.5, 0.5])


def test_max_skew_by_hand():
    assert max_skew(np.array([0, 0, 0, 1]), EVEN) == pytest.approx(math.log(1.5))
    assert max_skew(np.array([0, 1, 0, 1]), EVEN) == pytest.approx(0.0)
    assert max_skew(np.array([0, 0, 0, 0]), np.array([0.2, 0.8])) == pytest.approx(math.log(5))


def test_ndkl_by_hand():
    """Two of one group: the first beginning is all of it, and so is the second."""
    assert ndkl(np.array([0, 0]), EVEN) == pytest.approx(math.log(2))
    # [0, 1]: ln 2 at the first place, 0 at the second, weighted 1 and 1/log2(3).
    weight = 1 / math.log2(3)
    assert ndkl(np.array([0, 1]), EVEN) == pytest.approx(math.log(2) / (1 + weight))


def test_ndkl_agrees_with_a_loop():
    rng = np.random.default_rng(0)
    ranking, expected = rng.integers(0, 3, 50), np.array([0.2, 0.3, 0.5])
    total = weights = 0.0
    for i in range(1, 51):
        share = np.bincount(ranking[:i], minlength=3) / i
        kl = sum(p * math.log(p / q) for p, q in zip(share, expected, strict=True) if p > 0)
        total += kl / math.log2(i + 1)
        weights += 1 / math.log2(i + 1)
    assert ndkl(ranking, expected) == pytest.approx(total / weights)


def drawn(rng, n, shift):
    """A search of n pictures of two groups, one of which is nearer to the query by `shift`."""
    group = rng.integers(0, 2, n)
    return group, np.argsort(-(rng.normal(size=n) + shift * (group == 0)))


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
def test_the_interval_of_max_skew_covers_that_of_all_such_searches(shift):
    group, order = drawn(np.random.default_rng(9), 400_000, shift)
    true = max_skew(group[order[:40_000]], EVEN) if shift else 0.0
    rng, hits = np.random.default_rng(0), 0
    for _ in range(2000):
        group, order = drawn(rng, 500, shift)
        low, high = max_skew_interval(group[order[:50]], np.bincount(group) / 500, 50, 500)
        hits += low <= true <= high
    assert 0.93 <= hits / 2000 <= 0.99  # near 0 either group may be the larger, which makes it wider than needed


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.5, 1.0])
def test_the_interval_of_ndkl_covers_what_is_expected(shift):
    rng = np.random.default_rng(1)
    true = np.mean(
        [ndkl(group[order], np.bincount(group) / 200) for group, order in (drawn(rng, 200, shift) for _ in range(500))]
    )
    hits = 0
    for _ in range(200):
        group, order = drawn(rng, 200, shift)
        weights = np.concatenate([np.ones((1, 200)), rng.multinomial(200, np.full(200, 1 / 200), 100)])[:, order].astype(float)
        values = weighted_skews(group[order], weights, np.bincount(group) / 200, 20).ndkl
        low, high = ndkl_interval(values[0], values[1:])
        hits += low <= true <= high
    assert 179 <= hits <= 198


def test_a_search_that_finds_one_group_alone_is_not_certain():
    low, high = max_skew_interval(np.zeros(20, int), EVEN, 20)
    assert (high, low) == (pytest.approx(math.log(2)), pytest.approx(math.log(2 * 20 / (20 + 1.96**2)), abs=1e-4))
    whole = max_skew_interval(np.array([0, 1]), EVEN, 2, 2)
    assert whole.low <= 0 <= whole.high
    copies = max_skew_interval(np.zeros(20, int), EVEN, 4)
    assert copies.low < low


def test_bias_at_k():
    assert bias_at_k(np.array([0, 0, 0, 1]), 0, 1) == pytest.approx(0.5)
    assert bias_at_k(np.array([2, 2]), 0, 1) == 0.0


def test_association_is_in_spreads_and_its_p_is_rarely_small_by_chance():
    assert association(np.array([2.0, 4.0]), np.array([0.0, -2.0]), seed=0).d == pytest.approx(4 / np.std([2, 4, 0, -2], ddof=1))
    rng = np.random.default_rng(2)
    alarms = sum(association(rng.normal(size=30), rng.normal(size=40), seed=s, permutations=300).p < 0.05 for s in range(200))
    assert alarms <= 18
    assert association(rng.normal(1, 1, 50), rng.normal(0, 1, 50), seed=0).p < 0.01


def test_the_interval_of_an_association_covers():
    """Two groups a whole spread apart, of one spread each: in spreads of both together it is 1 / √(1 + ¼·n/(n−1))."""
    rng, true = np.random.default_rng(4), 1 / math.sqrt(1 + 0.25)
    found = [association(rng.normal(1, 1, 60), rng.normal(0, 1, 60), seed=s, permutations=20, resamples=400) for s in range(200)]
    assert 179 <= sum(f.low <= true <= f.high for f in found) <= 198


def test_an_association_of_one_picture_has_no_interval():
    assert association(np.array([1.0]), np.array([0.0, 0.5]), seed=0)[2:] == (None, None)
    assert association(np.ones(3), np.ones(3), seed=0) == (0.0, 1.0, None, None)


def test_many_weightings_at_once_are_those_of_rankings_with_repeats():
    rng = np.random.default_rng(3)
    ranking, expected = rng.integers(0, 3, 40), np.array([0.2, 0.3, 0.5])
    weights = np.concatenate([np.ones((1, 40)), rng.multinomial(40, np.full(40, 1 / 40), 5)]).astype(float)
    found = weighted_skews(ranking, weights, expected, 40)
    assert found.ndkl[0] == pytest.approx(ndkl(ranking, expected))
    for i, weight in enumerate(weights):
        assert found.max_skew[i] == pytest.approx(max_skew(np.repeat(ranking, weight.astype(int)), expected))
    first = weighted_skews(ranking, np.ones((1, 40)), expected, 10)
    assert first.max_skew[0] == pytest.approx(max_skew(ranking[:10], expected))

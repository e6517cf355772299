import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binomtest, permutation_test

from eyechart.metrics.fairness import skew
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


def score_ends(hits, n, level):
    return tuple(binomtest(hits, n).proportion_ci(level, method="wilson"))


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_interval_of_a_skew_from_a_chosen_share_by_hand(level):
    """14 of 20 where 0.5 is expected, 2 of 20 where 0.2 is, 4 of 20 where 0.3 is. The lower end is that of two looks (Sidak)."""
    first, expected = np.repeat([0, 1, 2], [14, 2, 4]), np.array([0.5, 0.2, 0.3])
    low, high = max_skew_interval(first, expected, 20, level=level)
    each = level ** (1 / 2)
    lows = [math.log(score_ends(hits, 20, each)[0] / q) for hits, q in zip((14, 2, 4), expected, strict=True)]
    highs = [math.log(score_ends(hits, 20, level)[1] / q) for hits, q in zip((14, 2, 4), expected, strict=True)]
    assert (low, high) == pytest.approx((max(0.0, *lows), max(highs)))


def test_a_skew_is_measured_against_shares_that_are_measured_too():
    """22 of the first 30, and 60 of all 150, which the 30 are among. The ends are those ratios at which an interval of p − ρq
    (MOVER) ends at 0, with the correlation of a part and its whole: sd(p)/sd(q) · 30/150."""
    first, expected = np.repeat([0, 1], [22, 8]), np.array([0.4, 0.6])
    low, high = max_skew_interval(first, expected, 30, 150)
    p, q = 22 / 30, 0.4
    r = math.sqrt(p * (1 - p) / 30) / math.sqrt(q * (1 - q) / 150) * 30 / 150

    def end(ratio, of_p, of_q, sign):
        return p - ratio * q + sign * math.sqrt(of_p**2 - 2 * r * of_p * ratio * of_q + (ratio * of_q) ** 2)

    (low_p, high_p), (low_q, high_q) = score_ends(22, 30, 0.95), score_ends(60, 150, 0.95)
    lowest = brentq(end, 0.1, p / q, args=(p - low_p, high_q - q, -1))
    highest = brentq(end, p / q, 9, args=(high_p - p, q - low_q, 1))
    assert (low, high) == pytest.approx((math.log(lowest), math.log(highest)))


def test_a_part_is_not_correlated_with_its_whole_by_more_than_one():
    """All 40 pictures, with shares that are not those of the part: the correlation would be above 1."""
    low, high = max_skew_interval(np.repeat([0, 1], 20), np.array([0.05, 0.95]), 40, 40)
    assert low <= max_skew(np.repeat([0, 1], 20), np.array([0.05, 0.95])) <= high
    assert np.isfinite([low, high]).all()


def test_the_interval_of_a_skew_holds_its_value_and_never_falls_below_zero():
    low, high = max_skew_interval(np.array([0, 1, 0, 1]), EVEN, 4)
    assert low == 0.0 < high
    few = max_skew_interval(np.array([0, 1]), np.array([0.5, 0.25, 0.25]), 2)  # the absent group counts as one of two
    assert few.high >= max_skew(np.array([0, 1]), np.array([0.5, 0.25, 0.25])) == pytest.approx(math.log(2))


def test_the_interval_of_ndkl_by_hand():
    """Draws from 0.1 to 0.3 around 0.22: from 0.105 − 0.22 below the value to 0.295 − 0.22 above it."""
    draws = np.r_[np.linspace(0.1, 0.3, 201), np.full(51, 0.3)]
    middle, (low, high) = draws.mean(), np.quantile(draws, [0.025, 0.975])
    assert ndkl_interval(0.5, draws) == pytest.approx((0.5 + low - middle, 0.5 + high - middle))
    low, high = np.quantile(draws, [0.1, 0.9])
    assert ndkl_interval(0.5, draws, 0.8) == pytest.approx((0.5 + low - middle, 0.5 + high - middle))
    assert ndkl_interval(0.01, draws).low == 0.0


def test_other_groups_do_not_count_in_bias_at_k():
    assert bias_at_k(np.array([0, 0, 1, 2, 2]), 0, 1) == pytest.approx(1 / 3)
    assert bias_at_k(np.array([1, 2, 2]), 0, 1) == -1.0


@pytest.mark.parametrize("k", [1, 7, 20, 60])
def test_weighted_skews_are_those_of_a_loop_over_places(k):
    """A picture of weight w takes w places, which all get the divergence after it; the first k end with the picture that
    reaches them."""
    rng = np.random.default_rng(6)
    ranking, expected = rng.integers(0, 3, 30), np.array([0.2, 0.3, 0.5])
    weights = rng.integers(0, 4, (6, 30)).astype(float)  # of different sums
    found = weighted_skews(ranking, weights, expected, k)
    for row, of_row in enumerate(weights.astype(int)):
        counts, places, total, above, largest = np.zeros(3), 0, 0.0, 0.0, None
        for group, weight in zip(ranking, of_row, strict=True):
            counts[group] += weight
            if places + weight:
                share = counts / (places + weight)
                divergence = sum(s * math.log(s / q) for s, q in zip(share, expected, strict=True) if s > 0)
                for place in range(places + 1, places + weight + 1):
                    total += divergence / math.log2(place + 1)
                    above += 1 / math.log2(place + 1)
            places += weight
            if largest is None and (places >= k):
                largest = max(math.log(max(c, 1) / places / q) for c, q in zip(counts, expected, strict=True))
        if largest is None:
            largest = max(math.log(max(c, 1) / places / q) for c, q in zip(counts, expected, strict=True))
        assert found.ndkl[row] == pytest.approx(total / above)
        assert found.max_skew[row] == pytest.approx(largest)


def test_the_p_value_of_an_association_is_that_of_all_permutations(monkeypatch):
    x, y = np.array([1.0, 2.5, 2.0, 4.0, 3.0]), np.array([0.5, 1.0, 2.2, 1.5])

    def difference(a, b, axis):
        return np.abs(np.mean(a, axis=axis) - np.mean(b, axis=axis))

    exact = permutation_test((x, y), difference, vectorized=True, n_resamples=np.inf, alternative="greater").pvalue
    monkeypatch.setattr(skew, "_BLOCK", 9 * 3000)  # in parts, the last of which is smaller
    for seed, (a, b) in enumerate([(x, y), (y, x)]):
        found = association(a, b, seed=seed, permutations=10_000, resamples=50)
        assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact / 10_000))
        assert found.d == pytest.approx((a.mean() - b.mean()) / np.std(np.r_[x, y], ddof=1))


def test_the_smallest_p_value_counts_the_observed_groups():
    assert association(np.arange(20.0) + 100, np.arange(20.0), seed=0, permutations=99, resamples=10).p == 1 / 100
    assert association(np.array([0.0, 1.0]), np.array([1.0, 0.0]), seed=0, permutations=99, resamples=10).p == 1.0


@pytest.mark.parametrize("sizes", [(30, 50), (2, 2)])
def test_the_interval_of_an_association_is_a_bootstrap_within_groups(sizes):
    """Far from 0, where sums of squares lose digits."""
    rng = np.random.default_rng(7)
    x, y = 100 + rng.normal(1, 1, sizes[0]), 100 + rng.normal(0, 2, sizes[1])
    found = association(x, y, seed=0, permutations=10, resamples=20_000)
    draws = []
    for _ in range(4000):
        a, b = rng.choice(x, len(x)), rng.choice(y, len(y))
        spread = np.std(np.r_[a, b], ddof=1)
        if spread > 0:
            draws.append((a.mean() - b.mean()) / spread)
    assert (found.low, found.high) == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.05)


def test_one_picture_on_each_side_has_an_effect_but_no_interval():
    found = association(np.array([1.0]), np.array([0.0]), seed=0, permutations=9)
    assert found == (pytest.approx(np.sqrt(2)), 1.0, None, None)
    assert association(np.array([0.0, 0.5]), np.array([1.0]), seed=0)[2:] == (None, None)

"""Signals that find the worst classes: ranks against SciPy, overlaps by hand, intervals on known populations."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm, spearmanr

from eyechart.metrics.classification.finding_worst import agreement_difference, among_worst, rank_agreement, worst_overlap


def test_ranks_are_scipys():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, 40).astype(float), rng.integers(0, 9, 40).astype(float)
    assert rank_agreement(a, b).value == pytest.approx(spearmanr(a, b).statistic)


def test_fishers_interval_by_hand():
    """ρ = .9, C = 5: atanh .9 = 1.4722, half = 1.96 √(1.405/2) = 1.6428."""
    found = rank_agreement(np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 3, 4, 5]))
    assert found == pytest.approx((0.9, np.tanh(1.47222 - 1.64274), np.tanh(1.47222 + 1.64274)), abs=1e-4)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_perfect_agreement_has_a_finite_interval(sign):
    """ρ = ±1 is moved to 1 − 1e-12: atanh is 14.16, and the lower end with six classes tanh(14.16 − 1.96 √(1.5/3))."""
    low, high = sorted(sign * np.tanh(np.arctanh(1 - 1e-12) + np.array([-1, 1]) * 1.959964 * np.sqrt(0.5)))
    found = rank_agreement(np.arange(6.0), sign * np.arange(6.0))
    assert (found.value, found.low, found.high) == pytest.approx((sign, low, high), abs=1e-9)
    assert np.isfinite([found.low, found.high]).all()


def test_overlap_by_hand():
    accuracies = np.array([0.0, 0.1, 0.2, 0.9, 1.0])
    assert worst_overlap(np.array([5.0, 1, 2, 3, 4]), accuracies, 3).value == pytest.approx(2 / 3)
    assert worst_overlap(np.zeros(5), accuracies, 3).value == pytest.approx(3 / 5)  # knows nothing: k/C
    assert among_worst(np.zeros(4), 1).tolist() == [0.25] * 4


def drawn(rng, size, r):
    x = rng.normal(size=size)
    return x, r * x + np.sqrt(1 - r**2) * rng.normal(size=size)


def test_rank_intervals_cover():
    """Of bivariate normal pairs with correlation r Spearman's ρ is 6/π · asin(r/2)."""
    rng, true = np.random.default_rng(1), 6 / np.pi * np.arcsin(0.35)
    hits = sum(low <= true <= high for _, low, high in (rank_agreement(*drawn(rng, 40, 0.7)) for _ in range(2000)))
    assert 0.93 <= hits / 2000 <= 0.97


def test_overlap_intervals_cover():
    """The chance to be in the lowest tenth of one, given the lowest tenth of the other. Places are few, so steps are large."""
    low_tenth = norm.ppf(0.1)
    true = multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]]).cdf([low_tenth, low_tenth]) / 0.1
    rng = np.random.default_rng(2)
    hits = sum(low <= true <= high for _, low, high in (worst_overlap(*drawn(rng, 200, 0.7), 20) for _ in range(2000)))
    assert hits / 2000 >= 0.93


def test_differences_cover_and_hold_zero_where_there_is_none():
    rng, hits, quiet = np.random.default_rng(3), 0, 0
    gap = 6 / np.pi * (np.arcsin(0.4) - np.arcsin(0.2))
    for seed in range(200):
        truth = rng.normal(size=40)
        better, worse, same = (r * truth + np.sqrt(1 - r**2) * rng.normal(size=40) for r in (0.8, 0.4, 0.8))
        _, low, high = agreement_difference(better, truth, worse, seed=seed, resamples=300)
        hits += low <= gap <= high
        _, low, high = agreement_difference(better, truth, same, seed=seed, resamples=300)
        quiet += low <= 0 <= high
    assert 179 <= hits <= 198
    assert quiet >= 182

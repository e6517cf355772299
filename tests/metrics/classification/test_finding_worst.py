"""Signals that find the worst classes: ranks against SciPy, overlaps by hand, intervals on known populations."""

import numpy as np
import pytest
from scipy.stats import binomtest, multivariate_normal, norm, spearmanr

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
    """ρ = ±1 is moved to 1 − 1e-12, where e^2x = (1 + ρ)/(1 − ρ) = 2e12 − 1. With six classes the half width is
    h = 1.96 √(1.5/3), and 1 − tanh x = 2/(e^2x + 1): so the ends are e^2h · 1e-12 and e^−2h · 1e-12 below 1."""
    found = rank_agreement(np.arange(6.0), sign * np.arange(6.0))
    half = norm.ppf(0.975) * np.sqrt(0.5)
    below = sorted(1 - np.abs([found.low, found.high]))
    assert found.value == pytest.approx(sign)
    assert below == pytest.approx([np.exp(-2 * half) * 1e-12, np.exp(2 * half) * 1e-12], rel=0.01)
    assert np.sign(found.low) == np.sign(found.high) == sign and found.low < found.high


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_levels_are_those_that_are_asked_for(level):
    signal, accuracies = np.array([1.0, 2, 3, 4, 5, 6, 7]), np.array([2.0, 1, 3, 4, 5, 7, 6])
    found, z = rank_agreement(signal, accuracies, level), norm.ppf(0.5 + level / 2)
    half = z * np.sqrt((1 + found.value**2 / 2) / 4)
    assert found[1:] == pytest.approx(np.tanh(np.arctanh(found.value) + np.array([-half, half])))
    overlap = worst_overlap(signal, accuracies, 4, level)
    expected = binomtest(4, 4).proportion_ci(level, method="wilson")
    assert overlap == pytest.approx((1.0, expected.low, expected.high))


def test_a_difference_is_resampled_over_the_classes_together():
    """A bootstrap class by class; and a signal that never varies has none."""
    rng = np.random.default_rng(4)
    accuracies, a = drawn(rng, 60, 0.8)
    b = 0.3 * accuracies + rng.normal(size=60)
    found = agreement_difference(a, accuracies, b, seed=0, resamples=3000, level=0.9)
    draws = []
    for _ in range(400):
        rows = rng.integers(0, 60, 60)
        draws.append(spearmanr(a[rows], accuracies[rows]).statistic - spearmanr(b[rows], accuracies[rows]).statistic)
    assert found.value == pytest.approx(spearmanr(a, accuracies).statistic - spearmanr(b, accuracies).statistic)
    assert found[1:] == pytest.approx(np.quantile(draws, [0.05, 0.95]), abs=0.06)
    assert np.isnan(agreement_difference(np.ones(9), np.arange(9.0), np.arange(9.0), seed=0, resamples=20)[1:]).all()


def test_places_that_tie_for_the_last_are_shared():
    values = np.array([3.0, 1.0, 2.0, 2.0, 2.0, 0.0])
    assert among_worst(values, 3).tolist() == pytest.approx([0, 1, 1 / 3, 1 / 3, 1 / 3, 1])
    assert among_worst(values, 5).tolist() == [0, 1, 1, 1, 1, 1]
    assert among_worst(values, 6).tolist() == [1] * 6


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

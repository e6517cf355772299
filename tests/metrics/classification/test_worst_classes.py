"""Means that one failed class pulls down: against SciPy on published figures, and intervals that survive picking the worst."""

import json
from functools import partial

import numpy as np
import pytest
from scipy.stats import gmean, hmean

from eyechart.metrics.classification.worst_classes import (
    drawn_accuracies,
    drawn_worst,
    geometric_mean,
    harmonic_mean,
    summary_interval,
    worst_interval,
    worst_mean,
)

SETS = ("caltech101_ensemble", "dtd_ensemble", "food101_ensemble", "imagenet_ensemble", "imagenet_simple", "oxfordpets_ensemble")


@pytest.mark.refdata
@pytest.mark.parametrize("name", SETS)
def test_published_figures_of_all_models(refdata, name):
    published = json.loads((refdata / "per-class" / f"{name}_results.json").read_text())
    assert len(published) == 21
    for figures in published.values():
        shares = np.array(list(figures["classwise"].values())) / 100
        assert worst_mean(shares, 10) == pytest.approx(sum(sorted(shares.tolist())[:10]) / 10)
        with np.errstate(divide="ignore"):
            assert harmonic_mean(shares) == pytest.approx(hmean(shares) if shares.all() else 0.0)
            assert geometric_mean(shares) == pytest.approx(gmean(shares))
        raised = np.where(shares < 0.01, 0.01, shares)
        assert harmonic_mean(shares, 0.01) == pytest.approx(hmean(raised))
        assert geometric_mean(shares, 0.01) == pytest.approx(gmean(raised))


def test_by_hand():
    shares = np.array([0.9, 0.1, 0.0, 0.5])
    assert worst_mean(shares, 2) == pytest.approx(0.05)
    assert worst_mean(shares, 4) == worst_mean(shares, 9) == pytest.approx(0.375)
    assert harmonic_mean(shares) == geometric_mean(shares) == 0
    assert harmonic_mean(shares, 0.1) == pytest.approx(4 / (1 / 0.9 + 10 + 10 + 2))


def test_chance_by_counting():
    """Two classes of two pictures, each right by the toss of a coin: the lower is 0, ½ or 1 with chances 7/16, 8/16, 1/16."""
    draws = drawn_worst(1, 0.5, np.array([2.0, 2.0]), np.random.default_rng(0), 40_000)
    assert [np.mean(draws == v) for v in (0, 0.5, 1)] == pytest.approx([7 / 16, 8 / 16, 1 / 16], abs=0.01)


POPULATIONS = {
    "alike": np.full(18, 0.8),
    "six rare": np.r_[np.full(12, 0.9), np.full(6, 0.3)],
    "spread": np.linspace(0.05, 1, 40),
    "two outliers": np.r_[0.2, 0.35, np.linspace(0.75, 1, 30)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_intervals_cover(name):
    """At least 95%, of which 200 draws show 182 or more; and none is wide for nothing."""
    true, k, n = POPULATIONS[name], 3, np.full(len(POPULATIONS[name]), 30.0)
    smoothed = partial(harmonic_mean, least=0.01)
    rng, hits, wide = np.random.default_rng(1), np.zeros(2, int), []
    for seed in range(200):
        found = rng.binomial(30, true) / 30
        drawn = drawn_accuracies(found, n, seed=seed, resamples=300)
        low, high = worst_interval(k, found, n, drawn, seed=seed)
        hits[0] += low <= worst_mean(true, k) <= high
        wide.append(high - low)
        low, high = summary_interval(smoothed, found, drawn)
        hits[1] += low <= smoothed(true) <= high
    assert (hits >= 182).all()
    assert np.median(wide) < 0.35


def test_a_true_zero_is_not_excluded_where_none_was_right():
    found, n = np.array([0.0, 0.0, 0.6, 0.9]), np.full(4, 20.0)
    drawn = drawn_accuracies(found, n, seed=0)
    low, high = worst_interval(2, found, n, drawn, seed=0)
    assert low == 0 < high < 0.3
    assert summary_interval(harmonic_mean, found, drawn).low == 0

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


def told_by_loops(accuracies, pictures, seed, resamples):
    """The parameters of the pooled Beta draws, resample by resample, from the definition."""
    rng = np.random.default_rng(seed)
    classes = len(accuracies)
    noise = [a * (1 - a) / (n - 1 if n > 2 else 1) for a, n in zip(accuracies, pictures, strict=True)]

    def weight(chosen):
        few = [accuracies[c] for c in chosen]
        middle = min(max(np.mean(few), 0.001), 0.999)
        spread = np.var(few, ddof=1) if len(few) > 1 else 0.0
        variance = max(spread - np.mean([noise[c] for c in chosen]), 1e-12)
        return middle, min(max(middle * (1 - middle) / variance - 1, 0.1), 1e4)

    most = 10 * weight(range(classes))[1]
    alpha, beta = [], []
    for _ in range(resamples):
        middle, of = weight(rng.integers(0, classes, classes))
        of = min(of, most)
        alpha.append([of * middle + a * n for a, n in zip(accuracies, pictures, strict=True)])
        beta.append([of * (1 - middle) + (1 - a) * n for a, n in zip(accuracies, pictures, strict=True)])
    return np.array(alpha), np.array(beta), most


@pytest.mark.parametrize(
    ("accuracies", "pictures"),
    [
        ([0.5, 0.9, 0.75, 1.0, 0.0, 0.8], [2, 10, 40, 1, 3, 25]),  # small classes
        ([0.2, 0.9, 0.9, 0.9, 0.95, 0.9], [50] * 6),  # one weak class, which many resamples miss
        ([0.004, *[0.0] * 9], [10_000] * 10),  # the mean is below the least middle
        ([0.996, *[1.0] * 9], [10_000] * 10),  # and above the most
        ([0.2, 0.9], [50, 50]),  # two classes, of which a resample may take one twice
        ([0.7, 0.7, 0.7, 0.71], [30, 31, 29, 30]),  # no difference is seen: the prior weighs as much as it may
        ([0.6], [20]),  # one class
    ],
)
def test_draws_are_those_of_the_definition(accuracies, pictures):
    alpha, beta, _ = told_by_loops(accuracies, pictures, 7, 60)
    drawn = drawn_accuracies(np.array(accuracies), np.array(pictures, float), seed=7, resamples=60)
    rng = np.random.default_rng(7)
    hits = np.array(accuracies) * pictures
    assert drawn.alone == pytest.approx(rng.beta(hits + 0.5, np.array(pictures) - hits + 0.5, (60, len(pictures))))
    assert drawn.pooled == pytest.approx(rng.beta(alpha, beta), rel=1e-6, abs=1e-12)


def test_the_cap_on_the_prior_is_reached_in_these_cases():
    """Or the test above would not see it."""
    _, _, most = told_by_loops([0.2, 0.9, 0.9, 0.9, 0.95, 0.9], [50] * 6, 7, 1)
    assert most < 1e4
    _, _, most = told_by_loops([0.004, *[0.0] * 9], [10_000] * 10, 7, 1)
    assert 5000 < most < 1e4


@pytest.mark.parametrize("k", [1, 2])
def test_the_upper_end_is_worst_at_k_less_the_luck_of_picking(k):
    """Classes within 2.5 standard errors of the worst are taken as equal; the luck of the worst of them is simulated anew."""
    accuracies, n = np.array([0.50, 0.60, 0.62, 0.66, 0.70, 0.92, 0.99]), np.array([40.0, 30, 50, 40, 40, 20, 60])
    drawn = drawn_accuracies(accuracies, n, seed=3, resamples=4000)
    found = np.sort(accuracies)[:k].mean()
    guarded = [(a * m + 0.5) / (m + 1) for a, m in zip(accuracies, n, strict=True)]
    error = [g * (1 - g) / m for g, m in zip(guarded, n, strict=True)]
    of_worst = sum(error[:k]) / k / k
    near = [c for c in range(7) if c < k or accuracies[c] - found <= 2.5 * (error[c] + of_worst) ** 0.5]
    close = [c for c in range(7) if c < k or accuracies[c] - found <= 1.25 * (error[c] + of_worst) ** 0.5]
    assert len(close) < len(near) < 7  # the threshold matters here
    even = sum(accuracies[c] * n[c] for c in near) / sum(n[c] for c in near)
    tosses = np.random.default_rng(5).binomial(n[near].astype(int), even, (4000, len(near))) / n[near]
    luck = np.sort(tosses, axis=1)[:, :k].mean(axis=1) - even
    ends = [
        found,
        *np.quantile(drawn.alone[:, :k].mean(axis=1), [0.025, 0.975]),
        *np.quantile(np.sort(drawn.pooled, axis=1)[:, :k].mean(axis=1), [0.025, 0.975]),
        *np.quantile(np.clip(found - luck, 0, 1), [0.025, 0.975]),
    ]
    assert max(ends) == ends[-1]  # it is the luck that decides
    assert tuple(worst_interval(k, accuracies, n, drawn, seed=5)) == pytest.approx((min(ends), max(ends)))


@pytest.mark.parametrize("accuracies", [[0.5, 0.9, 0.75, 0.8], [0.99, 1.0, 0.98, 1.0], [0.02, 0.0, 0.03, 0.9]])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_summary_holds_both_kinds_of_draws_and_the_reflected_ones(accuracies, level):
    """Reflected draws are cut off at 0 and 1."""
    measured = np.array(accuracies)
    drawn = drawn_accuracies(measured, np.full(4, 20.0), seed=1, resamples=500)
    value, alone, pooled = (geometric_mean(of) for of in (measured, drawn.alone, drawn.pooled))
    reflected = [min(max(2 * float(value) - draw, 0.0), 1.0) for draw in alone.tolist()]
    tails = [0.5 - level / 2, 0.5 + level / 2]
    ends = [float(value), *np.quantile(alone, tails), *np.quantile(reflected, tails), *np.quantile(pooled, tails)]
    assert summary_interval(geometric_mean, measured, drawn, level) == pytest.approx((min(ends), max(ends)))
    assert max(ends) <= 1

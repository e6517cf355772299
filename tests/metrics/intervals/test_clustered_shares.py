"""Shares over scenes that are asked about many times: hand-worked values, closed forms, and coverage of a known population."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest

from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference, share_ratio


def test_a_weighted_share_by_hand():
    # Group 0: 1 of 2 right, group 1: 3 of 4; weights 2 and 1.
    share = clustered_share([1, 0, 1, 1, 1, 0], np.arange(6), groups=np.array([0, 0, 1, 1, 1, 1]), weights=[2.0, 1.0])
    assert share.value == pytest.approx(2 * 0.5 + 0.75)
    # The residuals are w (h − p) / n.
    assert share.residuals == pytest.approx([0.5, -0.5, 0.0625, 0.0625, 0.0625, -0.1875])


@pytest.mark.parametrize(("hits", "n"), [(30, 41), (1, 7), (0, 5)])
def test_independent_answers_have_wilsons_interval(hits, n):
    expected = binomtest(hits, n).proportion_ci(method="wilson")
    found = clustered_share(np.arange(n) < hits, np.arange(n)).estimate
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_all_right_has_an_interval_all_the_same():
    share = clustered_share(np.ones(30), np.repeat(np.arange(10), 3))
    assert share.estimate.low == pytest.approx(binomtest(10, 10).proportion_ci(method="wilson").low)
    assert share.estimate.high == 1.0


def test_copies_add_nothing():
    hits = np.random.default_rng(0).random(50) < 0.6
    once = clustered_share(hits, np.arange(50))
    tenfold = clustered_share(np.repeat(hits, 10), np.repeat(np.arange(50), 10))
    assert tenfold.estimate == pytest.approx(once.estimate)


@pytest.mark.parametrize(
    ("both", "first", "second", "neither", "expected"),
    [
        # Newcombe (1998), "Improved confidence intervals for the difference between binomial proportions based on paired data",
        # method 10 of the worked examples.
        (36, 12, 2, 0, (0.0569, 0.3404)),
        (36, 14, 0, 0, (0.1528, 0.4167)),
        (0, 29, 1, 0, (0.6666, 0.9882)),
    ],
)
def test_published_intervals_of_a_paired_difference(both, first, second, neither, expected):
    counts = (both, first, second, neither)
    a, b = np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)
    units = np.arange(sum(counts))
    assert share_difference(clustered_share(a, units), clustered_share(b, units)) == pytest.approx(expected, abs=1e-4)


def test_units_that_are_not_shared_make_two_samples():
    hits = np.random.default_rng(0).random(50) < 0.6
    share, apart = clustered_share(hits, np.arange(50)), clustered_share(hits, 50 + np.arange(50))
    paired, independent = share_difference(share, share), share_difference(share, apart)
    assert 0 < paired.high < 0.5 * independent.high
    assert share_ratio(share, share).high - 1 < 0.5 * (share_ratio(share, apart).high - 1)


def test_no_answer_is_refused():
    with pytest.raises(ValueError, match="every group needs an answer"):
        clustered_share([1, 0], np.arange(2), groups=np.array([0, 2]))


def draw(name, rng):
    """The truth of a known population, and the interval from one sample of it."""
    if name == "paired difference":
        u = rng.random(60)
        before, after = u < 0.8, np.where(rng.random(60) < 0.5, u < 0.6, rng.random(60) < 0.6)
        return 0.2, share_difference(clustered_share(before, np.arange(60)), clustered_share(after, np.arange(60)))
    if name == "independent difference":
        before, after = rng.random(300) < 0.9, rng.random(80) < 0.5
        return 0.4, share_difference(clustered_share(before, np.arange(300)), clustered_share(after, 300 + np.arange(80)))
    if name == "paired ratio":
        u = rng.random(60)
        before, after = u < 0.8, np.where(rng.random(60) < 0.5, u < 0.6, rng.random(60) < 0.6)
        return 0.75, share_ratio(clustered_share(after, np.arange(60)), clustered_share(before, np.arange(60)))
    # 40 scenes of different difficulty, each under 12 corruptions of different strength.
    strength = np.log(np.linspace(0.3, 0.95, 12) / (1 - np.linspace(0.3, 0.95, 12)))
    hits = rng.random((40, 12)) < expit(strength + 1.2 * rng.standard_normal((40, 1)))
    share = clustered_share(hits.ravel(), np.repeat(np.arange(40), 12), groups=np.tile(np.arange(12), 40))
    return TRUTH, share.estimate[1:]


def _truth():
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    strength = np.log(np.linspace(0.3, 0.95, 12) / (1 - np.linspace(0.3, 0.95, 12)))
    means = expit(strength[:, None] + 1.2 * nodes) @ weights / weights.sum()
    return means.mean()


TRUTH = _truth()  # the mean of expit(a + 1.2 z) over z ~ N(0, 1), by Gauss-Hermite quadrature


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paired difference", "independent difference", "paired ratio", "mean over corruptions"])
def test_intervals_cover_the_truth(name):
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(2000):
        truth, (low, high) = draw(name, rng)
        hits += low <= truth <= high
    assert 0.93 <= hits / 2000 <= 0.97


def test_answers_of_one_scene_are_worth_one():
    hits = np.arange(200) % 3 > 0
    found = clustered_share(hits, np.zeros(200, np.int64))
    low, high = binomtest(1, 1).proportion_ci(method="wilson")
    assert found.estimate.high - found.estimate.low > 0.8 * (high - low)

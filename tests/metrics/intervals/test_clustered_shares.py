"""Shares over scenes that are asked about many times: hand-worked values, closed forms, and coverage of a known population."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest

from eyechart.metrics.intervals import wilson
from eyechart.metrics.intervals.clustered_shares import (
    above_chance,
    clustered_share,
    effective_counts,
    share_difference,
    share_ratio,
)


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


def mover(a, b, correlation):
    """Zou and Donner's (2008) interval of a difference, written out."""
    da, ub = a.value - a.low, b.high - b.value
    ua, db = a.high - a.value, b.value - b.low
    low = np.sqrt(da**2 + ub**2 - 2 * correlation * da * ub)
    high = np.sqrt(ua**2 + db**2 - 2 * correlation * ua * db)
    return a.value - b.value - low, a.value - b.value + high


def correlation(a, b, n, units):
    """Of two means of the same units, with Newcombe's continuity correction of half an answer. a, b: dicts of unit to the sum of
    residuals; n, units: the numbers of answers and units of both."""
    together = sum(a[u] * b[u] for u in set(a) & set(b))
    if together > 0:
        answers = np.sqrt(n[0] / units[0] * n[1] / units[1])
        together = max(together - 1 / (2 * units[0] * units[1] * answers), 0)
    return together / np.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))


def residuals(hits, units):
    found = {}
    for hit, unit in zip(hits, units, strict=True):
        found[unit] = found.get(unit, 0.0) + (hit - np.mean(hits)) / len(hits)
    return found


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("first", "second"), [(30, 30), (30, 21), (18, 30)])
def test_the_correlation_of_two_shares_is_that_of_their_units(sign, first, second):
    """Three answers a unit in one share, two in the other; the second has other units too, or fewer."""
    rng = np.random.default_rng(4)
    ease = rng.normal(0, 2, 30)
    units_a, units_b = np.repeat(np.arange(first), 3), np.repeat(np.arange(second), 2)
    hits_a = rng.random(len(units_a)) < expit(ease[units_a])
    hits_b = rng.random(len(units_b)) < expit(sign * ease[units_b])
    a, b = clustered_share(hits_a, units_a), clustered_share(hits_b, units_b)
    r = correlation(residuals(hits_a, units_a), residuals(hits_b, units_b), (a.n, b.n), (first, second))
    assert np.sign(r) == sign
    assert share_difference(a, b) == pytest.approx(mover(a.estimate, b.estimate, r))
    assert (a.n, a.units, a.whole) == (3 * first, first, 1.0)


def test_a_weak_positive_correlation_is_taken_for_none():
    """Half an answer is more than what the two have in common, so the interval is that of independent shares."""
    a = clustered_share([1, 1, 1, 1, 1, 0], np.arange(6))
    b = clustered_share([1, 1, 0, 0, 0, 0], np.arange(6))
    assert 0 < a.residuals @ b.residuals < 1 / (2 * 6 * 6)
    assert share_difference(a, b) == pytest.approx(mover(a.estimate, b.estimate, 0.0))


def test_a_share_that_does_not_vary_is_correlated_with_nothing():
    a, b = clustered_share(np.ones(8), np.arange(8)), clustered_share([1, 0] * 4, np.arange(8))
    assert share_difference(a, b) == pytest.approx(mover(a.estimate, b.estimate, 0.0))


def test_weights_scale_a_share_and_its_interval():
    """Weights 2 and 1 are three times the weights 2/3 and 1/3, and leave correlations as they are."""
    hits, groups = np.arange(24) % 5 < 3, np.arange(24) % 2
    once = clustered_share(hits, np.arange(24) // 3, groups=groups, weights=[2 / 3, 1 / 3])
    thrice = clustered_share(hits, np.arange(24) // 3, groups=groups, weights=[2.0, 1.0])
    assert (once.whole, thrice.whole) == (pytest.approx(1.0), pytest.approx(3.0))
    assert thrice.estimate == pytest.approx(tuple(3 * bound for bound in once.estimate))
    other = np.arange(24) % 7 < 3
    few, many = (
        clustered_share(other, np.arange(24) // 3, groups=groups, weights=np.array([2, 1]) * scale) for scale in (1 / 3, 1.0)
    )
    assert share_difference(thrice, many) == pytest.approx(tuple(3 * bound for bound in share_difference(once, few)))
    assert share_ratio(thrice, many) == pytest.approx(share_ratio(once, few))


def wilson_by_hand(p, n, z=1.959964):
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    return middle - half, middle + half


def test_the_number_of_units_is_corrected_for():
    """Twelve scenes of ten answers, of which 4, 5, …, 8 or 9 are right, each number twice: p = 0.65. Student's t for 11 degrees
    of freedom is 2.200985 (tables)."""
    right = np.repeat([4, 5, 6, 7, 8, 9], 2)
    hits = np.concatenate([np.arange(10) < count for count in right])
    share = clustered_share(hits, np.repeat(np.arange(12), 10))
    variance = 2 * sum((count - 6.5) ** 2 for count in range(4, 10)) / 120**2 * 12 / 11
    n = 0.65 * 0.35 / variance * (1.959964 / 2.200985) ** 2
    assert 12 < n < 120
    assert share.estimate[1:] == pytest.approx(wilson_by_hand(0.65, n), abs=1e-6)


def test_scenes_that_are_all_alike_are_worth_no_more_than_their_answers():
    """Each of twelve scenes has three of five answers right: the variance between them is 0 but for one."""
    hits = np.tile([1, 1, 1, 0, 0], 12)
    hits[0] = 0
    share = clustered_share(hits, np.repeat(np.arange(12), 5))
    assert share.estimate[1:] == pytest.approx(wilson_by_hand(35 / 60, 60), abs=1e-6)


@pytest.mark.parametrize(("units", "least"), [(6, 0.95), (12, 0.93), (30, 0.93)])
def test_versions_of_few_scenes_cover_the_truth(units, least):
    """30 versions of each scene, whose chance of a right answer is drawn from a beta distribution of mean 0.8."""
    rng, covered, trials = np.random.default_rng(units), 0, 1000
    for _ in range(trials):
        hits = rng.random((units, 30)) < rng.beta(1.6, 0.4, (units, 1))
        _, low, high = clustered_share(hits.ravel(), np.repeat(np.arange(units), 30)).estimate
        covered += low <= 0.8 <= high
    assert covered / trials >= least


def test_groups_weigh_the_same_by_default_and_units_may_have_gaps():
    """p = (1/2 + 1/4) / 2; units 2, 5 and 9."""
    hits, units = np.array([1, 0, 1, 0, 0, 0]), np.array([2, 5, 5, 9, 9, 2])
    share = clustered_share(hits, units, groups=np.array([0, 0, 1, 1, 1, 1]))
    assert share.value == pytest.approx(3 / 8)
    assert (share.units, share.n) == (3, 6)
    expected = {2: 0.25 * 0.5 - 0.125 * 0.25, 5: -0.25 * 0.5 + 0.125 * 0.75, 9: -0.125 * 0.5}
    assert share.residuals[[2, 5, 9]] == pytest.approx(list(expected.values()))
    # The variance alone would give n = 11.7; three units are worth three answers at most.
    assert 3 / 8 * 5 / 8 / sum(v * v for v in expected.values()) > 11
    assert share.estimate[1:] == pytest.approx(wilson_by_hand(3 / 8, 3), abs=1e-6)
    wider = clustered_share(hits, units, groups=np.array([0, 0, 1, 1, 1, 1]), level=0.99).estimate
    assert wider.low < share.estimate.low and wider.high > share.estimate.high


def test_a_share_above_chance_by_hand():
    """Four answers to choose from: (p − ¼) / ¾ is 0 for guessing and 1 for all right."""
    share = clustered_share(np.arange(40) < 25, np.arange(40))
    found = above_chance(share, 0.25)
    expected = binomtest(25, 40).proportion_ci(method="wilson")
    assert found.estimate == pytest.approx([(bound - 0.25) / 0.75 for bound in (25 / 40, expected.low, expected.high)])
    assert found.whole == pytest.approx(4 / 3)
    assert found.residuals == pytest.approx(share.residuals / 0.75)
    other = clustered_share(np.arange(40) < 20, np.arange(40))
    difference = share_difference(found, above_chance(other, 0.25))
    assert difference == pytest.approx(tuple(bound / 0.75 for bound in share_difference(share, other)))


def test_effective_counts_of_single_answers_and_of_copies():
    """Every answer a unit: all of them. Five copies of each answer: the units. An empty group has none."""
    hits = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0], float)
    groups, alone = np.zeros(12, np.int64), np.arange(12)
    assert effective_counts(hits, groups, alone, 2) == pytest.approx([12, 0])
    assert effective_counts(np.repeat(hits, 5), np.repeat(groups, 5), np.repeat(alone, 5), 1) == pytest.approx([12])


def test_effective_counts_by_hand():
    """Twelve units of two answers: 4 all right, 4 all wrong, 4 half right. The mean of the units has the variance of their
    shares over 12, and p(1−p) = 1/4."""
    hits = np.array([1, 1] * 4 + [0, 0] * 4 + [1, 0] * 4, float)
    units = np.repeat(np.arange(12), 2)
    between = np.var([1] * 4 + [0] * 4 + [0.5] * 4, ddof=1) / 12
    other = np.ones(3, np.int64)  # a second group does not touch the first
    found = effective_counts(np.append(hits, [1, 0, 0]), np.append(np.zeros(24, np.int64), other), np.append(units, [0, 1, 2]), 2)
    assert found == pytest.approx([0.25 / between, 3])


def test_effective_counts_of_few_units_or_equal_answers_are_the_units():
    nine, ten = np.repeat(np.arange(9), 6), np.repeat(np.arange(10), 6)
    varied = np.tile([1.0, 0, 1, 0, 0, 1], 10)
    varied[0] = 0.0
    assert effective_counts(varied[:54], np.zeros(54, np.int64), nine, 1) == pytest.approx([9])
    assert effective_counts(varied, np.zeros(60, np.int64), ten, 1)[0] > 10
    assert effective_counts(np.zeros(60), np.zeros(60, np.int64), ten, 1) == pytest.approx([10])


def test_effective_counts_never_exceed_the_answers():
    """Units that agree more than chance allows are not worth more than their answers."""
    hits = np.tile([1.0, 0, 1, 0], 12)
    hits[0] = 0.0
    assert effective_counts(hits, np.zeros(48, np.int64), np.repeat(np.arange(12), 4), 1) == pytest.approx([48])


def test_effective_counts_give_intervals_with_their_coverage():
    """Six versions of each of twelve pictures, with half of the variance between pictures: 95% intervals hold the truth."""
    rng, covered = np.random.default_rng(0), {"effective": 0, "as if independent": 0}
    rounds, true = 1500, 0.6
    units = np.repeat(np.arange(12), 6)
    for _ in range(rounds):
        hits = rng.binomial(1, np.repeat(rng.beta(true, 1 - true, 12), 6)).astype(float)
        (count,) = effective_counts(hits, np.zeros(72, np.int64), units, 1)
        for name, n in (("effective", count), ("as if independent", 72)):
            low, high = wilson(hits.mean() * n, n)
            covered[name] += bool(low <= true <= high)
    assert covered["effective"] / rounds >= 0.92
    assert covered["as if independent"] / rounds < 0.80

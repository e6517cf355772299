"""Shares of slices: hand-worked cases, coverage on draws from a known population, and the correction for many looks."""

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom

from eyechart.metrics.slices import lowest_slice_p_values, slice_share, together


def test_gap_and_error_ratio_of_a_hand_worked_case():
    hits = np.array([1, 1, 1, 0, 1, 0, 0, 1, 1, 1], bool)
    found = slice_share(hits, np.arange(10) >= 5, seed=0)
    assert (found.n, found.share, found.of_all) == (5, 0.6, 0.7)
    assert found.gap == pytest.approx(-0.1)
    assert found.error_ratio == pytest.approx(0.4 / 0.3)


def test_a_ratio_of_no_errors_is_no_number():
    found = slice_share(np.ones(40, bool), np.arange(40) < 20, seed=0)
    assert np.isnan(found.error_ratio)
    assert np.isnan(found.error_ratio_interval()[0].low)


def test_a_slice_of_all_rows_has_no_gap():
    found = slice_share(np.arange(50) < 30, np.ones(50, bool), seed=0)
    assert tuple(found.gap_interval()[0]) == (0.0, 0.0)
    assert found.score_gap_interval(0.99) == (0.0, 0.0)


def test_with_few_misses_the_interval_is_wilsons_about_the_share_of_all():
    """A slice of 25 among 100 has the variance of a gap that a share of 25 / (1 − 1/4) pictures has; all are right here."""
    hits = np.r_[np.ones(25, bool), np.ones(60, bool), np.zeros(15, bool)]
    (low, high), how = slice_share(hits, np.arange(100) < 25, seed=0).gap_interval()
    z2 = 1.959963984540054**2  # Wilson's lower bound of n out of n is n / (n + z²)
    n = 25 / 0.75
    assert how.startswith("Wilson")
    assert low == pytest.approx(n / (n + z2) - 0.85)
    assert high == pytest.approx(0.15)


def test_copies_of_pictures_add_nothing():
    rng = np.random.default_rng(0)
    hits, members = rng.random(300) < 0.6, rng.random(300) < 0.4
    once = slice_share(hits, members, seed=0, clusters=np.arange(300))
    tenfold = slice_share(hits.repeat(10), members.repeat(10), seed=0, clusters=np.arange(300).repeat(10))
    assert tenfold.gap_interval()[0] == pytest.approx(once.gap_interval()[0])
    assert tenfold.score_gap_interval(0.99) == pytest.approx(once.score_gap_interval(0.99))
    assert tenfold.n == 10 * once.n


def test_a_cluster_may_lie_partly_in_a_slice():
    """Scenes of two pictures, one of them in the slice: the gap is half of the difference within scenes."""
    rng = np.random.default_rng(1)
    plain, changed = rng.random(400) < 0.9, rng.random(400) < 0.6
    scene = np.r_[np.arange(400), np.arange(400)]
    found = slice_share(np.r_[plain, changed], np.arange(800) >= 400, seed=0, clusters=scene, resamples=4000)
    halves = (changed.astype(float) - plain) / 2
    (low, high), _ = found.gap_interval()
    assert found.gap == pytest.approx(halves.mean())
    assert (high - low) / 2 == pytest.approx(1.96 * halves.std() / np.sqrt(400), rel=0.06)


@pytest.mark.parametrize(("accuracy", "drop", "part"), [(0.8, 0.1, 0.12), (0.9, 0.0, 0.06), (0.7, 0.2, 0.4)])
def test_intervals_of_gap_and_ratio_cover(accuracy, drop, part):
    rng = np.random.default_rng(2)
    of_all = accuracy - drop * part
    gaps = ratios = 0
    for draw in range(2000):
        members = rng.random(800) < part
        hits = rng.random(800) < accuracy - drop * members
        found = slice_share(hits, members, seed=draw, resamples=600)
        low, high = found.gap_interval()[0]
        gaps += low <= accuracy - drop - of_all <= high
        low, high = found.error_ratio_interval()[0]
        ratios += low <= (1 - accuracy + drop) / (1 - of_all) <= high
    assert 0.93 <= gaps / 2000 <= 0.97
    assert 0.93 <= ratios / 2000 <= 0.97


def test_intervals_at_the_common_level_hold_together():
    rng = np.random.default_rng(3)
    truth = np.array([0.8, 0.8, 0.8, 0.8, 0.6, 0.8])
    level, held = together(0.95, 5), 0
    for _ in range(2000):
        kind = rng.integers(0, 6, 400)
        hits = rng.random(400) < truth[kind]
        inside = [slice_share(hits, kind == s, seed=0, resamples=1).score_gap_interval(level) for s in range(5)]
        gaps = truth[:5] - truth.mean()
        held += all(low <= gap <= high for (low, high), gap in zip(inside, gaps, strict=True))
    assert 0.93 <= held / 2000 <= 0.97


def test_together_is_sidaks_level():
    assert together(0.95, 1) == pytest.approx(0.95)
    assert together(0.95, 15) == pytest.approx(1 - (1 - 0.95 ** (1 / 15)))
    assert together(0.95, 15) ** 15 == pytest.approx(0.95)


def test_the_p_value_of_a_lone_slice_is_that_of_the_hypergeometric_distribution():
    hits = np.arange(60) < 40
    members = np.zeros((60, 1), bool)
    members[:6, 0] = members[40:48, 0] = True  # 6 right and 8 wrong of 14
    exact = hypergeom(60, 40, 14).cdf(6)
    found = lowest_slice_p_values(hits, members, seed=0, permutations=20000)[0]
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact / 20000))


def test_looking_at_many_slices_is_paid_for():
    rng = np.random.default_rng(4)
    members = rng.random((400, 40)) < 0.2
    hits = rng.random(400) < 0.7
    alone = lowest_slice_p_values(hits, members[:, :1], seed=0)[0]
    among = lowest_slice_p_values(hits, members, seed=0)
    assert among[0] > alone
    assert (among >= 1 / 1001).all() and (among <= 1).all()


def test_false_alarms_over_many_slices_stay_rare():
    rng = np.random.default_rng(5)
    alarms = 0
    for draw in range(400):
        factors = rng.random((200, 6)) < 0.4
        pairs = np.column_stack([factors[:, i] & factors[:, j] for i in range(6) for j in range(i)])
        alarms += lowest_slice_p_values(rng.random(200) < 0.8, pairs, seed=draw, permutations=200).min() <= 0.05
    low, high = binomtest(alarms, 400).proportion_ci(0.999)
    assert low <= 0.05 <= high


@pytest.mark.parametrize("hits", [np.ones(50, bool), np.zeros(50, bool)])
def test_nothing_can_be_worst_where_all_answers_are_alike(hits):
    assert (lowest_slice_p_values(hits, np.arange(50)[:, None] < [10, 20], seed=0) == 1).all()

"""Intervals of rankings that few pictures decide: at least Wilson's (SciPy's), and untouched where ten or more decide."""

import numpy as np
import pytest
from scipy.stats import binomtest

from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.rare_errors import false_positive_interval, separation_interval

NARROW, WIDE = Interval(0.3, 0.3), Interval(0.0, 1.0)


def wilson(hits, n, level=0.95):
    return tuple(binomtest(hits, n).proportion_ci(level, method="wilson"))


@pytest.mark.parametrize("hits", [0, 1, 9, 31, 40])
def test_few_above_or_below_the_threshold_have_wilsons_interval(hits):
    scores = np.random.default_rng(0).permutation(40).astype(float)
    given = Interval(hits / 40, hits / 40)
    found = false_positive_interval(hits / 40, scores, np.arange(40), None, given)
    assert found == pytest.approx(wilson(hits, 40))


@pytest.mark.parametrize("hits", [10, 20, 30])
def test_ten_on_both_sides_are_enough(hits):
    scores = np.random.default_rng(0).permutation(40).astype(float)
    assert false_positive_interval(hits / 40, scores, np.arange(40), None, NARROW) is NARROW


def test_a_wider_interval_is_kept():
    scores = np.arange(40.0)
    assert false_positive_interval(2 / 40, scores, np.arange(40), None, WIDE) == WIDE
    low, high = false_positive_interval(2 / 40, scores, np.arange(40), None, Interval(0.04, 0.9))
    assert (low, high) == pytest.approx((wilson(2, 40)[0], 0.9))
    low, high = false_positive_interval(2 / 40, scores, np.arange(40), None, Interval(0.0, 0.06))
    assert (low, high) == pytest.approx((0.0, wilson(2, 40)[1]))


def test_rows_above_the_threshold_are_those_with_high_scores():
    """Copies of four pictures: the first is above the threshold with all its ten rows, so one of four hits."""
    scores = np.repeat([4.0, 3.0, 2.0, 1.0], 10) + np.tile(np.arange(10) / 100, 4)
    found = false_positive_interval(0.25, scores[:36], np.repeat([7, 3, 9, 5], 10)[:36], None, Interval(0.25, 0.25))
    expected = clustered_share(np.arange(36) < 9, np.repeat(np.arange(4), 10)[:36])
    assert found == pytest.approx((expected.estimate.low, expected.estimate.high))


def test_equal_scores_reach_the_threshold_together():
    scores = np.array([5.0, 5.0, 5.0, *np.arange(4, -20, -1)])
    found = false_positive_interval(3 / 27, scores, np.arange(27), None, Interval(3 / 27, 3 / 27))
    assert found == pytest.approx(wilson(3, 27))
    below = false_positive_interval(2 / 27, scores, np.arange(27), None, Interval(0.0, 0.0))
    assert below == pytest.approx(wilson(0, 27))


def test_groups_weigh_the_same():
    """Group 5 has four rows, group 2 sixteen. Above the threshold are one of the four and two of the sixteen: (1/4 + 1/8) / 2."""
    groups = np.repeat([5, 2], [4, 16])
    scores = np.r_[9.0, 1, 2, 3, 9.5, 9.2, np.arange(-14, 0)]
    found = false_positive_interval(3 / 16, scores, np.arange(20) * 3, groups, Interval(3 / 16, 3 / 16))
    above = scores > 8
    expected = clustered_share(above, np.arange(20), groups=(groups == 5).astype(int)).estimate
    assert expected.value == pytest.approx(3 / 16)
    assert found == pytest.approx((expected.low, expected.high))


def separated(n_in, n_out, among_in, among_out):
    """So many inside rows at or below the highest outside row, so many outside rows at or above the lowest inside row."""
    inside = np.r_[np.full(n_in - among_in, 10.0), np.full(among_in, 0.0)]
    outside = np.r_[np.full(n_out - among_out, -10.0), np.full(among_out, 0.0)]
    return np.r_[inside, outside], np.arange(n_in + n_out) < n_in


@pytest.mark.parametrize(("among_in", "among_out"), [(9, 10), (10, 9), (9, 9)])
def test_few_rows_among_the_others_have_wilsons_interval_of_the_smaller_group(among_in, among_out):
    scores, inside = separated(50, 25, among_in, among_out)
    found = separation_interval(0.96, scores, inside, np.arange(75), Interval(0.96, 0.96), 0.9)
    assert found == pytest.approx(wilson(24, 25, 0.9))
    scores, inside = separated(25, 50, among_in, among_out)
    found = separation_interval(0.96, scores, inside, np.arange(75), Interval(0.96, 0.96), 0.9)
    assert found == pytest.approx(wilson(24, 25, 0.9))


def test_ten_rows_of_both_among_the_others_are_enough():
    scores, inside = separated(50, 25, 10, 10)
    assert separation_interval(0.9, scores, inside, np.arange(75), NARROW, 0.95) is NARROW


def test_clusters_of_the_smaller_group_count():
    """Twenty inside rows of five pictures, and fifteen outside ones of their own."""
    scores, inside = np.r_[np.full(20, 1.0), np.zeros(15)], np.arange(35) < 20
    units = np.r_[np.repeat([3, 8, 1, 4, 90], 4), np.arange(100, 115)]
    assert separation_interval(1.0, scores, inside, units, Interval(1.0, 1.0), 0.95) == pytest.approx(wilson(5, 5))


def test_a_wider_interval_of_a_separation_is_kept():
    scores, inside = separated(50, 25, 0, 0)
    assert separation_interval(0.96, scores, inside, np.arange(75), WIDE, 0.95) == WIDE
    low, high = separation_interval(0.96, scores, inside, np.arange(75), Interval(0.2, 0.97), 0.95)
    assert (low, high) == pytest.approx((0.2, wilson(24, 25)[1]))


@pytest.mark.parametrize(("among", "few"), [((0, 0), True), ((9, 12), True), ((12, 9), True), ((10, 10), False)])
def test_a_reversed_ranking_is_no_more_certain_than_a_perfect_one(among, few):
    """An AUROC of 0 on 25 pictures has the mirror image of the interval of an AUROC of 1."""
    scores, inside = separated(50, 25, *among)
    found = separation_interval(0.0, -scores, inside, np.arange(75), Interval(0.0, 0.0), 0.95)
    assert found == pytest.approx(wilson(0, 25) if few else (0.0, 0.0))

"""Intervals of differences and ratios from those of their parts: published examples, closed forms, and limits."""

import numpy as np
import pytest
from scipy.optimize import brentq

from eyechart.metrics.intervals import wilson
from eyechart.metrics.intervals.mover import Estimate, difference_interval, ratio_interval


def share(hits, n):
    low, high = wilson(hits, n)
    return Estimate(hits / n, float(low), float(high))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # Newcombe (1998), "Interval estimation for the difference between independent proportions", table II, method 10.
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((10, 10), (0, 10), (0.6075, 1.0)),
    ],
)
def test_published_intervals_of_a_difference(a, b, expected):
    assert difference_interval(share(*a), share(*b)) == pytest.approx(expected, abs=6e-5)


def test_symmetric_parts_give_the_textbook_interval():
    """Of normal estimates: a − b ± √(h_a² + h_b² − 2 r h_a h_b)."""
    low, high = difference_interval(Estimate(5.0, 4.0, 6.0), Estimate(3.0, 1.0, 5.0), correlation=0.5)
    assert (low, high) == pytest.approx((2 - np.sqrt(3), 2 + np.sqrt(3)))


def test_what_two_parts_share_cancels():
    same = Estimate(0.7, 0.6, 0.8)
    assert difference_interval(same, same, correlation=1.0) == pytest.approx((0.0, 0.0))


def test_an_interval_of_a_ratio_is_fiellers_for_normal_parts():
    """Fieller's limits solve (a − ρb)² = h_a² + ρ² h_b²."""
    a, b = Estimate(3.0, 2.5, 3.5), Estimate(6.0, 5.0, 7.0)
    for ratio in ratio_interval(a, b):
        assert (3 - ratio * 6) ** 2 == pytest.approx(0.25 + ratio**2)


def test_a_ratio_to_what_may_be_nothing_has_no_interval():
    assert np.isnan(ratio_interval(Estimate(0.5, 0.4, 0.6), Estimate(0.0, 0.0, 0.1))).all()


def test_a_ratio_is_never_below_zero():
    low, high = ratio_interval(Estimate(0.0, 0.0, 0.1), Estimate(0.5, 0.4, 0.6))
    assert low == 0.0
    assert high == pytest.approx(0.1 / 0.5, rel=0.05)


@pytest.mark.parametrize("correlation", [0.0, 0.4, -0.3])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Estimate(0.5, 0.35, 0.7), Estimate(0.8, 0.6, 0.9)),
        (Estimate(0.9, 0.85, 0.93), Estimate(0.3, 0.2, 0.45)),
        (Estimate(0.1, 0.04, 0.3), Estimate(0.6, 0.5, 0.72)),
    ],
)
def test_a_ratio_is_where_the_interval_of_the_difference_ends_at_zero(a, b, correlation):
    """a − ρb, written out (Zou and Donner, 2008), and solved for ρ."""

    def end(ratio, of_a, of_b, sign):
        reach = of_a**2 - 2 * correlation * of_a * ratio * of_b + (ratio * of_b) ** 2
        return a.value - ratio * b.value + sign * np.sqrt(reach)

    middle = a.value / b.value
    low = brentq(end, 0, middle, args=(a.value - a.low, b.high - b.value, -1))
    high = brentq(end, middle, 50, args=(a.high - a.value, b.value - b.low, 1))
    assert ratio_interval(a, b, correlation) == pytest.approx((low, high))


def test_a_difference_has_other_arms_below_and_above():
    """3, 4 and 12, 5: right triangles."""
    low, high = difference_interval(Estimate(20.0, 17.0, 32.0), Estimate(10.0, 5.0, 14.0))
    assert (low, high) == (10 - 5, 10 + 13)


def test_a_divisor_that_barely_stays_above_zero_has_an_interval():
    assert np.isnan(ratio_interval(Estimate(0.5, 0.4, 0.6), Estimate(0.5, 0.0, 0.6))).all()
    assert np.isfinite(ratio_interval(Estimate(0.5, 0.4, 0.6), Estimate(0.5, 0.01, 0.6))).all()


@pytest.mark.parametrize("correlation", [0.0, 0.4])
@pytest.mark.parametrize("beyond", [-1e-13, 0.0, 1e-13])
def test_a_divisor_that_may_be_twice_its_value_has_a_lower_end(correlation, beyond):
    """Where the upper end of b is 2b, the equation of the lower end has no square: with α and β the arms of a and b,
    −2ρ(ab − rαβ) + a² − α² = 0. Without correlation: (0.25 − 0.01) / (2 · 0.5 · 0.25) = 0.96."""
    low, _ = ratio_interval(Estimate(0.5, 0.4, 0.6), Estimate(0.25, 0.125, 0.5 + beyond), correlation)
    assert low == pytest.approx(0.24 / (2 * (0.125 - correlation * 0.1 * 0.25)))
    if correlation == 0:
        assert low == pytest.approx(0.96)


@pytest.mark.parametrize(("low_a", "expected"), [(-0.1, 0.0), (0.0, 0.0), (1e-9, 2e-9)])
def test_the_lower_end_of_a_ratio_is_zero_only_where_that_of_its_dividend_is(low_a, expected):
    """With a divisor known exactly, the interval of a / b is that of a over b."""
    assert ratio_interval(Estimate(0.3, low_a, 0.6), Estimate(0.5, 0.5, 0.5)) == pytest.approx((expected, 1.2), abs=1e-15)

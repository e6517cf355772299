"""Draws of a calibrated model: their moments in closed form, copies of pictures, and blocks."""

import numpy as np
import pytest

from eyechart.metrics.calibration import consistency
from eyechart.metrics.calibration.consistency import calibrated_gaps, calibrated_mean_interval, wider
from eyechart.metrics.calibration.ece import gaps
from eyechart.metrics.intervals import Interval


@pytest.mark.parametrize("copies", [1, 3])
def test_gaps_have_the_moments_of_coin_tosses(copies):
    """Of n rows: mean 0 and variance Σ p(1−p) / n² in each bin, times the number of copies of each picture."""
    confidence = np.random.default_rng(0).uniform(0.2, 1, 40).repeat(copies)
    found = gaps(confidence, np.ones(40 * copies), 5)
    clusters = np.arange(40).repeat(copies) + 9 if copies > 1 else None
    (draws,) = calibrated_gaps([found], [confidence], seed=1, clusters=clusters, resamples=20_000)
    variance = np.bincount(found.of_row, confidence * (1 - confidence), minlength=5) / (40 * copies) ** 2 * copies
    assert draws.shape == (20_000, 5)
    assert draws.mean(axis=0) == pytest.approx(np.zeros(5), abs=4 * np.sqrt(variance.max() / 20_000))
    assert draws.var(axis=0) == pytest.approx(variance, rel=0.06)


def test_copies_in_any_order_are_right_together():
    """Two copies each of ten pictures at 50%, in two bins: the sums of both bins are always equal."""
    confidence = np.tile([0.5, 0.500001], 10)
    found = gaps(confidence, np.ones(20), 2)
    clusters = np.repeat(np.arange(10), 2)[::-1].copy()
    (draws,) = calibrated_gaps([found], [confidence], seed=0, clusters=clusters, resamples=200)
    assert draws[:, 0] == pytest.approx(draws[:, 1], abs=1e-5)
    assert draws.std() > 0.01


def test_blocks_change_nothing(monkeypatch):
    confidence = np.random.default_rng(2).uniform(0.2, 1, 30)
    found = gaps(confidence, np.ones(30), 5)
    (whole,) = calibrated_gaps([found], [confidence], seed=1, resamples=25)
    monkeypatch.setattr(consistency, "_BLOCK", 30 * 7)
    assert calibrated_gaps([found], [confidence], seed=1, resamples=25)[0] == pytest.approx(whole)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_a_mean_by_hand(level):
    """Stakes 1, 2 and 3 at 50%, 80% and 90%; the last two rows are one picture."""
    p, stakes = np.array([0.5, 0.8, 0.9]), np.array([1.0, 2.0, 3.0])
    spread = np.array([0.5 * 1, 0.4 * 2, 0.3 * 3])
    z = {0.8: 1.281552, 0.95: 1.959964}[level]
    apart = z * np.sqrt((spread**2).sum()) / 3
    together = z * np.sqrt(spread[0] ** 2 + (spread[1] + spread[2]) ** 2) / 3
    assert calibrated_mean_interval(0.4, p, stakes=stakes, level=level) == pytest.approx((0.4 - apart, 0.4 + apart), abs=1e-6)
    found = calibrated_mean_interval(0.4, p, np.array([4, 2, 2]), stakes=stakes, level=level)
    assert found == pytest.approx((0.4 - together, 0.4 + together), abs=1e-6)


def test_the_wider_interval_contains_both():
    assert wider(Interval(0.1, 0.4), Interval(0.2, 0.5)) == (0.1, 0.5)
    assert wider(Interval(0.2, 0.5), Interval(0.1, 0.4)) == (0.1, 0.5)


def test_measurements_of_the_same_rows_share_their_draws():
    """At equal confidences, the gaps of a second measurement are those of the first, and those of one alone."""
    confidence = np.random.default_rng(3).uniform(0.2, 1, 50)
    coarse, fine = (gaps(confidence, np.ones(50), bins) for bins in (1, 10))
    both = calibrated_gaps([coarse, fine], [confidence, confidence], seed=2, resamples=30)
    (alone,) = calibrated_gaps([fine], [confidence], seed=2, resamples=30)
    assert both[1] == pytest.approx(alone)
    assert both[0][:, 0] == pytest.approx(both[1].sum(axis=1), abs=1e-6)

"""Means of losses, of which a few are large."""

import numpy as np
import pytest

from eyechart.metrics.calibration.mean_losses import mean_loss


def losses(p, right):
    return {
        "nll": np.where(right, -np.log(p), -np.log(1 - p)),
        "brier": np.where(right, 2 * (1 - p) ** 2, 2 * p**2),  # two classes
    }


@pytest.mark.parametrize(("p", "n"), [(0.98, 100), (0.98, 400), (0.9, 100), (0.6, 100)])
def test_intervals_cover_the_loss_that_a_model_expects(p, n):
    """At 98% a hundred answers show two mistakes, or none: a normal interval holds the truth 87 times in a hundred."""
    rng, hits = np.random.default_rng(5), dict.fromkeys(("nll", "brier"), 0)
    truth = {name: p * of[0] + (1 - p) * of[1] for name, of in losses(p, np.array([True, False])).items()}
    for _ in range(400):
        for name, values in losses(p, rng.random(n) < p).items():
            _, (low, high) = mean_loss(name, values, np.full(n, p))
            hits[name] += low <= truth[name] <= high
    assert min(hits.values()) >= 0.93 * 400, hits


def test_many_mistakes_leave_the_textbook_interval():
    rng = np.random.default_rng(6)
    p = np.full(4000, 0.7)
    values = losses(p, rng.random(4000) < p)["nll"]
    value, (low, high) = mean_loss("nll", values, p)
    assert value == pytest.approx(values.mean())
    assert (high - low) == pytest.approx(2 * 1.96 * values.std() / np.sqrt(4000), rel=0.06)


def test_copies_of_pictures_add_nothing():
    p, right = np.full(50, 0.9), np.arange(50) > 4
    once = mean_loss("nll", losses(p, right)["nll"], p)[1]
    rows = np.repeat(np.arange(50), 3)
    again = mean_loss("nll", losses(p, right)["nll"][rows], p[rows], rows)[1]
    assert again == pytest.approx(once)

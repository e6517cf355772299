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


@pytest.mark.parametrize(("name", "stake"), [("nll", np.log(9)), ("brier", 1.6)])
def test_no_loss_at_all_has_the_noise_that_the_confidences_imply(name, stake):
    """Forty answers at 90%: a wrong one would add log 9, or 2 · 0.81 − 2 · 0.01, with a deviation of √(0.9 · 0.1) each."""
    value, (low, high) = mean_loss(name, np.zeros(40), np.full(40, 0.9))
    assert (value, low) == (0.0, 0.0)
    assert high == pytest.approx(1.959964 * stake * 0.3 / np.sqrt(40))


def test_one_cluster_has_no_interval():
    value, interval = mean_loss("nll", np.array([0.2, 0.4]), np.full(2, 0.9), np.zeros(2, int))
    assert value == pytest.approx(0.3)
    assert np.isnan(interval).all()


def test_the_interval_is_the_widest_of_three():
    """Normal below, log-normal above; confidences near 1 imply hardly any noise."""
    values = np.r_[np.full(90, 0.01), np.full(10, 3.0)]
    value, (low, high) = mean_loss("nll", values, np.full(100, 1 - 1e-12))
    error = values.std(ddof=1) / 10
    assert high == pytest.approx(value * np.exp(1.959964 * error / value), rel=1e-4)
    assert low == pytest.approx(value - 1.959964 * error, rel=1e-4)

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import HuberRegressor

from eyechart.metrics.trends import line_fits
from eyechart.metrics.trends.line_fits import fit_lines


def points(seed, n, noise):
    rng = np.random.default_rng(seed)
    x = rng.normal(0.8, 0.4, n)
    return x, 0.9 * x - 0.3 + noise * rng.standard_t(2, n)


def one(x, y, fit):
    (slope,), (intercept,) = fit_lines(x, y, np.ones((1, len(x))), fit)
    return slope, intercept


@pytest.mark.parametrize("seed", range(5))
def test_least_squares_is_numpys(seed):
    x, y = points(seed, 40, 0.1)
    np.testing.assert_allclose(one(x, y, "ols"), np.polyfit(x, y, 1))


@pytest.mark.parametrize("noise", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("n", [6, 40, 300])
def test_huber_is_scikit_learns_with_its_defaults(n, noise):
    x, y = points(n, n, noise)
    peer = HuberRegressor().fit(x[:, None], y)
    np.testing.assert_allclose(one(x, y, "huber"), [peer.coef_[0], peer.intercept_], atol=1e-3)


def test_huber_hardly_notices_an_outlier_that_bends_least_squares():
    x = np.linspace(0, 1, 30)
    y = 2 * x + np.tile([0.01, -0.01], 15)
    y[-1] = -20
    assert abs(one(x, y, "huber")[0] - 2) < 0.1
    assert abs(one(x, y, "ols")[0] - 2) > 1


@pytest.mark.parametrize("fit", ["ols", "huber"])
def test_a_weight_is_as_many_points(fit):
    x, y = points(3, 25, 0.1)
    counts = np.random.default_rng(0).multinomial(25, np.full(25, 1 / 25), size=4)
    slopes, intercepts = fit_lines(x, y, counts.astype(float), fit)
    for row, weights in enumerate(counts):
        written_out = one(np.repeat(x, weights), np.repeat(y, weights), fit)
        np.testing.assert_allclose([slopes[row], intercepts[row]], written_out, atol=1e-6)


@pytest.mark.parametrize("fit", ["ols", "huber"])
def test_points_on_a_line_give_that_line(fit):
    x = np.linspace(-1, 2, 12)
    np.testing.assert_allclose(one(x, 1.5 * x + 0.25, fit), [1.5, 0.25], atol=1e-6)


@pytest.mark.parametrize("fit", ["ols", "huber"])
def test_there_is_no_line_through_points_above_each_other(fit):
    x, y = np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 2.0])
    slopes, _ = fit_lines(x, y, np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 2.0]]), fit)
    assert np.isfinite(slopes).tolist() == [True, False]


def hubers_loss(parameters, x, y, weights):
    """Σ w (σ + H((y − a x − b)/σ) σ) + α a², as scikit-learn states it."""
    slope, intercept, scale = parameters
    z = np.abs(y - slope * x - intercept) / scale
    parts = np.where(z < 1.35, z**2, 2 * 1.35 * z - 1.35**2)
    return float((weights * (scale + parts * scale)).sum() + 1e-4 * slope**2)


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_hubers_line_is_the_minimum_of_its_loss(scale):
    """With a narrow x the penalty on the slope matters."""
    x, y = points(5, 30, 0.2)
    x = scale * x
    weights = np.random.default_rng(1).integers(0, 3, 30).astype(float)
    (slope,), (intercept,) = fit_lines(x, y, weights[None], "huber", settled=1e-12)
    best = min(
        (
            minimize(hubers_loss, [slope * k, intercept, 0.3], (x, y, weights), method="Nelder-Mead", options=TIGHT)
            for k in (1.0, 0.9)
        ),
        key=lambda found: found.fun,
    )
    assert (slope, intercept) == pytest.approx(best.x[:2], rel=1e-4, abs=1e-5)


TIGHT = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000}


def test_blocks_change_nothing(monkeypatch):
    x, y = points(6, 20, 0.3)
    weights = np.random.default_rng(2).multinomial(20, np.full(20, 1 / 20), size=11).astype(float)
    whole = fit_lines(x, y, weights, "huber")
    monkeypatch.setattr(line_fits, "_BLOCK", 20 * 3)
    parts = fit_lines(x, y, weights, "huber")
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


def test_far_off_points_lose_no_digits():
    x, y = points(7, 30, 0.1)
    np.testing.assert_allclose(one(x + 1e5, y - 1e5, "ols")[0], one(x, y, "ols")[0], rtol=1e-6)


def test_a_narrow_spread_of_x_is_still_a_spread():
    x, y = points(8, 30, 0.1)
    np.testing.assert_allclose(one(1e-6 * x, y, "ols")[0], 1e6 * one(x, y, "ols")[0], rtol=1e-6)

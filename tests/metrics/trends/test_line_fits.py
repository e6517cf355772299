import numpy as np
import pytest
from sklearn.linear_model import HuberRegressor

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

import csv

import numpy as np
import pytest
from scipy.stats import beta, norm, spearmanr, t

from eyechart.metrics.trends.lines import (
    Line,
    effective_robustness,
    family_weights,
    fit_trend,
    quantiles,
    robustness_intervals,
    widened,
)

ZERO_SHOT = ("resnet50_clip_zeroshot", "vit_b_32_clip_zeroshot")
V2 = "imagenetv2-matched-frequency-format-val"


@pytest.fixture(scope="module")
def testbed(refdata):
    """Accuracies of imagenet-testbed as fractions, and its standard models as the protocol picks them."""
    with (refdata / "imagenet-testbed" / "robustness_top1s.csv").open() as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    with (refdata / "imagenet-testbed" / "model_types.csv").open() as file:
        standard = [row["model"] for row in csv.DictReader(file) if row["natural_type"] == "STANDARD"]
    chosen = [
        name
        for name in standard
        if not any(word in name for word in ("aws", "batch64", "subsample")) and float(rows[name]["val"]) >= 55
    ]

    def pair(x, y, names=tuple(chosen)):
        known = [name for name in names if rows[name][x] and rows[name][y]]
        return np.array([[float(rows[name][x]), float(rows[name][y])] for name in known]).T / 100

    return pair


KNOWN = [
    (V2, "val", "probit", 85, 0.9617, -0.3247, 0.9956, (5.95, 5.68)),
    (V2, "val", "logit", 85, 0.9232, -0.4977, 0.9960, None),
    ("objectnet-1.0-beta", "val-on-objectnet-classes", "probit", 85, 1.0192, -1.2049, 0.9518, (17.94, 17.95)),
    ("imagenet-r", "val-on-imagenet-r-classes", "probit", 80, 0.7719, -1.4212, 0.8842, (32.89, 38.77)),
    ("imagenet-sketch", "val", "probit", 85, 1.0435, -1.4259, 0.8652, (23.21, 28.17)),
]


@pytest.mark.refdata
@pytest.mark.parametrize(("shift", "source", "axis", "n", "slope", "intercept", "r2", "robustness"), KNOWN)
def test_lines_of_the_testbed(testbed, shift, source, axis, n, slope, intercept, r2, robustness):
    x, y = testbed(source, shift)
    trend = fit_trend(x, y, np.arange(len(x)), x_axis=axis, y_axis=axis, fit="ols", resamples=10)
    assert trend.n == n
    np.testing.assert_allclose([trend.line.slope, trend.line.intercept, trend.r2], [slope, intercept, r2], atol=6e-4)
    if robustness:
        found = effective_robustness(*testbed(source, shift, ZERO_SHOT), trend.line)
        np.testing.assert_allclose(100 * found, robustness, atol=6e-3)


@pytest.mark.refdata
def test_the_robust_line_of_the_testbed(testbed):
    x, y = testbed("val", V2)
    line = fit_trend(x, y, np.arange(len(x)), fit="huber", resamples=10).line
    np.testing.assert_allclose([line.slope, line.intercept], [0.9718, -0.3314], atol=6e-4)


def test_effective_robustness_by_hand():
    """On the probit line Φ⁻¹(y) = Φ⁻¹(x) − 1, a model at x = Φ(1) is expected at Φ(0) = 0.5."""
    line = Line(1.0, -1.0)
    np.testing.assert_allclose(line.expected([norm.cdf(1)]), [0.5])
    np.testing.assert_allclose(effective_robustness([norm.cdf(1)], [0.62], line), [0.12])


def test_axes_may_differ():
    line = Line(2.0, 0.1, "linear", "logit")
    np.testing.assert_allclose(line.expected([0.45]), [1 / (1 + np.exp(-1.0))])


def test_rank_correlation_and_r2_are_those_of_the_points():
    rng = np.random.default_rng(1)
    x = rng.uniform(0.3, 0.9, 30)
    y = np.clip(x - 0.1 + rng.normal(0, 0.03, 30), 0.01, 0.99)
    trend = fit_trend(x, y, np.arange(30), resamples=10)
    assert trend.spearman == pytest.approx(spearmanr(x, y).statistic)
    assert trend.r2 == pytest.approx(np.corrcoef(norm.ppf(x), norm.ppf(y))[0, 1] ** 2)


def test_models_of_a_family_come_and_go_together():
    families = np.array([7, 7, 3, 3, 3, 9])
    weights = family_weights(families, 200, np.random.default_rng(0))
    assert (weights[:, 0] == weights[:, 1]).all() and (weights[:, 2] == weights[:, 4]).all()
    assert set(weights[:, [0, 2, 5]].sum(axis=1)) == {2.0}  # one fewer than there are families


def test_a_crowd_of_copies_makes_a_line_no_surer():
    """Twenty copies of each model, in one family with it, leave every interval as wide as it was."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.4, 0.9, 15)
    y = norm.cdf(norm.ppf(x) - 0.3 + rng.normal(0, 0.05, 15))
    alone = fit_trend(x, y, np.arange(15), seed=3)
    crowd = fit_trend(np.repeat(x, 20), np.repeat(y, 20), np.repeat(np.arange(15), 20), seed=3)
    np.testing.assert_allclose(crowd.slope_interval, alone.slope_interval, atol=1e-3)


def test_one_family_shows_no_variance():
    x = np.linspace(0.3, 0.8, 12)
    trend = fit_trend(x, x**2, np.zeros(12, int))
    assert np.isnan([*trend.slope_interval, *trend.intercept_interval]).all()


def test_a_place_at_infinity_is_refused():
    with pytest.raises(ValueError, match="finite place"):
        fit_trend([0.5, 0.6, 1.0], [0.4, 0.5, 0.6], np.arange(3))


TRUE = Line(0.95, -0.3)


def population(seed, families=20, size=6):
    """Models around a true line, those of a family shifted together."""
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(families), size)
    at = rng.normal(0.8, 0.3, families)[family] + rng.normal(0, 0.15, len(family))
    off = rng.normal(0, 0.05, families)[family] + rng.normal(0, 0.03, len(family))
    return norm.cdf(at), norm.cdf(TRUE.slope * at + TRUE.intercept + off), family


@pytest.mark.slow
def test_intervals_of_the_line_cover_the_true_one():
    hits = np.zeros(3)
    for seed in range(200):
        trend = fit_trend(*population(seed), fit="ols", seed=seed, resamples=200)
        (low,), (high,) = trend.band([0.8])
        bounds = [
            (*trend.slope_interval, TRUE.slope),
            (*trend.intercept_interval, TRUE.intercept),
            (low, high, TRUE.expected(0.8)),
        ]
        hits += [bottom <= true <= top for bottom, top, true in bounds]
    assert ((hits >= 179) & (hits <= 198)).all(), hits


@pytest.mark.slow
def test_intervals_of_effective_robustness_cover_the_true_one():
    """A model that is right on 70% of one set and 65% of another, seen through 5,000 and 2,000 pictures."""
    true = 0.65 - float(TRUE.expected(0.7))
    hits = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        trend = fit_trend(*population(seed), fit="ols", seed=seed, resamples=200)
        seen = [rng.binomial(5000, 0.7) / 5000], [rng.binomial(2000, 0.65) / 2000]
        (low,), (high,) = robustness_intervals(*seen, [5000], [2000], trend, seed=seed)
        hits += low <= true <= high
    assert 179 <= hits <= 198


def test_without_n_only_the_line_is_unsure():
    trend = fit_trend(*population(0), fit="ols")
    known, unknown = (robustness_intervals([0.7], [0.65], [n], [n], trend) for n in (200, np.nan))
    assert known[1] - known[0] > 3 * (unknown[1] - unknown[0]) > 0


def test_an_interval_does_not_depend_on_which_other_models_are_asked_for():
    trend = fit_trend(*population(0), fit="ols")
    x, y, n = np.array([0.7, 0.5, 0.6]), np.array([0.65, 0.4, 0.5]), np.array([200.0, 500.0, np.nan])
    together = np.array(robustness_intervals(x, y, n, n, trend, seed=3))
    for i in range(3):
        alone = np.array(robustness_intervals(x[[i]], y[[i]], n[[i]], n[[i]], trend, seed=3))
        assert alone[:, 0].tolist() == together[:, i].tolist()


def test_draws_are_moved_away_from_the_value_for_few_families():
    """By t over z: 4.303 / 1.960 for three families."""
    assert widened(1.0, np.array([0.9, 1.0, 1.2]), 2, 0.95) == pytest.approx(
        [1 - 0.1 * 2.19528, 1.0, 1 + 0.2 * 2.19528], abs=1e-4
    )
    ratio = t.ppf(0.9, 1) / norm.ppf(0.9)
    assert widened(1.0, np.array([1.5]), 1, 0.8) == pytest.approx([1 + 0.5 * ratio])
    assert np.isnan(widened(1.0, np.array([0.9, 1.2]), 0, 0.95)).all()


def test_quantiles_leave_out_what_is_no_number():
    draws = np.r_[np.linspace(0, 1, 101), np.nan]
    assert quantiles(draws, 0.9) == pytest.approx((0.05, 0.95))
    assert np.isnan(quantiles(np.array([np.nan, np.inf - np.inf]), 0.9)).all()


def test_families_are_drawn_with_equal_chances():
    """Of three families two are drawn: each comes up 2/3 times on average, with a variance of 2 · 1/3 · 2/3."""
    weights = family_weights(np.array([5, 8, 8, 2]), 20_000, np.random.default_rng(0))
    assert weights.mean(axis=0) == pytest.approx([2 / 3] * 4, abs=0.02)
    assert weights.var(axis=0) == pytest.approx([4 / 9] * 4, abs=0.02)
    assert family_weights(np.zeros(3, int), 4, np.random.default_rng(0)).tolist() == [[1.0] * 3] * 4


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_of_a_trend_are_students_over_models(level):
    """Of a straight line with independent errors and one model a family, as least squares has them, up to the noise of 200
    models."""
    rng = np.random.default_rng(2)
    x = rng.uniform(0.2, 0.8, 200)
    y = 0.1 + 0.7 * x + rng.normal(0, 0.03, 200)
    trend = fit_trend(x, y, np.arange(200), x_axis="linear", y_axis="linear", fit="ols", resamples=4000, level=level)
    design = np.column_stack([x, np.ones(200)])
    weights = np.linalg.lstsq(design, y, rcond=None)[0]
    left = y - design @ weights
    bread = np.linalg.inv(design.T @ design)
    errors = np.sqrt(np.diag(bread @ (design.T @ (design * left[:, None] ** 2)) @ bread))
    reach = norm.ppf(0.5 + level / 2)
    assert (trend.line.slope, trend.line.intercept) == pytest.approx(tuple(weights))
    for value, error, interval in zip(weights, errors, (trend.slope_interval, trend.intercept_interval), strict=True):
        assert interval == pytest.approx((value - reach * error, value + reach * error), abs=0.15 * error)
    places = np.array([0.1, 0.5])
    at = np.column_stack([places, np.ones(2)])
    spread = np.sqrt(np.diag(at @ bread @ (design.T @ (design * left[:, None] ** 2)) @ bread @ at.T))
    low, high = trend.band(places)
    assert low == pytest.approx(at @ weights - reach * spread, abs=0.15 * spread.max())
    assert high == pytest.approx(at @ weights + reach * spread, abs=0.15 * spread.max())
    assert (trend.n, trend.families, trend.level) == (200, 200, level)
    assert trend.r2_interval.low < trend.r2 < trend.r2_interval.high
    assert trend.spearman_interval.low < trend.spearman < trend.spearman_interval.high


def test_bands_are_on_the_axes_of_the_line():
    """Two families on the same probit line, so that every resample is it."""
    at = np.linspace(-1, 1, 10)
    trend = fit_trend(norm.cdf(at), norm.cdf(0.8 * at - 0.2), np.arange(10), fit="ols", resamples=50)
    low, high = trend.band(norm.cdf([0.5]))
    assert (low[0], high[0]) == pytest.approx((norm.cdf(0.2), norm.cdf(0.2)))


def test_a_line_needs_three_models():
    with pytest.raises(ValueError, match="three models"):
        fit_trend([0.5, 0.6], [0.4, 0.5], np.arange(2))
    assert fit_trend([0.5, 0.6, 0.8], [0.4, 0.5, 0.6], np.arange(3), resamples=10).n == 3
    with pytest.raises(ValueError, match="finite place"):
        fit_trend([0.4, 0.5, 0.6], [0.5, 0.6, 1.0], np.arange(3))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_accuracies_of_a_model_vary_by_jeffreys_posterior(level):
    """A sure line, y = x − 0.2: with one accuracy known the interval is that of the other's posterior."""
    x = np.linspace(0.3, 0.9, 12)
    options = {"x_axis": "linear", "y_axis": "linear", "fit": "ols", "resamples": 20_000, "level": level}
    trend = fit_trend(x, x - 0.2, np.arange(12), **options)
    tails = [0.5 - level / 2, 0.5 + level / 2]
    (low,), (high,) = robustness_intervals([0.7], [0.6], [np.nan], [50], trend)
    assert (low, high) == pytest.approx(beta.ppf(tails, 30.5, 20.5) - 0.5, abs=0.004)
    (low,), (high,) = robustness_intervals([0.7], [0.6], [100], [np.nan], trend)
    assert (low, high) == pytest.approx(0.8 - beta.ppf(tails, 70.5, 30.5)[::-1], abs=0.004)


def test_a_measure_that_is_no_share_is_taken_as_it_is():
    x = np.linspace(3, 9, 12)
    trend = fit_trend(x, x - 2, np.arange(12), x_axis="linear", y_axis="linear", fit="ols", resamples=50)
    (low,), (high,) = robustness_intervals([7.0], [6.0], [100], [100], trend)
    assert (low, high) == pytest.approx((1.0, 1.0))
    (low,), (high,) = robustness_intervals([1.0], [0.0], [100], [100], trend)  # shares of 1 and 0 are shares
    assert high - low > 0.01

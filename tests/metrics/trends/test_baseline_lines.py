"""The stored lines against the published figures that they were fitted on, and what they say of published models."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import linregress, norm
from sklearn.linear_model import HuberRegressor

from eyechart.metrics.intervals.mover import Estimate
from eyechart.metrics.trends.baseline_lines import baseline_lines, citation, find_line
from eyechart.metrics.trends.lines import Line

COLUMNS = {
    "imagenet-v2": ("val", "imagenetv2-matched-frequency-format-val"),
    "imagenet-sketch": ("val", "imagenet-sketch"),
    "imagenet-a": ("val-on-imagenet-a-classes", "imagenet-a"),
    "imagenet-r": ("val-on-imagenet-r-classes", "imagenet-r"),
    "objectnet": ("val-on-objectnet-classes", "objectnet-1.0-beta"),
    "imagenet-vid-robust": ("val-on-vid-robust-classes", "imagenet-vid-robust_pm0"),
    "imagenet-vid-robust-pm10": ("val-on-vid-robust-classes", "imagenet-vid-robust_pm10"),
    "stylized-imagenet": ("val", "stylized_imagenet"),
}
INFLATED = ("aws", "batch64", "subsample")


@pytest.fixture(scope="module")
def testbed(refdata):
    """All models by name, and the names of the baseline."""
    folder = refdata / "imagenet-testbed"
    with (folder / "model_types.csv").open() as file:
        standard = {r["model"] for r in csv.DictReader(file) if r["natural_type"] == "STANDARD"}
    with (folder / "robustness_top1s.csv").open() as file:
        rows = {r["model"]: r for r in csv.DictReader(file)}
    names = [m for m in rows if m in standard and not any(w in m for w in INFLATED) and float(rows[m]["val"] or 0) >= 55]
    return rows, names


def points(testbed, shift):
    rows, names = testbed
    x, y = COLUMNS[shift]
    pairs = np.array([(float(rows[m][x]), float(rows[m][y])) for m in names if rows[m][x] and rows[m][y]]) / 100
    return norm.ppf(pairs[(pairs > 0).all(axis=1) & (pairs < 1).all(axis=1)]).T


@pytest.mark.refdata
@pytest.mark.parametrize("shift", COLUMNS)
def test_stored_lines_are_those_of_the_published_figures(testbed, shift):
    x, y = points(testbed, shift)
    fitted = linregress(x, y)
    stored = find_line("imagenet", shift, fit="ols")
    assert (stored.line.slope, stored.line.intercept) == pytest.approx((fitted.slope, fitted.intercept), abs=5e-4)
    assert stored.r2 == pytest.approx(fitted.rvalue**2, abs=5e-4)
    assert stored.n == len(x)
    huber = HuberRegressor(max_iter=1000).fit(x[:, None], y)
    stored = find_line("imagenet", shift, fit="huber")
    assert (stored.line.slope, stored.line.intercept) == pytest.approx((huber.coef_[0], huber.intercept_), abs=2e-3)


@pytest.mark.refdata
@pytest.mark.parametrize("shift", ["imagenet-v2", "objectnet", "imagenet-r"])
def test_doubts_about_a_line_are_of_the_size_of_its_standard_errors(testbed, shift):
    """The bootstrap does not assume equal scatter along the line, so that it agrees in size and not in digits."""
    fitted = linregress(*points(testbed, shift))
    slope, _, intercept = find_line("imagenet", shift, fit="ols").covariance
    assert 0.5 < np.sqrt(slope) / fitted.stderr < 2
    assert 0.5 < np.sqrt(intercept) / fitted.intercept_stderr < 2


@pytest.mark.refdata
@pytest.mark.parametrize(
    ("shift", "resnet", "vit"),
    [
        ("imagenet-v2", 5.95, 5.68),
        ("objectnet", 17.94, 17.95),
        ("imagenet-r", 32.89, 38.77),
        ("imagenet-sketch", 23.21, 28.17),
    ],
)
def test_published_effective_robustness_of_clip(testbed, shift, resnet, vit):
    rows, _ = testbed
    line = find_line("imagenet", shift, fit="ols")
    for model, expected in (("resnet50_clip_zeroshot", resnet), ("vit_b_32_clip_zeroshot", vit)):
        source, shifted = (Estimate(*3 * [float(rows[model][c]) / 100]) for c in COLUMNS[shift])
        value, _ = line.effective_robustness(source, shifted)
        assert 100 * value == pytest.approx(expected, abs=0.01)


def test_every_line_is_whole():
    assert len(baseline_lines()) == 60
    assert "Taori" in citation()
    assert find_line("imagenet", "imagenet-v2", axis="logit", fit="ols").line.slope == pytest.approx(0.9232, abs=5e-5)
    assert find_line("imagenet", "no such set") is None


def test_the_interval_is_that_of_both_accuracies_and_the_line():
    """With a line that is certain and a source that is, only the shifted accuracy is left in doubt."""
    line = find_line("imagenet", "imagenet-v2", fit="ols")
    sure = type(line)(**{**line.__dict__, "covariance": (0.0, 0.0, 0.0)})
    source, shifted = Estimate(0.7, 0.7, 0.7), Estimate(0.6, 0.55, 0.64)
    value, (low, high) = sure.effective_robustness(source, shifted)
    assert (value - low, high - value) == pytest.approx((0.05, 0.04))
    _, (wider_low, wider_high) = line.effective_robustness(source, shifted)
    assert wider_low < low and wider_high > high


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_doubts_about_the_line_are_those_of_its_covariance(level):
    """Slopes and intercepts drawn with that covariance; the source's own doubt is added in quadrature (delta method)."""
    slope, intercept, covariance = 0.9, -0.3, (0.04, -0.03, 0.05)
    line = replace(find_line("imagenet", "imagenet-v2"), line=Line(slope, intercept), covariance=covariance)
    at = norm.ppf(0.8)
    a, b, c = covariance
    z = norm.ppf(0.5 + level / 2)
    half = z * np.sqrt(np.array([at, 1]) @ np.array([[a, b], [b, c]]) @ np.array([at, 1]))
    middle = slope * at + intercept
    sure = line.expected(Estimate(0.8, 0.8, 0.8), level)
    assert sure == pytest.approx(norm.cdf([middle, middle - half, middle + half]))
    found = line.expected(Estimate(0.8, 0.7, 0.85), level)
    below, above = (np.hypot(slope * (at - norm.ppf(end)), half) for end in (0.7, 0.85))
    assert found == pytest.approx(norm.cdf([middle, middle - below, middle + above]))


def test_an_accuracy_that_the_axis_cannot_hold_has_no_robustness():
    line = find_line("imagenet", "imagenet-v2")
    value, _ = line.effective_robustness(Estimate(1.0, 0.9, 1.0), Estimate(0.9, 0.8, 1.0))
    assert np.isnan(value)


def test_intervals_of_effective_robustness_cover_the_truth():
    """Models on a known line, measured on 2,000 and 1,000 pictures; the line itself drawn with the stored doubts."""
    line = find_line("imagenet", "objectnet", fit="ols")
    rng, hits = np.random.default_rng(5), 0
    (vaa, vab, vbb), truth = line.covariance, 0.05
    drawn = rng.multivariate_normal([line.line.slope, line.line.intercept], [[vaa, vab], [vab, vbb]], 2000)
    for slope, intercept in drawn:
        expected = norm.cdf(line.line.slope * norm.ppf(0.7) + line.line.intercept)
        source, shifted = (share(rng.binomial(n, p), n) for n, p in ((2000, 0.7), (1000, expected + truth)))
        stored = type(line)(**{**line.__dict__, "line": type(line.line)(slope, intercept)})
        _, (low, high) = stored.effective_robustness(source, shifted)
        hits += low <= truth <= high
    assert 0.93 <= hits / 2000 <= 0.97


def share(hits, n):
    p = hits / n
    half = 1.96 * np.sqrt(p * (1 - p) / n)
    return Estimate(p, p - half, p + half)

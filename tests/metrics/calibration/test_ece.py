"""ECE and its kin: worked by hand, against netcal, and on populations whose gaps are known."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from eyechart.metrics.calibration import consistency
from eyechart.metrics.calibration.classwise import classwise_ece
from eyechart.metrics.calibration.consistency import calibrated_gaps, calibrated_mean_interval, wider
from eyechart.metrics.calibration.ece import ece, ece_intervals, gaps, make_bins, reliability, rms_ece
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.calibration.readout import probabilities
from eyechart.metrics.intervals import Interval
from eyechart.metrics.vectors import unit


def test_a_hand_worked_case():
    # Bins of a tenth: (0.5, 0.6] has 0.6 right; (0.7, 0.8] has 0.8 right; (0.8, 0.9] has 0.9 right and 0.9 wrong.
    confidence, right = [0.9, 0.9, 0.8, 0.6], [1, 0, 1, 1]
    assert ece(confidence, right, count=10) == pytest.approx(0.4 / 4 + 0.2 / 4 + 2 * 0.4 / 4)
    assert rms_ece(confidence, right, count=10) == pytest.approx(np.sqrt((0.16 + 0.04 + 2 * 0.16) / 4))


def test_gaps_of_one_bin_cancel_and_those_of_two_do_not():
    assert ece([0.55, 0.55], [0, 1], count=1) == pytest.approx(0.05)
    assert ece([0.3, 0.8], [1, 0], count=2) == pytest.approx((0.7 + 0.8) / 2)


@pytest.mark.parametrize(("bins", "netcal"), [(10, 0.18105341255175278), (15, 0.19646586009822437), (25, 0.20075305727545245)])
def test_ece_agrees_with_netcal(bins, netcal):
    """Figures of netcal 1.3.6, `ECE(bins).measure`, on the same 400 confidences; it is no dependency of ours."""
    i = np.arange(1, 401)
    confidence = 0.2 + 0.79 * np.mod(i * 0.6180339887498949, 1)
    right = np.mod(i * 0.7548776662466927, 1) < confidence + 0.3 * np.sin(12 * confidence)
    assert ece(confidence, right, bins) == pytest.approx(netcal, abs=1e-12)


def test_bins_of_equal_width_end_at_one():
    assert make_bins([], 4).edges.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert len(make_bins([])) == 15


def test_bins_are_closed_on_the_right():
    assert make_bins([], 15).of([0.0, 1 / 15, np.nextafter(1 / 15, 1), 2 / 15, 14 / 15, 1.0]).tolist() == [0, 0, 1, 1, 13, 14]
    assert make_bins([], 10).of([0.1, 0.3, 0.7]).tolist() == [0, 2, 6]


def test_bins_of_equal_mass_keep_equal_confidences_together():
    confidence = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9, 0.9, 0.9]
    bins = make_bins(confidence, 3, "equal-mass")
    assert bins.of(confidence).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    tied = [0.5] * 6 + [0.9] * 2
    assert make_bins(tied, 4, "equal-mass").of(tied).tolist() == [0] * 6 + [1] * 2
    # Both bins of three lie by 0.8 − 2/3 off, on average of their confidences.
    assert ece([0.7, 0.8, 0.9, 0.7, 0.8, 0.9], [1, 1, 0, 1, 0, 1], 1, "equal-mass") == pytest.approx(0.8 - 4 / 6)


def test_certain_answers_fall_into_the_last_bin_of_equal_mass():
    sure = [0.2, 0.4, 1.0, 1.0, 1.0, 1.0]
    assert make_bins(sure, 3, "equal-mass").of(sure).tolist() == [0, 0, 1, 1, 1, 1]


FORMS = {
    "overconfident": lambda c: 0.9 * c**2,
    "a little overconfident": lambda c: np.clip(c - 0.05, 0, 1),
    "both": lambda c: np.clip(c + 0.08 * np.sin(9 * c), 0, 1),
    "calibrated": lambda c: c,
}


def population_ece(form):
    """Over the bins, by fine quadrature."""
    share = (np.arange(50_000) + 0.5) / 50_000
    confidence = beta.ppf(share, 5, 2)
    place = np.ceil(confidence * 15).astype(int)
    return np.abs(np.bincount(place, confidence - form(confidence))).sum() / len(share)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "n"), [("overconfident", 400), ("a little overconfident", 1500), ("both", 1000)])
def test_the_interval_covers_the_gaps_of_a_population(form, n):
    low, high, truth = drawn_intervals(form, n, 200)
    assert 179 <= ((low <= truth) & (truth <= high)).sum() <= 198


@pytest.mark.slow
@pytest.mark.parametrize(("form", "n"), [("calibrated", 300), ("a little overconfident", 300)])
def test_where_noise_rules_the_interval_covers_at_least(form, n):
    """ECE of a calibrated model is never 0; the interval must hold 0 all the same."""
    low, high, truth = drawn_intervals(form, n, 200)
    assert ((low <= truth) & (truth <= high)).sum() >= 183


def drawn_intervals(form, n, draws):
    rng = np.random.default_rng(11)
    found = []
    for draw in range(draws):
        confidence = rng.beta(5, 2, n)
        right = rng.random(n) < FORMS[form](confidence)
        found.append(ece_intervals(gaps(confidence, right), seed=draw, resamples=300)[0])
    low, high = np.array(found).T
    return low, high, population_ece(FORMS[form])


def test_copies_of_pictures_add_nothing():
    rng = np.random.default_rng(2)
    confidence = rng.beta(5, 2, 200)
    right = rng.random(200) < confidence**3
    once = ece_intervals(gaps(confidence, right), seed=1)
    copied = gaps(np.repeat(confidence, 6), np.repeat(right, 6))
    assert ece_intervals(copied, seed=1, clusters=np.repeat(np.arange(200), 6))[0] == pytest.approx(once[0])
    assert np.ptp(ece_intervals(copied, seed=1)[0]) < 0.6 * np.ptp(once[0])


def test_the_table_of_a_reliability_diagram():
    table = reliability([0.9, 0.85, 0.95, 0.3], [1, 0, 1, 0], count=5)
    assert table["confidence"] == pytest.approx([0.3, 0.9])
    assert table["accuracy"] == pytest.approx([0.0, 2 / 3])
    assert table["pictures"].tolist() == [1, 3]
    assert table["high"][1] == pytest.approx(binomtest(2, 3).proportion_ci(method="wilson").high)


def naive_classwise(p, truth, count):
    """Class by class and bin by bin, as the formula stands."""
    n, classes = p.shape
    error = 0.0
    for c in range(classes):
        for b in range(count):
            inside = (p[:, c] > b / count) & (p[:, c] <= (b + 1) / count)
            if inside.any():
                error += inside.sum() / n * abs((truth[inside] == c).mean() - p[inside, c].mean()) / classes
    return error


@pytest.fixture(scope="module")
def sampled():
    """Logits of a model, and truths drawn from its own probabilities: it is calibrated."""
    rng = np.random.default_rng(5)
    images, classes = (rng.normal(size=(k, 6)).astype(np.float32) for k in (700, 4))
    logits = CosineLogits(images, classes, 0.8)
    p = np.concatenate([probabilities(block) for _, block in logits.blocks()])
    truth = (rng.random((700, 1)) > p.cumsum(axis=1)).sum(axis=1)
    return logits, p, truth


@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_classwise_ece_agrees_with_its_formula(sampled, temperature):
    logits, p, truth = sampled
    p = p ** (1 / temperature)
    p /= p.sum(axis=1, keepdims=True)
    value, (low, high) = classwise_ece(logits, truth, make_bins([], 15), temperature, seed=0)
    assert value == pytest.approx(naive_classwise(p, truth, 15))
    assert low <= value <= high
    assert (low == 0) == (temperature == 1.0)


@pytest.mark.slow
def test_the_interval_of_classwise_ece_holds_0_for_a_calibrated_model():
    rng = np.random.default_rng(8)
    alarms = 0
    for draw in range(200):
        logits = CosineLogits(rng.normal(size=(400, 5)).astype(np.float32), rng.normal(size=(6, 5)).astype(np.float32), 0.7)
        p = np.concatenate([probabilities(block) for _, block in logits.blocks()])
        truth = (rng.random((400, 1)) > p.cumsum(axis=1)).sum(axis=1)
        alarms += classwise_ece(logits, truth, make_bins([], 15), seed=draw)[1].low > 0
    assert alarms <= 18


def test_many_classes_with_few_pictures_each_are_no_gap():
    """Of 60 classes × 15 bins most cells hold a picture or two, and noise alone makes a sum that hardly varies."""
    rng = np.random.default_rng(9)
    alarms = []
    for draw in range(20):
        classes = unit(rng.normal(size=(60, 32)).astype(np.float32))
        images = unit(classes[np.arange(600) % 60] + 0.2 * rng.normal(size=(600, 32)).astype(np.float32))
        logits = CosineLogits(images, classes, 12.0)
        p = np.concatenate([probabilities(block) for _, block in logits.blocks()])
        truth = (rng.random((600, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, 59)
        quiet, loud = (classwise_ece(logits, truth, make_bins([], 15), t, seed=draw)[1].low for t in (1.0, 0.3))
        alarms.append((quiet > 0, loud > 0))
    assert np.sum(alarms, axis=0).tolist() == [0, 20]


def test_a_model_that_keeps_its_word_has_these_gaps():
    """Two answers at 60% in one bin: both right in 36% of the draws, one in 48%, none in 16%."""
    found = gaps([0.6, 0.6, 0.9], [1, 0, 1], count=5)
    (draws,) = calibrated_gaps([found], [[0.6, 0.6, 0.9]], seed=0, resamples=20_000)
    values, counts = np.unique(draws[:, 2].round(6), return_counts=True)
    assert values == pytest.approx([-0.8 / 3, 0.2 / 3, 1.2 / 3], abs=1e-6)
    assert counts / 20_000 == pytest.approx([0.36, 0.48, 0.16], abs=0.015)
    assert (draws[:, 4] > 0).mean() == pytest.approx(0.1, abs=0.01)
    assert not draws[:, [0, 1, 3]].any()


def test_draws_do_not_depend_on_the_blocks_they_are_made_in(monkeypatch):
    found, confidence = gaps([0.6, 0.6, 0.9], [1, 0, 1], count=5), [0.6, 0.6, 0.9]
    whole = calibrated_gaps([found, found], [confidence, [0.5, 0.6, 0.7]], seed=3, resamples=7)
    monkeypatch.setattr(consistency, "_BLOCK", 6)  # two draws at a time, and one at the end
    alone = [calibrated_gaps([found], [p], seed=3, resamples=7)[0] for p in (confidence, [0.5, 0.6, 0.7])]
    assert np.array_equal(alone, whole)  # nor on what is measured beside them


def test_copies_of_a_picture_keep_its_word_together():
    found = gaps([0.6] * 4, [1, 1, 0, 0])
    (draws,) = calibrated_gaps([found], [[0.6] * 4], seed=0, clusters=np.array([7, 7, 7, 7]), resamples=200)
    assert set(draws.sum(axis=1).round(6)) == {-0.4, 0.6}


def test_the_wider_of_two_intervals():
    assert wider(Interval(0.1, 0.4), Interval(0.2, 0.5)) == (0.1, 0.5)


def test_answers_that_are_all_right_do_not_prove_that_a_model_is_too_modest():
    """Two hundred answers at 99%, all right: as likely as 0.99²⁰⁰ = 13%. The standard error is that of a binomial share."""
    low, high = calibrated_mean_interval(-0.01, np.full(200, 0.99))
    assert (low, high) == pytest.approx((-0.01 - 1.96 * np.sqrt(0.0099 / 200), -0.01 + 1.96 * np.sqrt(0.0099 / 200)), rel=1e-3)
    copied = calibrated_mean_interval(-0.01, np.full(200, 0.99), np.arange(200) // 4)
    assert np.ptp(copied) == pytest.approx(2 * (high - low))

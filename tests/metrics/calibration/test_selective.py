import numpy as np
import pytest

from eyechart.metrics.calibration.selective import aurc, aurc_influence, aurc_interval, risk_coverage, selective_risks
from eyechart.metrics.intervals import wilson


def test_a_hand_worked_curve():
    # Surest first: right, wrong, right, wrong. Errors among the first k: 0, 1/2, 1/3, 1/2.
    confidence, wrong = [0.6, 0.9, 0.7, 0.8], [1, 0, 0, 1]
    coverage, risk = risk_coverage(confidence, wrong)
    assert coverage == pytest.approx([0.25, 0.5, 0.75, 1.0])
    assert risk == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert aurc(confidence, wrong) == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert [risk for risk, _ in selective_risks(confidence, wrong, [0.75, 0.5], seed=0)] == pytest.approx([1 / 3, 1 / 2])


def test_equal_confidences_come_in_together():
    coverage, risk = risk_coverage([0.9, 0.5, 0.5], [0, 1, 0])
    assert coverage == pytest.approx([1 / 3, 1])
    assert risk == pytest.approx([0, 1 / 3])
    assert selective_risks([0.9, 0.5, 0.5], [0, 1, 0], [0.5], seed=0)[0][0] == pytest.approx(1 / 3)


def test_a_confidence_that_says_nothing_gives_the_overall_error():
    assert aurc(np.ones(10), [1] * 3 + [0] * 7) == pytest.approx(0.3)


def test_the_influence_is_the_derivative():
    """Each row's weight moved a little, the area computed anew."""
    rng = np.random.default_rng(0)
    confidence, wrong = rng.random(60).round(1), (rng.random(60) < 0.4).astype(float)
    value, influence = aurc_influence(confidence, wrong)

    def weighted(weights):
        levels = np.unique(confidence)[::-1]
        taken = np.array([weights[confidence >= s].sum() for s in levels])
        errors = np.array([(weights * wrong)[confidence >= s].sum() for s in levels])
        at = np.array([weights[confidence == s].sum() for s in levels])
        return (at * errors / taken).sum() / weights.sum()

    assert weighted(np.ones(60)) == pytest.approx(value)
    step = 1e-6
    for row in range(0, 60, 7):
        moved = np.ones(60)
        moved[row] += step
        assert (weighted(moved) - value) / step == pytest.approx(influence[row], abs=1e-5)


def drawn(rng, n):
    confidence = rng.random(n)
    return confidence, rng.random(n) > 0.4 + 0.55 * confidence


@pytest.mark.slow
def test_intervals_cover_the_truth():
    """The chance of a mistake is 0.6 − 0.55 c at confidence c, even over 0 to 1. Among those above s it is 0.6 − 0.275 (1 + s);
    the mean over s: 0.1875. At half coverage: s = 0.5."""
    rng = np.random.default_rng(1)
    hits = np.zeros(2)
    for draw in range(1000):
        confidence, wrong = drawn(rng, 250)
        _, (low, high) = aurc_interval(confidence, wrong)
        hits[0] += low <= 0.1875 <= high
        if draw < 200:
            ((_, (low, high)),) = selective_risks(confidence, wrong, [0.5], seed=draw, resamples=400)
            hits[1] += low <= 0.6 - 0.275 * 1.5 <= high
    assert 0.93 <= hits[0] / 1000 <= 0.97
    assert 179 <= hits[1] <= 198


def test_copies_of_pictures_add_nothing():
    confidence, wrong = drawn(np.random.default_rng(2), 100)
    rows = np.repeat(np.arange(100), 5)
    once, copied = aurc_interval(confidence, wrong), aurc_interval(confidence[rows], wrong[rows], rows)
    assert copied[0] == pytest.approx(once[0])
    assert copied[1] == pytest.approx(once[1])


def test_coverages_measured_together_are_those_measured_alone():
    confidence, wrong = drawn(np.random.default_rng(3), 300)
    together = selective_risks(confidence, wrong, [0.5, 0.9], seed=4, resamples=50)
    assert together == [selective_risks(confidence, wrong, [c], seed=4, resamples=50)[0] for c in (0.5, 0.9)]


def test_no_mistake_among_the_surest_is_no_proof_that_there_is_none():
    """All of the surest 60 are right: Wilson's upper end for 0 of 60."""
    confidence, wrong = np.linspace(0, 1, 120), np.arange(120) < 30
    ((value, (low, high)),) = selective_risks(confidence, wrong, [0.5], seed=0)
    assert (value, low) == (0, 0)
    assert high == pytest.approx(float(wilson(0, 60)[1]))


@pytest.mark.parametrize(("error", "n"), [(0.01, 100), (0.03, 100), (0.03, 400)])
def test_few_mistakes_are_covered_at_least(error, n):
    """Confidence says nothing here, so the truth is the error; one mistake among a hundred may lie anywhere."""
    rng, hits = np.random.default_rng(2), 0
    for _ in range(400):
        _, (low, high) = aurc_interval(rng.random(n), rng.random(n) < error)
        hits += low <= error <= high
    assert hits >= 0.93 * 400


@pytest.mark.parametrize("wrong", [0.0, 1.0])
def test_answers_that_are_all_alike_still_have_an_interval(wrong):
    value, interval = aurc_interval(np.linspace(0, 1, 40), np.full(40, wrong))
    assert value == wrong
    assert interval == pytest.approx([float(end) for end in wilson(40 * wrong, 40)])

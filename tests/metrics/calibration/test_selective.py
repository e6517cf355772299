import numpy as np
import pytest

from eyechart.metrics.calibration.selective import aurc, aurc_influence, aurc_interval, risk_coverage, selective_risks
from eyechart.metrics.intervals import wilson


def selective_risk(confidence, wrong, coverage, **more):
    (found,) = selective_risks(confidence, wrong, [coverage], **more)
    return found


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


def jackknifed(confidence, wrong, clusters):
    """AURC and its standard error, leaving out one cluster at a time."""
    numbers = np.unique(clusters)
    without = np.array([aurc(confidence[clusters != c], wrong[clusters != c]) for c in numbers])
    k = len(numbers)
    return np.sqrt((k - 1) / k * ((without - without.mean()) ** 2).sum())


@pytest.mark.parametrize("copies", [1, 3])
def test_the_interval_of_aurc_is_normal_on_the_log_scale(copies):
    confidence, wrong = drawn(np.random.default_rng(3), 400)
    clusters = np.arange(400) // copies
    value, (low, high) = aurc_interval(confidence, wrong, None if copies == 1 else clusters)
    error = jackknifed(confidence, wrong, clusters)
    assert value == pytest.approx(aurc(confidence, wrong))
    assert (low, high) == pytest.approx(value * np.exp(np.array([-1, 1]) * 1.959964 * error / value), rel=0.02)


def few_wrong(n, errors, sure):
    """So many errors among n, all of them among the least (or most) confident."""
    confidence = np.linspace(1, 0, n)
    wrong = np.arange(n) < errors if sure else np.arange(n) >= n - errors
    return confidence, wrong


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize("errors", [9, 51])
def test_with_fewer_than_ten_errors_or_correct_answers_aurc_may_be_what_wilson_leaves_open(errors, sure):
    confidence, wrong = few_wrong(60, errors, sure)
    value, (low, high) = aurc_interval(confidence, wrong)
    ratio = value / (errors / 60)
    ends = [float(end) for end in wilson(errors, 60)]
    assert low <= min(ratio, 1.0) * ends[0] + 1e-12
    assert high >= min(max(ratio, 1.0) * ends[1], 1.0) - 1e-12
    influence = aurc_influence(confidence, wrong)[1]
    half = 1.959964 * np.sqrt(60 / 59 * influence @ influence) / value
    expected = (min(value * np.exp(-half), min(ratio, 1) * ends[0]), max(value * np.exp(half), max(ratio, 1) * ends[1]))
    assert (low, high) == pytest.approx((expected[0], min(expected[1], 1.0)), rel=1e-6)


@pytest.mark.parametrize("errors", [10, 50])
def test_ten_errors_and_correct_answers_are_enough_for_aurc(errors):
    confidence, wrong = few_wrong(60, errors, sure=False)
    value, (low, high) = aurc_interval(confidence, wrong)
    influence = aurc_influence(confidence, wrong)[1]
    half = 1.959964 * np.sqrt(60 / 59 * influence @ influence) / value
    assert (low, high) == pytest.approx((value * np.exp(-half), min(value * np.exp(half), 1.0)), rel=1e-6)


def test_one_cluster_has_wilsons_interval_of_one():
    confidence, wrong = few_wrong(30, 3, sure=False)
    value, (low, high) = aurc_interval(confidence, wrong, np.zeros(30, int))
    assert low < value < high
    assert np.isfinite([low, high]).all()


@pytest.mark.parametrize("coverage", [0.5, 0.8, 1.0])
def test_selective_risk_is_resampled_with_its_threshold(coverage):
    """A bootstrap row by row."""
    rng = np.random.default_rng(4)
    confidence, wrong = drawn(rng, 200)
    value, (low, high) = selective_risk(confidence, wrong, coverage, seed=0, resamples=8000)

    def risk(rows):
        order = rows[np.argsort(-confidence[rows], kind="stable")]
        last = confidence[order[int(np.ceil(coverage * 200 - 1e-9)) - 1]]
        return wrong[order[confidence[order] >= last]].mean()

    draws = [risk(rng.integers(0, 200, 200)) for _ in range(3000)]
    assert value == pytest.approx(risk(np.arange(200)))
    assert (low, high) == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.02)


def test_pictures_of_a_cluster_are_resampled_together():
    confidence, wrong = drawn(np.random.default_rng(5), 200)
    rows = np.repeat(np.arange(200), 4)
    once = selective_risk(confidence, wrong, 0.8, seed=0, resamples=4000)
    copied = selective_risk(confidence[rows], wrong[rows], 0.8, seed=0, clusters=rows + 7, resamples=4000)
    assert copied[0] == pytest.approx(once[0])
    assert copied[1] == pytest.approx(tuple(once[1]), abs=0.02)


@pytest.mark.parametrize("errors", [0, 9, 41, 50])
@pytest.mark.parametrize("copies", [1, 2])
def test_few_errors_among_the_covered_have_at_least_wilsons_interval(errors, copies):
    """Fifty of a hundred pictures are covered; copies of a picture add nothing."""
    wrong = np.r_[np.random.default_rng(0).permutation(50) < errors, np.full(50, errors > 25)].repeat(copies)
    units = np.arange(100).repeat(copies)
    confidence = np.linspace(1, 0, 100 * copies)
    value, (low, high) = selective_risk(confidence, wrong, 0.5, seed=0, clusters=units + 3, resamples=500)
    ends = [float(end) for end in wilson(errors, 50)]
    assert value == pytest.approx(errors / 50)
    if copies == 1:
        assert low <= ends[0] + 1e-9 and high >= ends[1] - 1e-9
        assert (low == pytest.approx(ends[0])) or (high == pytest.approx(ends[1]))
    if errors in (0, 50):
        assert (low, high) == pytest.approx(ends)


@pytest.mark.parametrize("errors", [10, 40])
def test_ten_errors_among_the_covered_are_enough(errors):
    """The interval is the bootstrap's, whose ends are shares of fifty; Wilson's would be further in on one side."""
    wrong = np.r_[np.random.default_rng(0).permutation(50) < errors, np.full(50, errors > 25)]
    _, (low, high) = selective_risk(np.linspace(1, 0, 100), wrong, 0.5, seed=0, resamples=2000)
    ends = [float(end) for end in wilson(errors, 50)]
    assert low > ends[0] or high < ends[1]


def test_the_value_is_exact_where_places_are_joined():
    """3,000 different scores share 1,024 places while resampling."""
    confidence, wrong = drawn(np.random.default_rng(6), 3000)
    value, (low, high) = selective_risk(confidence, wrong, 0.3, seed=0, resamples=300)
    assert value == pytest.approx(wrong[np.argsort(-confidence)[:900]].mean())
    assert (low + high) / 2 == pytest.approx(value, abs=0.01)

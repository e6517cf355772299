"""AUROC, AUPR and FPR95 against scikit-learn, closed forms and a naive reading of each convention."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc

from eyechart.metrics.intervals.presorted import sort_once
from eyechart.metrics.ranking.auroc import aupr, aupr_at, auroc, auroc_at, fpr95, fpr95_at, roc_curve, sides, thinned


@pytest.fixture(params=["continuous", "ties", "few"])
def scores(request):
    rng = np.random.default_rng(3)
    inside, outside = rng.normal(1, 1, 400), rng.normal(0, 2, 250)
    if request.param == "ties":
        return inside.round(1), outside.round(1)
    if request.param == "few":
        return np.array([3.0, 2.0, 2.0]), np.array([2.0, 1.0])
    return inside, outside


def joined(inside, outside):
    return np.repeat([1, 0], [len(inside), len(outside)]), np.concatenate([inside, outside])


def test_auroc_agrees_with_sklearn(scores):
    assert auroc(*scores) == pytest.approx(roc_auc_score(*joined(*scores)), abs=1e-12)


def test_weighted_auroc_agrees_with_sklearn(scores):
    inside, outside = scores
    weights = np.random.default_rng(4).uniform(0.5, 2, len(outside))
    _, high, low = sides(inside, outside, weights)
    expected = roc_auc_score(*joined(inside, outside), sample_weight=np.concatenate([np.ones(len(inside)), weights]))
    assert float(auroc_at(high, low)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("broken", [([np.nan, 1.0], [0.0]), ([1.0], [0.0, np.nan]), ([], [1.0]), ([1.0], [])])
def test_missing_scores_are_refused(broken):
    with pytest.raises(ValueError, match="score"):
        auroc(*broken)


def test_auprs_agree_with_sklearn(scores):
    truth, score = joined(*scores)
    assert aupr(*scores) == pytest.approx(average_precision_score(truth, score), abs=1e-12)
    assert aupr(*scores, "out") == pytest.approx(average_precision_score(1 - truth, -score), abs=1e-12)


def test_fpr95_at_the_quantile_is_what_numpy_says(scores):
    inside, outside = scores
    assert fpr95(inside, outside) == pytest.approx((outside >= np.quantile(inside, 0.05)).mean())


def test_fpr95_of_openood_is_the_first_point_of_sklearns_curve(scores):
    truth, score = joined(*scores)
    wrong, found, _ = sklearn_roc(1 - truth, -score, drop_intermediate=False)
    assert fpr95(*scores, "openood") == pytest.approx(wrong[np.argmax(found >= 0.95)])


def test_fpr95_of_mcm_is_read_where_recall_comes_nearest(scores):
    inside, outside = scores
    thresholds = np.unique(np.concatenate([inside, outside]))  # rising: among equally near ones the lowest is met first
    recalls = [np.mean(inside >= t) for t in thresholds]
    full = max(t for t, r in zip(thresholds, recalls, strict=True) if r == 1.0)
    nearest = min((t for t in thresholds if t >= full), key=lambda t: (abs(np.mean(inside >= t) - 0.95), t))
    assert fpr95(inside, outside, "mcm") == pytest.approx(np.mean(outside >= nearest))


def test_conventions_of_mcm_and_the_quantile_differ_where_they_should():
    # 19 of 20 inside scores lie above every outside one. Recall is 95% for any threshold above 10 and up to 11.
    inside, outside = np.arange(10, 30.0), np.array([10.0, 10.2, 10.4, 10.6])
    assert fpr95(inside, outside, "id-quantile") == 0.0  # threshold 10.95
    assert fpr95(inside, outside, "mcm") == 0.75  # threshold 10.2
    assert fpr95(inside, outside, "openood") == 0.05  # all are found at 10.6, and one inside score with them


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        (2.0, {"id-quantile": 0.6264, "mcm": 0.6264, "openood": 0.9890}),
        (1.0, dict.fromkeys(["id-quantile", "mcm", "openood"], 0.7405)),
    ],
)
def test_closed_form_of_two_gaussians(spread, expected):
    """Exact quantiles of N(1, 1) and N(0, spread²) in the place of draws from them."""
    share = (np.arange(200_000) + 0.5) / 200_000
    inside, outside = norm.ppf(share, 1, 1), norm.ppf(share, 0, spread)
    for convention, value in expected.items():
        assert fpr95(inside, outside, convention) == pytest.approx(value, abs=1e-4)
    assert auroc(inside, outside) == pytest.approx(norm.cdf(1 / np.hypot(1, spread)), abs=1e-5)


def test_roc_curve_is_that_of_sklearn(scores):
    ours = np.column_stack(roc_curve(*scores, points=10_000))
    truth, score = joined(*scores)
    wrong, found, _ = sklearn_roc(truth, score, drop_intermediate=False)
    assert ours == pytest.approx(np.column_stack([wrong, found]))


def test_a_thin_roc_curve_keeps_its_ends_and_its_area():
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(1, 1, 20_000), rng.normal(0, 1, 20_000)
    x, y = roc_curve(inside, outside, points=100)
    assert len(x) <= 101
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    assert np.trapezoid(y, x) == pytest.approx(auroc(inside, outside), abs=2e-3)


@pytest.mark.parametrize("measure", [auroc, aupr, fpr95])
def test_an_empty_group_or_a_score_that_is_no_number_is_refused(measure):
    with pytest.raises(ValueError, match="both groups"):
        measure([], [1.0])
    with pytest.raises(ValueError, match=r"NaN|finite"):
        measure([np.nan], [1.0])


def test_an_unknown_convention_is_named():
    with pytest.raises(ValueError, match="'tpr' is not one of id-quantile, mcm, openood"):
        fpr95([1.0], [0.0], "tpr")


@pytest.mark.parametrize("tied", [False, True])
def test_many_weightings_at_once_are_those_of_written_out_scores(tied):
    """A resample is a row of counts: every measure is that of the scores repeated so often."""
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 12, 60).astype(float) if tied else rng.normal(size=60)
    inside = np.arange(60) < 35
    scores = scores + inside
    places = sort_once(scores)
    counts = np.concatenate([rng.multinomial(35, np.full(35, 1 / 35), 8), rng.multinomial(25, np.full(25, 1 / 25), 8)], axis=1)
    high, low = (np.stack([places.weigh(row * side) for row in counts]) for side in (inside, ~inside))
    written = [(np.repeat(scores[inside], row[inside]), np.repeat(scores[~inside], row[~inside])) for row in counts]
    assert auroc_at(high, low) == pytest.approx([auroc(*pair) for pair in written])
    for side in ("in", "out"):
        assert aupr_at(high, low, side) == pytest.approx([aupr(*pair, side) for pair in written])
    for convention in ("id-quantile", "mcm", "openood"):
        expected = [fpr95(*pair, convention) for pair in written]
        assert fpr95_at(places, high, low, convention) == pytest.approx(expected), convention


@pytest.mark.parametrize("n", [1, 2, 19, 20, 21, 40, 41])
def test_quantiles_of_few_scores_are_numpys(n):
    """Where 5% of n − 1 is a whole number, and where it is not."""
    rng = np.random.default_rng(n)
    inside, outside = rng.normal(size=n), np.linspace(-3, 3, 301)
    assert fpr95(inside, outside) == pytest.approx((outside >= np.quantile(inside, 0.05)).mean())


def test_a_score_at_the_threshold_is_accepted():
    """21 scores: the 5% quantile is the second lowest."""
    inside = np.arange(21.0)
    assert fpr95(inside, [1.0, np.nextafter(1.0, 0)]) == 0.5


def test_a_curve_is_thinned_evenly_along_its_way():
    x = np.linspace(0, 1, 1001)
    few_x, few_y = thinned(x, 2 * x, 11)
    assert few_x == pytest.approx(np.linspace(0, 1, 11), abs=2e-3)
    assert few_y == pytest.approx(2 * few_x)
    corner_x, corner_y = thinned(np.r_[np.zeros(500), np.linspace(0, 1, 500)], np.r_[np.linspace(0, 1, 500), np.ones(500)], 5)
    assert corner_x == pytest.approx([0, 0, 0, 0.5, 1], abs=0.01)
    assert corner_y == pytest.approx([0, 0.5, 1, 1, 1], abs=0.01)


@pytest.mark.parametrize(("points", "kept"), [(5, 5), (6, 5), (4, 4), (2, 2)])
def test_a_short_curve_stays_as_it_is(points, kept):
    x = np.arange(5.0)
    found, _ = thinned(x, x, points)
    assert len(found) == kept
    assert (found[0], found[-1]) == (0, 4)

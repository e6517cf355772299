"""Each class on its side of the limit: by hand, with SciPy's Wilson interval."""

from dataclasses import replace

import pytest
from scipy.stats import binomtest

from eyechart.probes.zero_shot.metrics import METRICS
from eyechart.verdict.class_check import check_classes
from eyechart.verdict.evidence import Evidence, Figure
from eyechart.verdict.targets import Judged

METRIC = next(metric for metric in METRICS if metric.name == "worst_class")


def figure(metric, value, n=100, name=None):
    low, high = binomtest(round((value or 0) * n), n).proportion_ci(method="wilson") if n else (None, None)
    where = f'{{"class":"{name}"}}' if name else "{}"
    return Figure("photos", "zero_shot", metric, "", "", where, value, low, high, n, "fraction")


def sides(classes, *, mean=0.8, chance=0.1, target=None, least_n=10):
    """classes: name → (share, pictures)."""
    figures = [figure("class_accuracy", share, n, name) for name, (share, n) in classes.items()]
    evidence = Evidence((figure("mean_per_class", mean), figure("chance", chance), *figures))
    judged = Judged("zero_shot", METRIC, replace(METRIC.limits, least_n=least_n), target)
    return [(f.where["class"], side) for f, side in check_classes(evidence, judged)]


def test_a_class_that_is_rarely_right_is_not_one_that_never_is():
    """One of 250 is right, and the limit of 0.5% is within its interval: nothing is known. Where none is right although four in
    five are elsewhere, the class is never right, whatever the interval says."""
    assert sides({"rare": (0.004, 250)}, target=0.005) == [("rare", "open")]
    assert sides({"never": (0.0, 250)}, target=0.005) == [("never", "low")]


def test_never_right_must_be_improbable():
    """With a mean of 10%, 20 pictures that are all wrong have a chance of 0.9^20 = 12%; 40 of 1.5%, times two classes 3%."""
    assert sides({"few": (0.0, 20)}, mean=0.1, target=0.005) == [("few", "open")]
    assert sides({"many": (0.0, 40), "other": (0.5, 40)}, mean=0.1, target=0.005)[0] == ("many", "low")
    assert sides({"many": (0.0, 40), **{f"c{i}": (0.5, 40) for i in range(3)}}, mean=0.1, target=0.005)[0] == ("many", "open")


def test_sides_by_the_interval_and_the_least_number_of_pictures():
    """The limit is a quarter of the way from chance: (1 + 0.1) / 4 = 27.5%."""
    found = sides({"low": (0.05, 100), "open": (0.3, 100), "within": (0.6, 100), "few": (0.0, 9)})
    assert dict(found) == {"low": "low", "open": "open", "within": "within", "few": "open"}


def test_a_class_below_its_limit_is_shown_with_its_corrected_interval():
    """0 of 12 is below 27.5% by its own interval, but not after the correction for ten classes."""
    names = {"dress": (0.0, 12), **{f"c{i}": (0.5, 12) for i in range(9)}}
    figures = [figure("class_accuracy", share, n, name) for name, (share, n) in names.items()]
    evidence = Evidence((figure("mean_per_class", 0.3), figure("chance", 0.1), *figures))
    judged = Judged("zero_shot", METRIC, METRIC.limits)
    placed = {f.where["class"]: (f, side) for f, side in check_classes(evidence, judged)}
    dress, side = placed["dress"]
    corrected = binomtest(0, 12).proportion_ci(1 - 0.05 / 10, method="wilson")
    assert dress.high < 0.275 < corrected.high and side == "open"
    assert dress.bounds.corrected == pytest.approx(tuple(corrected))
    shown = f"corrected for 10 classes: {100 * corrected.low:.1f} to {100 * corrected.high:.1f}%"
    assert shown in dress.compared_text and shown in dress.line
    above, _ = placed["c0"]
    assert above.bounds.corrected is None and "corrected" not in above.line


def test_the_lowest_come_first_and_of_equals_the_one_with_the_most_pictures():
    found = sides({"a": (0.5, 40), "b": (0.2, 40), "c": (0.5, 80), "d": (0.2, 80), "e": (0.2, 60)})
    assert [name for name, _ in found] == ["d", "e", "b", "c", "a"]


@pytest.mark.parametrize(("classes", "side"), [(2, "low"), (200, "open")])
def test_a_low_class_among_many_may_be_chance(classes, side):
    """2 of 30 are right: after Bonferroni's correction for two classes the upper end is below 27.5%, and for 200 above it."""
    upper = binomtest(2, 30).proportion_ci(1 - 0.05 / classes, method="wilson").high
    assert (upper < 0.275) == (side == "low")
    found = dict(sides({"x": (2 / 30, 30), **{f"c{i}": (0.9, 30) for i in range(classes - 1)}}))
    assert found["x"] == side


def test_versions_of_one_picture_are_no_evidence_of_a_class_that_is_never_right():
    """60 wrong answers about 60 pictures are enough; about versions of three pictures, whose interval is that of three, not."""
    alone, versions = figure("class_accuracy", 0.0, 60, "dress"), figure("class_accuracy", 0.0, 60, "dress")
    low, high = binomtest(0, 3).proportion_ci(method="wilson")
    versions = replace(versions, low=low, high=high)
    others = [figure("class_accuracy", 0.8, 60, f"c{i}") for i in range(3)]
    for dress, least_n, expected in ((alone, 10, "low"), (versions, 10, "open"), (versions, 3, "low"), (versions, 4, "open")):
        evidence = Evidence((figure("mean_per_class", 0.8), figure("chance", 0.1), dress, *others))
        judged = Judged("zero_shot", METRIC, replace(METRIC.limits, least_n=least_n))
        assert [side for f, side in check_classes(evidence, judged) if f.where["class"] == "dress"] == [expected]


@pytest.mark.parametrize(("mean", "n", "side"), [(0.14, 120, "low"), (0.14, 24, "open"), (0.25, 120, "open")])
def test_where_the_mean_over_classes_is_below_the_limit_the_lowest_class_is(mean, n, side):
    """The minimum is at most the mean. 24 pictures decide nothing, and the interval of 25% reaches above 27.5%."""
    figures = [figure("class_accuracy", 1 / 12, 12, f"c{i}") for i in range(10)]
    evidence = Evidence((figure("mean_per_class", mean, n), figure("chance", 0.1), *figures))
    found = list(check_classes(evidence, Judged("zero_shot", METRIC, METRIC.limits)))
    assert [s for _, s in found] == [side, *["open"] * 9]

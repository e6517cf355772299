"""Headline metrics and groups that predictions decide are compared picture by picture, on the pictures that both runs have."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest, false_discovery_control, norm
from sklearn.metrics import balanced_accuracy_score
from tests.comparison.runs import predictions, write_run

import eyechart
from eyechart.comparison.metric_differences import under_other_prompts
from eyechart.findings.finding import Finding

RNG = np.random.default_rng(5)
TRUTH = np.sort(RNG.integers(0, 4, 2000))
FIRST = np.where(RNG.random(2000) < 0.3, (TRUTH + 1) % 4, TRUTH)
SECOND = np.where(RNG.random(2000) < 0.1, (FIRST + 1) % 4, FIRST)
GROUP = RNG.choice(["old", "young"], 2000)


def finding(metric, value, **slice):
    return Finding(metric=metric, value=value, low=value - 0.2, high=value + 0.2, n=7, slice={"prompts": "single", **slice})


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    """The second run lacks the first 500 pictures. The findings have other values, so that a pairing can be told from them."""
    root = tmp_path_factory.mktemp("runs")
    values = {"a": 0.9, "b": 0.1}
    found = {
        name: [
            finding("mean_per_class", value), finding("worst_class", value, **{"class": "cat"}),
            *(finding("group_accuracy", value, attribute="age", group=group) for group in ("old", "young")),
            finding("group_accuracy", value, attribute="hat", group="red"),
        ]
        for name, value in values.items()
    }  # fmt: skip
    ids = [f"{row:05d}.jpg" for row in range(2000)]
    given = {"a": predictions(TRUTH, FIRST, attributes={"age": pa.array(GROUP)})}
    given["b"] = predictions(TRUTH[500:], SECOND[500:], ids=ids[500:], attributes={"age": pa.array(GROUP[500:])})
    runs = [write_run(root / name, {name: [given[name]]}, findings={name: found[name]}) for name in "ab"]
    return eyechart.compare(*runs)


def test_the_mean_over_classes_is_paired(comparison):
    (mean,) = [d for d in comparison.probes["b"] if d.metric.name == "mean_per_class"]
    one, two = (balanced_accuracy_score(TRUTH[500:], predicted[500:]) for predicted in (FIRST, SECOND))
    assert (mean.first.value, mean.second.value, mean.value) == pytest.approx((one, two, two - one))
    changes = (SECOND == TRUTH).astype(int)[500:] - (FIRST == TRUTH).astype(int)[500:]
    by_class = [changes[TRUTH[500:] == c] for c in range(4)]
    error = np.sqrt(sum(of.var() / len(of) for of in by_class)) / 4
    assert (mean.low, mean.high) == pytest.approx(
        (mean.value - norm.ppf(0.975) * error, mean.value + norm.ppf(0.975) * error), abs=2e-3
    )
    assert mean.p == pytest.approx(2 * norm.sf(abs(mean.value) / error), rel=0.3)
    assert mean.paired
    assert mean.how.startswith("paired by picture")


def test_the_worst_class_may_be_another_one_in_each_run(comparison):
    (worst,) = [d for d in comparison.probes["b"] if d.metric.name == "worst_class"]
    one, two = (min((predicted == TRUTH)[500:][TRUTH[500:] == c].mean() for c in range(4)) for predicted in (FIRST, SECOND))
    assert (worst.first.value, worst.second.value, worst.value) == pytest.approx((one, two, two - one))
    assert worst.low < worst.value < worst.high
    assert worst.paired


def test_groups_are_paired_where_predictions_have_their_attribute(comparison):
    groups = {d.slice: d for d in comparison.groups["b"]}
    old = next(d for slice, d in groups.items() if '"old"' in slice)
    rows = np.flatnonzero(GROUP == "old")
    rows = rows[rows >= 500]
    right, still = FIRST[rows] == TRUTH[rows], SECOND[rows] == TRUTH[rows]
    assert (old.first.value, old.second.value) == pytest.approx((right.mean(), still.mean()))
    gained, lost = int((still & ~right).sum()), int((right & ~still).sum())
    assert old.p == pytest.approx(binomtest(gained, gained + lost, 0.5).pvalue)
    assert old.paired
    hat = next(d for slice, d in groups.items() if '"hat"' in slice)
    assert not hat.paired, "no prediction has this attribute"
    assert hat.value == pytest.approx(0.1 - 0.9)


def test_equal_runs_keep_an_interval_about_zero(tmp_path):
    one, two = (write_run(tmp_path / name, {"a": [predictions(TRUTH, FIRST)]}) for name in ("one", "two"))
    differences = eyechart.compare(one, two).probes["a (two)"]
    assert [d.metric.name for d in differences] == ["mean_per_class", "worst_class"]
    assert [(d.value, d.p) for d in differences] == [(0.0, 1.0)] * 2
    assert all(d.low < 0 < d.high for d in differences)


def test_metrics_of_shifted_pictures_are_not_those_of_zero_shot(tmp_path):
    """zero_shot reports the examined pictures alone; accuracy on shifted ones is of the probe shift."""
    shifted = [replace(predictions(TRUTH, given), dataset="night") for given in (FIRST, SECOND)]
    runs = [
        write_run(tmp_path / name, {name: [part, predictions(TRUTH, given)]})
        for name, part, given in zip("ab", shifted, (FIRST, SECOND), strict=True)
    ]
    assert {d.dataset for d in eyechart.compare(*runs).probes["b"]} == {"photos"}


def test_groups_are_not_compared_among_the_classes_of_another_dataset(tmp_path):
    """The same pictures are also a shifted set of another dataset: among its classes the runs do not differ."""
    of_group = finding("group_accuracy", 0.5, attribute="age", group="old")
    ages = {"age": pa.array(GROUP)}
    runs = [
        write_run(
            tmp_path / name,
            {name: [predictions(TRUTH, given, attributes=ages)]},
            findings={name: [of_group]},
            shifted={name: predictions(TRUTH, FIRST, attributes=ages)},
        )
        for name, given in zip("ab", (FIRST, SECOND), strict=True)
    ]
    (old,) = eyechart.compare(*runs).groups["b"]
    members = GROUP == "old"
    assert old.paired
    assert old.value == pytest.approx((SECOND == TRUTH)[members].mean() - (FIRST == TRUTH)[members].mean())


def test_models_with_and_without_prompts_are_paired_too(tmp_path):
    one = write_run(tmp_path / "one", {"a": [predictions(TRUTH, FIRST)]})
    two = write_run(tmp_path / "two", {"b": [predictions(TRUTH, SECOND, prompts=None)]})
    mean, _ = eyechart.compare(one, two).probes["b"]
    assert mean.value == pytest.approx(balanced_accuracy_score(TRUTH, SECOND) - balanced_accuracy_score(TRUTH, FIRST))
    assert mean.slice == '{"prompts": "single"}'


def test_a_run_that_read_no_picture_is_compared_by_columns_and_classes(tmp_path):
    """A file of predictions needs no picture, so its dataset has another fingerprint."""
    read = {"fingerprint": "pictures", "fingerprint_without_pictures": "columns", "pictures_read": True}
    given = {"fingerprint": "ids", "fingerprint_without_pictures": "columns", "pictures_read": False}
    one = write_run(tmp_path / "one", {"a": [predictions(TRUTH, FIRST)]}, facts=read)
    two = write_run(tmp_path / "two", {"b": [predictions(TRUTH, SECOND)]}, facts=given)
    assert not [n for n in eyechart.compare(one, two).notices if "the dataset of b differs" in str(n)]
    # A run of an earlier version does not know its columns alone, so nothing can be said.
    early = write_run(tmp_path / "early", {"b": [predictions(TRUTH, SECOND)]}, facts={"pictures_read": False})
    assert not [n for n in eyechart.compare(one, early).notices if "the dataset of b differs" in str(n)]
    other = write_run(
        tmp_path / "other", {"b": [predictions(TRUTH, SECOND)]}, facts=given | {"fingerprint_without_pictures": "others"}
    )
    assert any("differs from that of a (columns or class list)" in str(n) for n in eyechart.compare(one, other).notices)


def test_metrics_under_different_prompts_or_by_class_scores_are_compared_too():
    """The first of each model; a set that both have comes first."""
    single, bare, scores = (
        ("photos", "calibration", "ece", slice) for slice in ('{"prompts": "single"}', '{"prompts": "bare"}', "{}")
    )
    one = {single: {"value": 0.8}, bare: {"value": 0.7}}
    assert under_other_prompts(one, {scores: {"value": 0.5}}) == [(single, {"value": 0.8}, {"value": 0.5})]
    assert under_other_prompts(one, {scores: {"value": 0.5}, bare: {"value": 0.6}}) == []
    assert under_other_prompts(one, {("photos", "calibration", "nll", "{}"): {"value": 0.5}}) == []


def test_p_values_are_corrected_over_metrics_and_over_groups(comparison):
    for differences in (comparison.probes["b"], comparison.groups["b"]):
        assert len(differences) > 1
        expected = false_discovery_control([d.p for d in differences])
        assert [d.q for d in differences] == pytest.approx(list(expected))


def test_groups_of_true_and_false_are_paired_too(tmp_path):
    """Findings name the groups True and False, and predictions true and false."""
    flags = pa.array(np.where(GROUP == "old", "true", "false"))
    runs = []
    for name, answers in {"a": FIRST, "b": SECOND}.items():
        found = [finding("group_accuracy", 0.5, attribute="smiling", group=group) for group in ("True", "False")]
        given = predictions(TRUTH, answers, attributes={"smiling": flags})
        runs.append(write_run(tmp_path / name, {name: [given]}, findings={name: found}))
    groups = eyechart.compare(*runs).groups["b"]
    assert [d.paired for d in groups] == [True, True]
    smiling = next(d for d in groups if '"True"' in d.slice)
    assert smiling.first.value == pytest.approx((FIRST == TRUTH)[GROUP == "old"].mean())


def test_copies_of_a_picture_count_once_in_the_mean_over_classes(tmp_path):
    """Every picture twice: the interval is that of the pictures, not of the rows."""

    def mean(rows, clusters):
        one, two = (
            write_run(tmp_path / f"{len(rows)}{name}", {name: [predictions(TRUTH[rows], answers[rows], clusters=clusters)]})
            for name, answers in {"a": FIRST, "b": SECOND}.items()
        )
        return eyechart.compare(one, two).probes["b"][0]

    once, twice = mean(np.arange(2000), None), mean(np.repeat(np.arange(2000), 2), np.repeat(np.arange(2000), 2))
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), abs=1e-4)


def test_a_number_has_the_interval_that_its_run_reports(tmp_path):
    one = balanced_accuracy_score(TRUTH, FIRST)
    found = {"a": [Finding(metric="mean_per_class", value=one, low=0.1, high=0.9, n=2000, slice={"prompts": "single"})]}
    runs = (
        write_run(tmp_path / "a", {"a": [predictions(TRUTH, FIRST)]}, findings=found),
        write_run(tmp_path / "b", {"b": [predictions(TRUTH, SECOND)]}),
    )
    mean = eyechart.compare(*runs).probes["b"][0]
    assert (mean.first.low, mean.first.high) == (0.1, 0.9)
    assert mean.second.low > 0.1, "the second run reports none"

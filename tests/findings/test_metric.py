"""A metric's record: what it says of a number, and that a run holds it whole."""

import numpy as np
import pytest

from eyechart.findings.finding import Finding, to_table
from eyechart.findings.metric import Limits, Metric, find_metric, is_record, unknown_metric
from eyechart.probes.registry import get_probe, probe_names

LIMITS = Limits(area="accuracy", good="Good.", unclear="whether it is good", at_least="chance", low="Bad.")
TOP1 = Metric(name="top1", title="top-1 accuracy", chance="chance", limits=LIMITS)
DROP = Metric(name="drop", title="accuracy drop", difference=True, higher_is_better=False)
RECALL = Metric(name="recall_{k}px", title="recall within {k} px", chance="recall_{k}px_chance")


def table(*findings, metrics):
    return to_table(findings, model="m", dataset="d", probe="p", protocol="h", version=1, metrics=metrics).to_pylist()


def test_a_difference_of_fractions_is_shown_in_points():
    assert (TOP1.shown_unit, DROP.shown_unit) == ("fraction", "points")
    assert Metric(name="x", title="x", unit="nats", difference=True).shown_unit == "nats"


@pytest.mark.parametrize("metric", [TOP1, DROP, RECALL], ids=lambda metric: metric.name)
def test_a_record_survives_protocol_json(metric):
    assert Metric.from_dict({**metric.to_dict(), "unknown key": 1}) == metric


@pytest.mark.parametrize("name", probe_names())
def test_every_record_of_every_probe_survives_protocol_json(name):
    for metric in get_probe(name).metrics:
        assert Metric.from_dict(metric.to_dict()) == metric


def test_a_placeholder_stands_for_the_number_of_a_setting():
    found = find_metric([RECALL], "recall_12px")
    assert (found.name, found.title, found.chance) == ("recall_12px", "recall within 12 px", "recall_12px_chance")
    assert find_metric([RECALL], "recall_px") is None and find_metric([RECALL], "recall_12px_chance") is None


def test_an_exact_name_goes_before_a_placeholder():
    exact = Metric(name="recall_5px", title="exact")
    assert find_metric([RECALL, exact], "recall_5px") is exact


def test_a_finding_takes_unit_and_direction_from_its_metric():
    (row,) = table(Finding(metric="drop", value=0.1, n=5), metrics=[DROP])
    assert (row["unit"], row["higher_is_better"]) == ("fraction", False)


def test_a_finding_may_say_otherwise():
    (row,) = table(Finding(metric="drop", value=0.1, n=5, unit="nats", higher_is_better=None), metrics=[DROP])
    assert (row["unit"], row["higher_is_better"]) == ("nats", None)


def test_a_metric_that_no_probe_declares_is_refused():
    with pytest.raises(TypeError, match="'p' reports the metric 'drip', but does not declare it"):
        table(Finding(metric="drip", value=0.1, n=5), metrics=[DROP])


def test_findings_take_keywords_only():
    with pytest.raises(TypeError):
        Finding("top1", 0.5, 10)


def test_an_unknown_metric_is_titled_by_its_name():
    assert unknown_metric("some_new_thing").title == "some new thing"


SENTENCES = {"good": "Good.", "unclear": "whether it is good"}


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"area": "hubness", "at_most": 0.1, "high": "Bad."}, "area is 'hubness'"),
        ({"area": "accuracy", "at_most": 0.1}, "an upper limit the sentence `high`"),
        ({"area": "accuracy", "at_least": 0.1}, "a lower limit needs the sentence `low`"),
        ({"area": "accuracy", "at_most": "chance", "high": "Bad."}, "at_most a number"),
        ({"area": "accuracy"}, "give at_least"),
        ({"area": "accuracy", "at_least": "chance", "low": "Bad.", "at_most": 0.5, "high": "Bad."}, "stands alone"),
        ({"area": "accuracy", "below_chance": 0.1, "low": "Bad.", "by": "kind"}, "stands alone"),
        ({"area": "accuracy", "at_least": 0.9, "low": "Bad.", "at_most": 0.1, "high": "Bad."}, "below at_most"),
        ({"area": "accuracy", "at_most": float("nan"), "high": "Bad."}, "finite"),
        ({"area": "accuracy", "at_most": 0.1, "high": "Bad.", "unclear": "it is good"}, "begins with 'whether'"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits, reason):
    with pytest.raises(ValueError, match=reason):
        Limits(**{**SENTENCES, **limits})


@pytest.mark.parametrize("limit", [{"at_least": "chance", "low": "Bad."}, {"above_chance": 0.1, "high": "Bad."}])
def test_limits_relative_to_chance_need_a_chance_metric(limit):
    with pytest.raises(ValueError, match="relative to chance"):
        Metric(name="x", title="x", limits=Limits(area="accuracy", **SENTENCES, **limit))


BOTH_SIDES = Limits(area="accuracy", at_least=-0.1, low="Bad.", at_most=0.1, high="Bad.", **SENTENCES)


@pytest.mark.parametrize("direction", [True, False])
def test_a_metric_with_limits_on_both_sides_has_no_better_direction(direction):
    with pytest.raises(ValueError, match="neither direction is better"):
        Metric(name="change", title="change", higher_is_better=direction, limits=BOTH_SIDES)
    earlier = {
        **Metric(name="change", title="change", higher_is_better=None, limits=BOTH_SIDES).to_dict(),
        "higher_is_better": direction,
    }
    read = Metric.from_dict(earlier)  # a run of an earlier version
    assert (read.higher_is_better, read.limits) == (None, BOTH_SIDES)


@pytest.mark.parametrize("wrong", [{"at_least": [None]}, {"at_most": {}}, {"at_least": True}, {"at_least": 0.5, "low": 1}])
def test_limits_of_wrong_types_in_a_run_folder_are_ignored(wrong):
    limits = {"area": "accuracy", **SENTENCES, "low": "Bad.", "high": "Bad." if "at_most" in wrong else "", **wrong}
    limits = {key: value for key, value in limits.items() if not (key == "low" and "at_most" in wrong)}
    assert Metric.from_dict({**TOP1.to_dict(), "limits": limits}).limits is None
    with pytest.raises(ValueError, match=r"limits: (a limit is a number|`low` and `high` are texts)"):
        Limits(**limits)


def test_limits_of_another_version_are_ignored():
    content = {**TOP1.to_dict(), "limits": {"area": "something new", "good": "?"}}
    assert Metric.from_dict(content).limits is None


def test_numpy_numbers_in_a_slice_are_numbers():
    (row,) = table(Finding(metric="drop", value=0.1, n=5, slice={"k": np.int64(3)}), metrics=[DROP])
    assert row["slice"] == '{"k": 3}'


def test_a_name_with_a_placeholder_has_no_limits():
    with pytest.raises(ValueError, match="placeholder"):
        Metric(name="r_{k}", title="R@{k}", limits=Limits(area="accuracy", at_most=0.1, high="Bad.", **SENTENCES))


@pytest.mark.parametrize("content", [{"name": "a"}, {"title": "a"}, "a", None, {"name": 1, "title": "a"}])
def test_entries_of_a_protocol_that_are_no_metrics_are_told(content):
    assert not is_record(content)

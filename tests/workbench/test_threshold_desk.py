"""Thresholds: against the probes `ood` and `calibration`, scikit-learn, and shares by hand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from eyechart.errors import UsageError
from eyechart.metrics.ranking.auroc import fpr95
from eyechart.workbench.saved_classifier import live_classifier
from eyechart.workbench.threshold_desk import ThresholdDesk, Thresholds


@pytest.fixture(scope="module")
def thresholds(shape_desk):
    return ThresholdDesk(shape_desk, shape_desk.base)


@pytest.fixture(scope="module")
def whole(shape_desk):
    """All pictures as one half, to compare with the probes of the run."""
    n = len(shape_desk.pictures.dataset)
    return replace(shape_desk.explore, name="whole", rows=np.arange(n), units=shape_desk.pictures.units,
                   labels=shape_desk._label_numbers, people=[], members=[])  # fmt: skip


def finding(desk, metric, **where):
    for row in desk.opened.run.findings.to_pylist():
        import json

        if row["metric"] == metric and row["dataset"] == "shapes" and where.items() <= json.loads(row["slice"]).items():
            return row["value"]
    raise AssertionError(metric)


def test_ood_numbers_are_those_of_the_probe(thresholds, whole, shape_desk):
    for score in ("mcm", "energy", "msp"):
        found = thresholds.answer(whole, Thresholds(score=score))["ood"]
        assert found["auroc"] == pytest.approx(finding(shape_desk, "auroc", score=score), abs=1e-6)
        assert found["fpr95"] == pytest.approx(finding(shape_desk, "fpr95", score=score, convention="id-quantile"), abs=1e-6)


def test_calibration_is_that_of_the_probe(thresholds, whole, shape_desk):
    found = thresholds.answer(whole, Thresholds())
    assert found["ece"] == pytest.approx(finding(shape_desk, "ece"), abs=1e-6)
    assert found["aurc"] == pytest.approx(finding(shape_desk, "aurc"), abs=1e-6)


def test_tpr_and_fpr_at_the_threshold(thresholds, shape_desk):
    half = shape_desk.explore
    first = thresholds.answer(half, Thresholds())["ood"]
    found = thresholds.answer(half, Thresholds(reject=first["at95"]))["ood"]
    inside, outside = thresholds._ood.inside["mcm"][half.rows], thresholds._ood.outside["mcm"]
    assert found["tpr"]["value"] == pytest.approx(np.mean(inside >= first["at95"]), abs=1e-12)
    assert found["fpr"]["value"] == pytest.approx(fpr95(inside, outside), abs=1e-12)
    y = np.repeat([1, 0], [len(inside), len(outside)])
    assert found["auroc"] == pytest.approx(roc_auc_score(y, np.concatenate([inside, outside])), abs=1e-9)
    assert found["tpr"]["low"] < found["tpr"]["value"] < found["tpr"]["high"]


def test_abstention_and_rejection_together(thresholds, shape_desk):
    half = shape_desk.explore
    classifier = live_classifier(shape_desk, shape_desk.base, temperature=2.0)
    p = classifier.probabilities(shape_desk.pictures.vectors[half.rows])
    score = thresholds._ood.inside["mcm"][half.rows]
    reject = float(np.quantile(score, 0.2))
    answered = (p.max(axis=1) >= 0.6) & (score >= reject)
    found = thresholds.answer(half, Thresholds(temperature=2.0, abstain=0.6, reject=reject))["abstention"]
    assert found[0]["metric"] == "answered_share" and found[0]["value"] == pytest.approx(answered.mean(), abs=1e-12)
    labels = np.array(shape_desk.pictures.dataset.table.column("label").to_pylist())[half.rows]
    right = np.array(classifier.labels)[p.argmax(axis=1)] == labels
    assert found[1]["value"] == pytest.approx(right[answered].mean(), abs=1e-12)


def test_a_temperature_changes_no_prediction_but_every_confidence(thresholds, shape_desk):
    one, two = (thresholds.answer(shape_desk.explore, Thresholds(temperature=t)) for t in (1.0, 5.0))
    assert one["accuracy"] == two["accuracy"] and two["overconfidence"] < one["overconfidence"]
    for bad in (0.0, -1.0, 1e9):
        with pytest.raises(UsageError):
            thresholds.answer(shape_desk.explore, Thresholds(temperature=bad))


def test_groups_are_shown_where_there_are_people(people):
    found = ThresholdDesk(people, people.base)
    answer = found.answer(people.explore, Thresholds(abstain=0.9))
    hats = np.array(people.pictures.dataset.table.column("attr.hat").to_pylist())[people.explore.rows]
    p = live_classifier(people, people.base).probabilities(people.pictures.vectors[people.explore.rows]).max(axis=1)
    red = next(f for f in answer["abstention"] if f["metric"] == "group_answered_share" and f["slice"] == {"hat": "red"})
    assert red["value"] == pytest.approx((p >= 0.9)[hats == "red"].mean(), abs=1e-12)
    assert answer["ood"] is None

"""Thresholds: against the probes `ood` and `calibration`, scikit-learn, and shares by hand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from eyechart.errors import UsageError
from eyechart.workbench.ood_rejection import rejection, threshold_at_tpr
from eyechart.workbench.saved_classifier import live_classifier
from eyechart.workbench.threshold_desk import ThresholdDesk
from eyechart.workbench.thresholds import Thresholds


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
    inside, outside = thresholds.ood.inside["mcm"][half.rows], thresholds.ood.outside["mcm"][thresholds.ood.explored]
    assert found["tpr"]["value"] == pytest.approx(np.mean(inside >= first["at95"]), abs=1e-12)
    assert found["fpr"]["value"] == pytest.approx(np.mean(outside >= first["at95"]), abs=1e-12)
    y = np.repeat([1, 0], [len(inside), len(outside)])
    assert found["auroc"] == pytest.approx(roc_auc_score(y, np.concatenate([inside, outside])), abs=1e-9)
    assert found["tpr"]["low"] < found["tpr"]["value"] < found["tpr"]["high"]


@pytest.mark.parametrize("n", [1, 7, 19, 20, 21, 47, 100, 333])
def test_the_threshold_at_95_percent_tpr_is_the_nearest_with_at_least_95_percent(n):
    """Against a search over all thresholds. With 47 scores, 44 of 47 (93.6%) is nearest to 95%, but less."""
    scores = np.random.default_rng(n).integers(0, 60, n) / 7.0  # with ties
    least = threshold_at_tpr(scores)
    shares = {t: np.mean(scores >= t) for t in scores}
    assert shares[least] == min(share for share in shares.values() if share >= 0.95)


def test_every_picture_is_in_one_half_and_copies_in_the_same(thresholds, shape_desk):
    ood, at = thresholds.ood, Thresholds(reject=0.06)
    both = [thresholds.answer(half, at)["ood"] for half in (shape_desk.explore, shape_desk.held_out)]
    assert sum(of["n_outside"] for of in both) == len(ood.units) and min(of["n_outside"] for of in both) > 0
    assert sum(of["n_inside"] for of in both) == int(ood.known.sum())
    assert not set(ood.units[ood.explored]) & set(ood.units[~ood.explored])
    accepted = sum(of["fpr"]["value"] * of["fpr"]["n"] for of in both)
    assert accepted == pytest.approx((ood.outside["mcm"] >= 0.06).sum(), abs=1e-6)


def test_a_half_without_out_of_distribution_pictures_says_so(thresholds, shape_desk):
    nobody = replace(thresholds.ood, explored=np.ones(len(thresholds.ood.units), bool))
    found = rejection(nobody, shape_desk.held_out, Thresholds())
    assert found["lacking"] == "The held out half has no out-of-distribution pictures: there are too few to divide."


def test_abstention_and_rejection_together(thresholds, shape_desk):
    half = shape_desk.explore
    classifier = live_classifier(shape_desk, shape_desk.base, temperature=2.0)
    p = classifier.probabilities(shape_desk.pictures.vectors[half.rows])
    score = thresholds.ood.inside["mcm"][half.rows]
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

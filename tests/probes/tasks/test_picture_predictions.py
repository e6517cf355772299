"""Records of predictions: which rows, which true classes and which marks."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import softmax
from tests.probes.answering import among
from tests.probes.vectors import given_by_vectors

from eyechart.metrics.classification.top_classes import top_classes
from eyechart.probes.tasks.classifier import class_cosines, shared_classifier
from eyechart.probes.tasks.ood_rows import OodRows
from eyechart.probes.tasks.picture_predictions import (
    class_score_predictions,
    ood_predictions,
    own_ood_predictions,
    picture_predictions,
    top_by_prompts,
)
from eyechart.probes.tasks.scorers import scorers

IMAGES = np.array([[3.0, 1, 0], [0, 2, 1], [1, 0, 4], [1, 1, 0.5]])
UNIT = IMAGES / np.linalg.norm(IMAGES, axis=1, keepdims=True)
SCORES = np.array([[2.0, 1, 0], [0, 1, 3], [5, 0, 0], [1, 1, 2]])


def made(name="exam", role="exam", **more):
    columns = {"attr.style": pa.array(["p", "q", "r", "s"])}
    return given_by_vectors(
        IMAGES, np.eye(3), [0, 2, 2, -1], None, columns=columns, name=name, role=role, logit_scale=10.0, **more
    )


def scored(**more):
    return made(class_scores=lambda rows: SCORES[list(rows)].astype(np.float32), scored_classes=("class-0", "class-1", "class-2"),
                can_encode=lambda texts: False, **more)  # fmt: skip


def test_prompts_are_read_with_the_scale_of_the_model():
    inputs = made()
    top = top_by_prompts(inputs, shared_classifier(inputs, inputs.prompts[0]))
    found = picture_predictions(inputs, top, inputs.dataset.classes, prompts="bare")
    p = softmax(10 * UNIT, axis=1)
    assert found.ids == [f"exam-{i}" for i in range(4)] and found.truth.tolist() == [0, 2, 2, -1]
    assert found.top[:, 0].tolist() == UNIT.argmax(axis=1).tolist()
    assert found.probabilities[:, 0] == pytest.approx(p.max(axis=1), rel=1e-5)
    assert found.rank[:3].tolist() == [0, 1, 0]
    assert found.attributes["style"].to_pylist() == ["p", "q", "r", "s"] and (found.dataset, found.design) == (None, None)


def test_some_rows_with_or_without_labels():
    inputs = made()
    rows = np.array([3, 0])
    top = top_classes(class_cosines(inputs, shared_classifier(inputs, inputs.prompts[0]), rows), np.array([-1, 0]), scale=10.0)
    for more, truth in (({}, [-1, 0]), ({"labeled": False}, [-1, -1]), ({"truth": np.array([1, 2])}, [1, 2])):
        found = picture_predictions(inputs, top, inputs.dataset.classes, prompts=None, rows=rows, **more)
        assert found.ids == ["exam-3", "exam-0"] and found.truth.tolist() == truth
        assert found.clusters.tolist() == [3, 0] and found.attributes["style"].to_pylist() == ["s", "p"]


def test_class_scores_are_logits_of_the_dataset_and_of_shifted_companions_that_have_them():
    inputs = among(scored(), scored(name="dark", role="shift"), made("other", "shift"), scored(name="far", role="ood"))
    (scorer,) = scorers(inputs)
    own, dark = class_score_predictions(inputs, scorer)
    assert (own.dataset, dark.dataset, dark.ids[0]) == (None, "dark", "dark-0")
    assert own.top[:, 0].tolist() == [0, 2, 0, 2] and own.prompts is None
    assert own.probabilities[:, 0] == pytest.approx(softmax(SCORES, axis=1).max(axis=1), rel=1e-5)
    assert own.truth.tolist() == [0, 2, 2, -1]


def test_pictures_of_a_companion_have_no_true_class_and_are_marked():
    inputs, far = made(), made("far", "ood")
    (scorer,) = scorers(inputs)
    group = OodRows("far", far, np.array([1, 2]), ("noise", ""), np.array([8, 9]))
    found = ood_predictions(inputs, scorer, group, {"mcm": np.array([True, False]), "energy": np.array([False, False])})
    assert found.truth.tolist() == [-1, -1] and found.dataset == "far" and found.prompts == "bare"
    marks = {name: values.to_pylist() for name, values in found.attributes.items()}
    assert marks == {
        "style": ["q", "r"], "accepted.mcm": ["true", "false"], "accepted.energy": ["false", "false"], "kind": ["noise", None],
    }  # fmt: skip
    assert found.probabilities[:, 0] == pytest.approx(softmax(10 * UNIT[1:3], axis=1).max(axis=1), rel=1e-5)
    assert "kind" not in ood_predictions(inputs, scorer, replace(group, kinds=()), {"mcm": np.ones(2, bool)}).attributes


def test_pictures_of_the_table_itself_come_in_its_order():
    inputs, far = made(), made("far", "ood")
    (scorer,) = scorers(inputs)
    own = [OodRows("a", inputs, np.array([3, 1]), (), np.array([3, 1])), OodRows("b", inputs, np.array([2]), (), np.array([2]))]
    other = OodRows("far", far, np.array([0]), (), np.array([9]))
    flags = [{"mcm": np.array([True, False])}, {"mcm": np.array([True])}, {"mcm": np.array([True])}]
    (found,) = own_ood_predictions(inputs, scorer, [*own, other], flags)
    assert found.ids == ["exam-1", "exam-2", "exam-3"]
    assert found.attributes["accepted.mcm"].to_pylist() == ["false", "true", "true"]
    assert own_ood_predictions(inputs, scorer, [other], flags[2:]) == []


def test_class_scores_of_pictures_without_a_class_have_a_scale_of_1():
    inputs = scored()
    (scorer,) = scorers(inputs)
    group = OodRows("far", scored(name="far", role="ood"), np.array([0, 3]), (), np.array([8, 9]))
    found = ood_predictions(inputs, scorer, group, {})
    assert found.prompts is None
    assert found.probabilities[:, 0] == pytest.approx(softmax(SCORES[[0, 3]], axis=1).max(axis=1), rel=1e-5)

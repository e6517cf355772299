"""What is measured on held-out pictures must not depend on them: other vectors and labels there leave every choice bit-identical.

Other vectors on the calibration part move thresholds and prediction sets alone.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.repair.made import BAD, GOOD, inputs, unit

from eyechart.repair.data_split import DataSplit, split
from eyechart.repair.repair import Repaired, repair
from eyechart.repair.settings import Settings

SETTINGS = Settings()
# Worst classes by labels, and baselines, which are fitted as candidates are.
BY_LABELS = Settings(find="labels", worst=5, baselines=True)


def numbers(labels):
    return np.unique(np.asarray(labels), return_inverse=True)[1]


@pytest.fixture(scope="module")
def given():
    return inputs((*GOOD, *BAD))


@pytest.fixture(scope="module")
def parts(given):
    return split(numbers(given.dataset.table["label"].to_pylist()), given.clusters, seed=SETTINGS.seed)


@pytest.fixture(scope="module", params=[SETTINGS, BY_LABELS], ids=["by margins", "by labels"])
def settings(request):
    return request.param


@pytest.fixture(scope="module")
def original(given, settings):
    return repair(given, settings)


def with_other_vectors(given, rows):
    """Random vectors in these rows."""
    images = given.images.copy()
    images[rows] = unit(np.random.default_rng(5).normal(size=(len(rows), images.shape[1])))
    return replace(given, images=images)


def with_other_labels(given, rows):
    """Pairs of these rows swap their labels, where the split, which is stratified by label, stays as it was."""
    labels = np.array(given.dataset.table["label"].to_pylist())
    rng, swapped = np.random.default_rng(6), 0
    before = split(numbers(labels), given.clusters, seed=SETTINGS.seed)
    while swapped < 40:
        pair = rng.choice(rows, 2, replace=False)
        labels[pair] = labels[pair[::-1]]
        if same_parts(before, split(numbers(labels), given.clusters, seed=SETTINGS.seed)):
            swapped += labels[pair[0]] != labels[pair[1]]
        else:
            labels[pair] = labels[pair[::-1]]
    table = given.dataset.table.set_column(given.dataset.table.column_names.index("label"), "label", pa.array(labels.tolist()))
    return replace(given, dataset=replace(given.dataset, table=table))


def same_parts(a: DataSplit, b: DataSplit) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("fit", "calibrate", "held_out"))


def fitted(repaired: Repaired) -> dict[str, object]:
    """Everything that is fitted or chosen on the fitting part."""
    after = repaired.after
    return {
        "candidate": (repaired.chosen.name, repaired.chosen.weighting),
        "weights": repaired.chosen.weights.weights.tobytes(),
        "vectors": after.vectors.tobytes(),
        "temperature": after.temperature,
        "targeted": repaired.targeted,
        "scores on the fitting part": {name: on_fit for name, (on_fit, _) in repaired.scores.items()},
    }


def set_on_calibration(repaired: Repaired) -> tuple[object, ...]:
    return repaired.after.thresholds.tobytes(), repaired.after.least


@pytest.mark.parametrize("other", [with_other_vectors, with_other_labels])
def test_held_out_pictures_change_nothing_but_what_is_measured_on_them(given, parts, settings, original, other):
    changed = repair(other(given, parts.held_out), settings)
    assert fitted(changed) == fitted(original)
    assert set_on_calibration(changed) == set_on_calibration(original)
    values = [[f.value for f in repaired.findings if f.metric == "top1_change"] for repaired in (original, changed)]
    assert values[0] != values[1]  # so they were replaced


@pytest.mark.parametrize("other", [with_other_vectors, with_other_labels])
def test_the_calibration_part_moves_thresholds_and_prediction_sets_alone(given, parts, settings, original, other):
    changed = repair(other(given, parts.calibrate), settings)
    assert fitted(changed) == fitted(original)
    assert set_on_calibration(changed) != set_on_calibration(original)


@pytest.mark.parametrize("other", [with_other_vectors, with_other_labels])
def test_the_fitting_part_is_what_is_fitted_on(given, parts, settings, original, other):
    """The positive control: the comparison above does notice a change."""
    changed = fitted(repair(other(given, parts.fit), settings))
    assert changed["temperature"] != fitted(original)["temperature"]
    assert changed["scores on the fitting part"] != fitted(original)["scores on the fitting part"]


@pytest.mark.parametrize("other", [with_other_vectors, with_other_labels])
def test_worst_classes_by_labels_are_those_of_the_fitting_part(given, parts, other):
    """The positive control of `targeted`."""
    before, after = (repair(one, BY_LABELS).targeted for one in (given, other(given, parts.fit)))
    assert before != after

"""Class accuracies from the findings of zero_shot."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from eyechart.probes.contract import NotApplicable
from eyechart.probes.tasks.class_accuracies import class_accuracies
from eyechart.probes.testing import known_predictions


def found(rows):
    """A table of findings as a probe gets it."""
    whole = [{"low": 0.1, "high": 0.9, "interval": "by hand", "n": 7, **row, "slice": json.dumps(row["slice"])} for row in rows]
    return pa.Table.from_pylist(whole)


ROWS = [
    {"metric": "mean_per_class", "value": 0.4, "slice": {"prompts": "set"}},
    {"metric": "mean_per_class", "value": 0.9, "slice": {"prompts": "set 2"}},
    {"metric": "class_accuracy", "value": 0.75, "slice": {"class": "ox", "prompts": "set"}},
    {"metric": "class_accuracy", "value": 0.5, "slice": {"class": "cat", "prompts": "set"}},
    {"metric": "class_accuracy", "value": 0.2, "slice": {"class": "set", "prompts": "set 2"}},
    {"metric": "worst_class", "value": 0.1, "slice": {"class": "dog", "prompts": "set"}},
]
# Row 3 is a copy of row 0, row 5 has no label.
INPUTS = known_predictions([0] * 6, [0, 0, 2, 0, 2, 0], ["cat", "dog", "ox", "set"], None, clusters=[0, 1, 2, 0, 3, 4])


def given(rows, inputs=INPUTS):
    labels = pa.array(["cat", "cat", "ox", "cat", "ox", None], pa.string())
    table = inputs.dataset.table.set_column(1, "label", labels)
    return replace(inputs, dataset=replace(inputs.dataset, table=table), upstream={"zero_shot": found(rows)})


def test_accuracies_are_those_of_one_prompt_set_by_the_number_of_the_class():
    one = class_accuracies(given(ROWS), {"prompts": "set"})
    assert one.classes.tolist() == [0, 2] and one.accuracies.tolist() == [0.5, 0.75]
    assert one.pictures.tolist() == [2.0, 2.0]  # copies count once
    assert (one.mean.value, one.mean.low, one.mean.high, one.mean.n, one.mean.interval) == (0.4, 0.1, 0.9, 7, "by hand")


def test_prompt_sets_of_any_name_are_found():
    rows = [{**row, "slice": {**row["slice"], "prompts": "größe"}} for row in ROWS[:4]]
    table = pa.Table.from_pylist(
        [
            {"low": 0.1, "high": 0.9, "interval": "", "n": 7, **row, "slice": json.dumps(row["slice"], ensure_ascii=False)}
            for row in rows
        ]
    )
    assert class_accuracies(replace(given(ROWS), upstream={"zero_shot": table}), {"prompts": "größe"}).classes.tolist() == [0, 2]


def test_one_class_is_too_few():
    for inputs, under in ((given(ROWS[:3]), "set"), (given(ROWS), "set 2"), (replace(INPUTS, upstream={}), "set")):
        with pytest.raises(NotApplicable, match="fewer than two classes"):
            class_accuracies(inputs, {"prompts": under})
    assert len(class_accuracies(given(ROWS[:4]), {"prompts": "set"}).classes) == 2
    assert np.array_equal(INPUTS.clusters, [0, 1, 2, 0, 3, 4])

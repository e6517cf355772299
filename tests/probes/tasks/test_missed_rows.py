"""Trials with a false caption preferred, as rows of an exhibit."""

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.vectors import given_by_vectors

from eyechart.probes.tasks import missed_rows
from eyechart.probes.tasks.missed_rows import missed_trials

INPUTS = given_by_vectors(np.eye(3), np.eye(3), [0, 1, 2], None, columns={"attr.style": pa.array(["x", "y", "z"])})


def test_each_trial_has_its_picture_its_captions_and_its_attributes():
    (shown,) = missed_trials(INPUTS, "recall", np.array([2, 0]), ["a", "b"], ["c", "d"], {"kind": [1, 2]})
    assert shown.name == "missed-recall" and shown.sentence.startswith("In 2 trials a false caption")
    assert shown.table.to_pylist() == [
        {"id": "exam-2", "caption": "a", "rank": 2, "ids": [], "first_caption": "c", "attributes": ["style=z", "kind=1"]},
        {"id": "exam-0", "caption": "b", "rank": 2, "ids": [], "first_caption": "d", "attributes": ["style=x", "kind=2"]},
    ]


def test_no_trial_is_no_exhibit():
    assert missed_trials(INPUTS, "recall", np.array([], np.int64), [], []) == []


@pytest.mark.parametrize(("most", "kept"), [(1, 1), (2, 2), (3, 2)])
def test_more_rows_than_fit_are_counted_and_not_listed(monkeypatch, most, kept):
    monkeypatch.setattr(missed_rows, "MOST", most)
    (shown,) = missed_trials(INPUTS, "recall", np.array([2, 0]), ["a", "b"], ["c", "d"])
    assert shown.table.num_rows == kept and shown.sentence.startswith("In 2 trials")

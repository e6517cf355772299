"""The pictures on which calibration is measured: halves, shifts and corruptions."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from tests.probes.answering import among
from tests.probes.vectors import given_by_vectors

from eyechart.data.classes import ClassList, PictureClass
from eyechart.probes.calibration.sets import shifted_sets, split_halves


def made(truth, name="exam", role="exam", classes=3, **columns):
    named = {key.replace("__", "."): pa.array(values) for key, values in columns.items()}
    return given_by_vectors(
        np.eye(3)[[max(t, 0) for t in truth]], np.eye(3)[:classes], truth, None, name=name, role=role, columns=named
    )


def test_halves_are_labeled_unshifted_pictures_and_share_none():
    inputs = made([0, 1, 2, -1] * 6, attr__shift=["dark" if i == 0 else None for i in range(24)])
    halves = split_halves(inputs, 0)
    kept = [i for i in range(24) if i % 4 != 3 and i != 0]
    assert halves.whole.rows.tolist() == kept
    assert sorted([*halves.fit.rows, *halves.held_out.rows]) == kept and not set(halves.fit.rows) & set(halves.held_out.rows)
    assert [p.slice for p in (*halves.whole.parts, *halves.fit.parts)] == [{}, {"half": "fitting"}]
    assert halves.fit.truth.tolist() == (halves.fit.rows % 4).tolist() and halves.fit.columns.tolist() == [0, 1, 2]


def test_a_picture_with_several_correct_classes_has_flags_and_others_an_index():
    inputs = among(made([0, 1, 2] * 4), made([0, 1], "dark", "shift"))
    fit = split_halves(inputs, 0).fit
    (dark,) = shifted_sets(inputs, fit)
    assert dark.truth.tolist() == [0, 1] and dark.correct(np.array([0, 0])).tolist() == [True, False]
    clocks = ClassList(
        "clocks", (PictureClass("clock", "clock", same_as=("class-0", "class-1")), PictureClass("class-2", "class-2"))
    )
    other = made([0, 1], "clocks", "shift", classes=2)
    table = other.dataset.table.set_column(1, "label", pa.array(["clock", "class-2"]))
    other = replace(other, dataset=replace(other.dataset, classes=clocks, table=table))
    (found,) = shifted_sets(among(made([0, 1, 2] * 4), other), fit)
    assert found.truth.astype(int).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert found.correct(np.array([1, 0])).tolist() == [True, False]


def test_corruptions_are_parts_by_name_and_by_severity():
    inputs = among(
        made([0, 1, 2] * 4),
        made([0, 1, 2, 0], "c", "shift", attr__shift=["fog", "fog", "blur", "fog"], attr__severity=[1, 2, 2, 2]),
    )
    (found,) = shifted_sets(inputs, split_halves(inputs, 0).fit)
    assert [(part.slice, part.places.tolist()) for part in found.parts] == [
        ({"shift": "c", "corruption": "fog"}, [0, 1, 3]),
        ({"shift": "c", "corruption": "blur"}, [2]),
        ({"shift": "c", "severity": 1}, [0]),
        ({"shift": "c", "severity": 2}, [1, 2, 3]),
    ]


def test_versions_of_pictures_that_were_fitted_on_are_left_out():
    inputs = made([0, 1, 2] * 4)
    fit = split_halves(inputs, 0).fit
    named = [f"exam-{i}" for i in range(12)]
    versions = made([0, 1, 2] * 4, "dark", "shift", attr__source_id=named)
    (found,) = shifted_sets(among(inputs, versions), fit)
    (part,) = found.parts
    assert part.places.tolist() == [i for i in range(12) if i not in fit.rows]
    fitted = made([0, 1], "some", "shift", attr__source_id=[f"exam-{fit.rows[0]}", f"exam-{fit.rows[1]}"])
    assert shifted_sets(among(inputs, fitted), fit) == []


def test_a_set_with_one_shared_class_is_left_out():
    inputs = made([0, 1, 2] * 4)
    one = made([0, 0], "one", "shift", classes=1)
    assert shifted_sets(among(inputs, one), split_halves(inputs, 0).fit) == []

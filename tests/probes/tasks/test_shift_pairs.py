"""Shifted pictures: which classes correspond, and which rows show one scene."""

import numpy as np
import pyarrow as pa
from tests.probes.vectors import given_by_vectors

from eyechart.data.class_mapping import class_mapping
from eyechart.data.classes import ClassList, PictureClass
from eyechart.probes.tasks.originals import paired_rows, shift_units
from eyechart.probes.tasks.shift_pairs import shift_pairs, unshifted


def test_classes_correspond_by_same_as_then_label_then_unique_name():
    source = ClassList("s", (PictureClass("n1", "tabby"), PictureClass("n2", "crane"), PictureClass("n3", "crane")))
    shifted = ClassList("t", (
        PictureClass("cat", "cat", same_as=("n1",)), PictureClass("n2", "bird"), PictureClass("x", "Tabby"),
        PictureClass("y", "crane"),
    ))  # fmt: skip
    expected = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]]  # two classes are called crane, so the name decides nothing
    assert class_mapping(source, shifted).astype(int).tolist() == expected


def table(**columns):
    """Six pictures of two classes; 4 and 5 are versions of 0 and 1."""
    more = {name.replace("__", "."): pa.array(values) for name, values in columns.items()}
    return given_by_vectors(np.eye(2)[[0, 1, 0, 1, 0, 1]], np.eye(2), [0, 1, 0, 1, 0, 1], None, columns=more, name="p")


def test_shifts_within_a_table_are_paired_with_its_unshifted_rows():
    inputs = table(attr__shift=["none", None, "", "clean", "dark", "dark"])
    (dark,) = shift_pairs(inputs)
    assert (dark.name, dark.rows.tolist(), dark.source_rows.tolist()) == ("dark", [4, 5], [0, 1, 2, 3])
    assert dark.columns.tolist() == [0, 1]


def test_corrupted_rows_are_no_natural_shift():
    inputs = table(attr__shift=[None, None, None, None, "fog", "dark"], attr__severity=[0, 0, 0, 0, 3, 0])
    assert [pair.name for pair in shift_pairs(inputs)] == ["dark"]
    assert unshifted(inputs.dataset).tolist() == [True] * 4 + [False] * 2


def test_versions_share_the_scene_of_their_original():
    inputs = table(
        attr__shift=["none"] * 4 + ["dark"] * 2, attr__source_id=[None, None, None, None, "p-0", "p-1"]
    )  # fmt: skip
    (dark,) = shift_pairs(inputs)
    assert shift_units(dark, inputs, 100).tolist() == [0, 1]
    assert [part.tolist() for part in paired_rows(dark, inputs)] == [[0, 1], [0, 1]]
    assert inputs.units.tolist() == [0, 1, 2, 3, 0, 1]


def test_rows_without_an_original_are_scenes_of_their_own():
    inputs = table(attr__shift=["none"] * 4 + ["dark"] * 2, attr__source_id=[None] * 4 + ["elsewhere", None])
    (dark,) = shift_pairs(inputs)
    units = shift_units(dark, inputs, 100)
    assert units.tolist() == [4, 5]  # neither shows a picture of the source
    assert paired_rows(dark, inputs) is None

"""Shifted pictures: which classes correspond, and which rows show one scene."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from tests.probes.answering import among
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


def test_a_picture_of_several_classes_is_a_kind_of_its_own():
    """Rows 0 and 1 show two classes of three, in any order, row 2 two others, row 3 one, row 4 one and an unknown one."""
    exam = given_by_vectors(np.eye(3), np.eye(3), [0, 1, 2], None)
    labels = [["class-1", "class-0"], ["class-0", "class-1"], ["class-2", "class-1"], ["class-2"], ["class-0", "zebra"], None]
    other = given_by_vectors(
        np.eye(3)[[0, 0, 1, 2, 0, 1]], np.eye(3), [0, 1, 2, 2, 0, 1], None, name="many", role="shift",
        columns={"attr.labels": pa.array(labels, pa.list_(pa.string()))},
    )  # fmt: skip
    (pair,) = shift_pairs(among(exam, other))
    assert pair.kind.tolist() == [3, 3, 4, 2, 0, 1]
    assert pair.accepted.astype(int).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1]]
    assert pair.equivalent.astype(int).tolist() == [[1, 1, 0], [1, 1, 1], [0, 1, 1]]


def test_classes_without_a_shared_one_and_sets_without_classes_are_no_pair():
    exam = given_by_vectors(np.eye(2), np.eye(2), [0, 1], None)
    foreign = given_by_vectors(np.eye(2), np.eye(2), [0, 1], None, names=["x", "y"], name="f", role="shift")
    unnamed = replace(foreign, dataset=replace(foreign.dataset, classes=None, name="u"))
    assert shift_pairs(among(exam, foreign, unnamed)) == []


def test_only_shared_classes_and_labeled_rows_are_compared():
    """The shifted set has classes b and c; the source a, b and c. Its second row has no label."""
    exam = given_by_vectors(np.eye(3)[[0, 1, 2, 1]], np.eye(3), [0, 1, 2, -1], None, names=["a", "b", "c"])
    other = given_by_vectors(np.eye(3)[[1, 2, 2]], np.eye(3)[1:], [0, -1, 1], None, names=["b", "c"], name="s", role="shift")
    (pair,) = shift_pairs(among(exam, other))
    assert (pair.rows.tolist(), pair.source_rows.tolist(), pair.columns.tolist()) == ([0, 2], [1, 2], [1, 2])
    assert replace(pair, whole_list=True).columns.tolist() == [0, 1, 2]
    assert pair.kind.tolist() == [0, 1] and pair.accepted.astype(int).tolist() == [[0, 1, 0], [0, 0, 1]]


def test_a_shifted_set_with_unshifted_rows_gives_only_the_shifted_ones():
    exam = given_by_vectors(np.eye(2), np.eye(2), [0, 1], None)

    def rows(**columns):
        named = {name.replace("__", "."): pa.array(values) for name, values in columns.items()}
        other = given_by_vectors(np.eye(2)[[0, 1, 0]], np.eye(2), [0, 1, 0], None, name="s", role="shift", columns=named)
        return [pair.rows.tolist() for pair in shift_pairs(among(exam, other))]

    assert rows() == [[0, 1, 2]] == rows(attr__shift=["none", None, "clean"])
    assert rows(attr__shift=["none", "dark", "dark"]) == [[1, 2]]
    assert rows(attr__shift=["none", "dark", "fog"], attr__severity=[0, 0, 2]) == [[1]]
    assert rows(attr__severity=[0, 1, 2]) == [[0]] and rows(attr__severity=[1, 1, 2]) == []

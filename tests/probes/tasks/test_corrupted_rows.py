"""Corrupted pictures by corruption and severity, and which of them are classified correctly."""

import pyarrow as pa
from tests.probes.answering import among, answering, class_list

from eyechart.probes.tasks.corrupted_rows import corrupted_sets, score_corrupted
from eyechart.probes.tasks.predictors import predictors

CLASSES = class_list(["a", "b", "c"])


def made(answers, truth, classes=CLASSES, *, name="exam", role="exam", heard=None, **columns):
    named = {key.replace("__", "."): pa.array(values) for key, values in columns.items()}
    return answering(answers, truth, classes, None, name=name, role=role, columns=named, heard=heard)


def test_cells_are_in_the_order_of_corruptions_and_severities():
    inside = made([0, 1, 2, 0, 1, 1], [0, 1, 2, 0, 1, -1], attr__shift=[None, "fog", "blur", "fog", "fog", "fog"],
                  attr__severity=[0, 3, 1, 1, 3, 3])  # fmt: skip
    (found,) = corrupted_sets(inside)
    assert found.name == "exam" and found.names == ("fog", "blur")
    assert found.pair.rows.tolist() == [1, 2, 3, 4]  # the last one has no label
    assert found.severity.tolist() == [3, 1, 1, 3] and found.corruption.tolist() == [0, 1, 0, 0]
    assert [(c, s, rows.tolist()) for c, s, rows in found.cells()] == [(0, 1, [2]), (0, 3, [0, 3]), (1, 1, [1])]
    assert found.pair.source_rows.tolist() == [0] and found.clean_units.tolist() == [0]


def test_a_companion_is_asked_among_all_classes_of_the_dataset():
    """The companion has pictures of two classes of three, and its rows are numbered after those of the dataset."""
    exam = made([0, 1, 2, 2], [0, 1, 2, 1])
    other = made([0, 2, 1], [0, 1, 1], class_list(["a", "b"]), name="fog", role="shift", heard=["a", "b", "c"],
                 attr__severity=[1, 1, 2])  # fmt: skip
    clean = made([0], [0], name="clean", role="shift")
    unlabeled = made([0], [-1], name="unlabeled", role="shift", attr__severity=[1])
    inputs = among(exam, other, clean, unlabeled)
    (found,) = corrupted_sets(inputs)
    assert found.names == ("corruption",) and found.pair.columns.tolist() == [0, 1, 2]
    assert found.units.tolist() == [4, 5, 6] and found.clean_units.tolist() == found.pair.source_rows.tolist()
    (predictor,) = predictors(inputs)
    predicted, correct, clean_correct = score_corrupted(inputs, found, predictor)
    assert predicted.tolist() == [0, 2, 1] and correct.tolist() == [True, False, True]
    expected = {0: True, 1: True, 2: True, 3: False}
    assert clean_correct.tolist() == [expected[row] for row in found.pair.source_rows.tolist()]

"""Answers by class scores: which classes cannot be told apart."""

from dataclasses import replace

import numpy as np
from tests.probes.answering import answering

from eyechart.data.classes import ClassList, PictureClass
from eyechart.probes.tasks.class_answers import class_answers

# The first two have the same names in another order. The third has a name of the first, which alone makes no duplicate.
CLASSES = ClassList(
    "test",
    (PictureClass("n0", "mug", ("cup",)), PictureClass("n1", "cup", ("mug",)), PictureClass("n2", "cup and saucer", ("mug",))),
)


def test_classes_with_the_same_names_are_duplicates_where_names_are_scored():
    scores = np.eye(3, dtype=np.float32)
    made = replace(
        answering([0, 1, 2], [0, 1, 2], CLASSES, None),
        can_encode=lambda texts: False,
        class_scores=lambda rows: scores[list(rows)],
        scored_classes=("n0", "n1", "n2"),
    )
    (found,) = class_answers(made)
    assert found.duplicates.tolist() == [0, 0, 2] and found.prompts is None

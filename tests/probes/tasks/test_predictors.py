"""Ways to predict: the best of some classes, by prompts and by class scores."""

from dataclasses import replace

import numpy as np
from tests.probes.answering import answering, class_list

from eyechart.probes.tasks.predictors import predictors

CLASSES = class_list(["a", "b", "c"])
SCORES = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [0.0, 5.0, 1.0]])


def rows(*numbers):
    return np.array(numbers, np.int64)


def test_class_scores_choose_among_the_given_classes():
    made = answering([0, 0, 0], [0, 1, 2], CLASSES, None)
    made = replace(
        made,
        can_encode=lambda texts: False,
        class_scores=lambda of: SCORES[list(of)].astype(np.float32),
        scored_classes=("a", "b", "c"),
    )
    (by_scores,) = predictors(made)
    assert by_scores.predict(made, rows(2, 0), rows(0, 1, 2)).tolist() == [1, 0]
    assert by_scores.predict(made, rows(0, 1, 2), rows(0, 2)).tolist() == [0, 2, 2]
    assert by_scores.predict(made, rows(), rows(0, 1)).tolist() == []


def test_prompts_choose_among_the_given_classes():
    made = answering([0, 1, 2], [0, 1, 2], CLASSES, None, second=[1, 2, 0])
    (by_prompts,) = predictors(made)
    assert by_prompts.slice == {"prompts": "bare"} and by_prompts.restricts
    assert by_prompts.predict(made, rows(2, 0), rows(0, 1, 2)).tolist() == [2, 0]
    assert by_prompts.predict(made, rows(0, 1, 2), rows(1, 2)).tolist() == [1, 1, 2]

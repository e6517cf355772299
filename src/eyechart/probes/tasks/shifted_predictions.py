"""Predictions for the shifted or corrupted pictures of a companion, among the classes that the comparison is made with."""

from typing import Any

import numpy as np

from eyechart.data.classes import ClassList
from eyechart.findings.predictions import Predictions
from eyechart.metrics.classification.top_classes import top_classes
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import known_classes
from eyechart.probes.tasks.picture_predictions import picture_predictions
from eyechart.probes.tasks.predictors import Predictor
from eyechart.probes.tasks.scorers import scorers
from eyechart.probes.tasks.shift_pairs import ShiftPair


def shifted_predictions(inputs: ProbeInput[Any], pair: ShiftPair, predictor: Predictor) -> list[Predictions]:
    """What was predicted for each shifted row; nothing where `zero_shot` predicts the same rows among the same classes.

    It does so for pictures of the examined dataset, and for companions with classes of their own that are the compared ones.
    Answers from a file are the same among any classes.
    """
    of, classes = pair.shifted, known_classes(inputs)
    compared = ClassList(classes.name, tuple(classes[int(column)] for column in pair.columns), classes.source)
    own = of.dataset.classes
    same = own is not None and [c.label for c in own] == [c.label for c in compared]
    if of is inputs or (same and not of.dataset.made) or not predictor.restricts:
        return []
    predicted = predictor.predict(of, pair.rows, pair.columns)
    # Where several classes are correct, the predicted one of them is taken as the true one.
    right = pair.accepted[pair.kind, predicted]
    truth = np.where(right, predicted, pair.accepted.argmax(axis=1)[pair.kind])
    place = np.full(len(classes), -1, np.int64)
    place[pair.columns] = np.arange(len(pair.columns))
    scorer = next(scorer for scorer in scorers(inputs) if scorer.slice == predictor.slice)
    scores = scorer.raw(of, pair.rows).choose(pair.columns)
    top = top_classes(scores, place[truth], scale=scorer.scale if scorer.by_prompts else 1.0)
    name = predictor.slice.get("prompts")
    return [picture_predictions(of, top, compared, prompts=name, rows=pair.rows, truth=place[truth], dataset=of.dataset.name)]

"""Predictions from a file, as numbers of classes: what probes use in place of a classifier where the model is such a file.

The answers were given among whatever classes the model had: they cannot be restricted to some classes afterwards.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Floats, Indices
from eyechart.data.classes import ClassList
from eyechart.metrics.classification.top_classes import K, TopClasses
from eyechart.models.encoder import PicturePrediction
from eyechart.models.predictions import NO_ANSWER
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import NotApplicable, ProbeInput

SLICE = {"answers": "predictions"}  # how findings name them
NO_CLASS = "(no class of the list)"  # the title of answers that name no class
_OUTSIDE = -1


@dataclass(frozen=True, eq=False)
class GivenPredictions:
    """What a file predicts for some pictures.

    classes: [n, k] the predicted classes, best first; -1 for no answer, for an answer that is not in the class list, and after
        the last answer of a picture.
    scores: [n, k] their scores, NaN where there is none; None where no picture has scores.
    listed: How many answers every picture with an answer has at least.
    unanswered: Which pictures have no answer.
    outside: First answers that are not in the class list, and how often each occurs.
    """

    classes: Indices
    scores: Floats | None
    listed: int
    unanswered: Flags
    outside: Counter[str]

    @property
    def predicted(self) -> Indices:
        """The class of each picture; -1 for none of the list."""
        return np.asarray(self.classes[:, 0])

    def top(self, truth: Indices, class_count: int) -> TopClasses:
        """As a classifier would answer. `class_count`, one more than the last class, stands for no class of the list.

        The rank of a true class that is not among the answers is the lowest possible: how many answers there are."""
        classes = self.classes[:, :K].copy()
        classes[classes[:, 0] == _OUTSIDE, 0] = class_count
        hits = self.classes == truth[:, None]
        answers = np.maximum(np.cumsum(self.classes >= 0, axis=1)[:, -1], 1)
        rank = np.where(hits.any(axis=1), hits.argmax(axis=1), answers)
        p = self._probabilities()
        margin = np.full(len(classes), np.nan, np.float32)
        if p is not None and p.shape[1] > 1:
            margin = np.asarray(p[:, 0] - p[:, 1], np.float32)
        best = np.full(len(classes), np.nan, np.float32) if p is None else p[:, 0]
        tied = np.zeros(len(classes), bool)
        if self.scores is not None and self.scores.shape[1] > 1:
            tied = np.asarray(self.scores[:, 0] == self.scores[:, 1])
        return TopClasses(classes, p, margin, np.where(truth >= 0, rank, -1), tied, best)

    def _probabilities(self) -> Floats | None:
        """The scores, where they can be probabilities: all between 0 and 1, and at most 1 together."""
        if self.scores is None:
            return None
        known = np.nan_to_num(self.scores, nan=0.0)
        possible = bool((known >= 0).all() and (known.sum(axis=1) <= 1 + 1e-3).all())
        return self.scores[:, :K] if possible else None

    def notices(self, where: str, file: str) -> list[Notice]:
        """Answers that are missing or not in the class list."""
        found = []
        if count := int(self.unanswered.sum()):
            what = f"{counted(count, 'picture')} of {len(self.unanswered):,} without an answer in {file}, counted as wrong"
            found.append(Notice(where, what, "leave them out of the dataset to judge answers alone"))
        if self.outside:
            names = shortened([f"{name} ({count})" for name, count in self.outside.most_common()])
            what = f"{counted(self.outside.total(), 'answer')} in {file} that the class list lacks, counted as wrong: {names}"
            found.append(Notice(where, what, "add these names to the classes if they should count"))
        return found


def given_predictions(
    of: ProbeInput[Any], classes: ClassList, rows: Indices | None = None, *, some: bool = True
) -> GivenPredictions:
    """What the file predicts for rows of a dataset, as numbers of these classes.

    Args:
        of: The dataset.
        classes: The classes.
        rows: The rows; all where None.
        some: Whether at least one answer must be among the classes.

    Raises:
        NotApplicable: No answer is among the classes.
        TypeError: The model is no file of predictions.
    """
    if of.predictions is None:
        raise TypeError("the model is not a file of predictions")
    rows = np.arange(len(of.dataset)) if rows is None else rows
    answers = of.predictions([int(row) for row in rows])
    place = class_places(classes)
    width = max([1, *(len(answer.labels) for answer in answers)])
    found = np.full((len(answers), width), _OUTSIDE, np.int64)
    scores = np.full((len(answers), width), np.nan, np.float32)
    unanswered, outside = np.zeros(len(answers), bool), Counter[str]()
    for row, answer in enumerate(answers):
        numbers = [_number(label, answer.numbered, place, len(classes)) for label in answer.labels]
        found[row, : len(numbers)] = numbers
        if answer.scores is not None:
            scores[row, : len(numbers)] = answer.scores
        unanswered[row] = _is_unanswered(answer, numbers)
        if numbers and numbers[0] == _OUTSIDE and not unanswered[row]:
            outside[answer.labels[0]] += 1
    if some and len(answers) and (found == _OUTSIDE).all():
        raise NotApplicable(_why_none(answers, classes))
    lengths = [len(answer.labels) for answer, none in zip(answers, unanswered, strict=True) if not none]
    return GivenPredictions(found, None if np.isnan(scores).all() else scores, min(lengths, default=0), unanswered, outside)


def class_places(classes: ClassList) -> dict[str, int]:
    """The number of a class by its label or a name of it, as written or in lower case. Names of several classes are left out."""
    of_text: dict[str, set[int]] = {}
    for number, c in enumerate(classes):
        for text in {form for name in (c.label, *c.names) for form in (name, name.casefold())}:
            of_text.setdefault(text, set()).add(number)
    found = {text: min(numbers) for text, numbers in of_text.items() if len(numbers) == 1}
    return found | {c.label: number for number, c in enumerate(classes)}


def _number(label: str, numbered: bool, place: dict[str, int], count: int) -> int:
    if numbered:
        return int(label) if int(label) < count else _OUTSIDE
    return place.get(label, place.get(label.casefold(), _OUTSIDE))


def _is_unanswered(answer: PicturePrediction, numbers: Sequence[int]) -> bool:
    return not numbers or (numbers[0] == _OUTSIDE and answer.labels[0].casefold() in NO_ANSWER)


def _why_none(answers: Sequence[PicturePrediction], classes: ClassList) -> str:
    first = next((answer.labels[0] for answer in answers if answer.labels), None)
    if first is None:
        return "no picture of the dataset has an answer in the file of predictions"
    numbers = "; where answers are numbers of classes, write answers=index after the file" if first.isdecimal() else ""
    return (
        f"no answer of the file is among the {len(classes)} classes: the first answer is {first!r}, "
        f"the first class {classes[0].label!r}{numbers}"
    )

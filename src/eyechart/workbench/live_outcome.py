"""Predictions under a class list as it is edited, as the probe `class_change` compares them.

Names and labels are numbers of one vocabulary: comparing texts of half a million pictures would take longer than predicting them.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Indices
from eyechart.data.class_design import ClassDesign
from eyechart.workbench.live_design import LiveDesign, continued_names

UNLABELED = -1


class Vocabulary:
    """Numbers for texts, the same for as long as the workbench runs."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def numbers(self, texts: tuple[str, ...]) -> Indices:
        return np.array([self.number(text) for text in texts], np.int64)


@dataclass(frozen=True, eq=False)
class LiveOutcome:
    """The predictions of some pictures.

    live: The class list.
    predicted: The number of the predicted class of each picture.
    vocabulary: What names and labels are numbered by.
    class_names: What the classes are called; by default what the list calls them.
    """

    live: LiveDesign
    predicted: npt.NDArray[Any]
    vocabulary: Vocabulary
    class_names: tuple[str, ...] | None = None

    @property
    def design(self) -> ClassDesign:
        return self.live.class_design

    @cached_property
    def names(self) -> Indices:
        """The number of the predicted name of each picture."""
        called = self.class_names or tuple(c.name for c in self.live.classes)
        return np.asarray(self.vocabulary.numbers(called)[self.predicted])

    @cached_property
    def harmed(self) -> Flags:
        harmful = np.array([c.group in self.live.harmful for c in self.live.classes], np.bool_)
        return np.asarray(harmful[self.predicted])

    @cached_property
    def kinds(self) -> Indices:
        """The number of the group of the predicted class of each picture."""
        order = {group: place for place, group in enumerate(self.design.groups)}
        return np.asarray(np.array([order[c.group] for c in self.live.classes], np.int64)[self.predicted])

    def correct(self, labels: npt.NDArray[np.int64]) -> Flags:
        """Whether the predicted class is right for the label of each picture."""
        right = [(c, self.vocabulary.number(label)) for c, of in enumerate(self.live.classes) for label in of.labels]
        size = max([int(labels.max(initial=0)), *(label for _, label in right)]) + 1
        accepts = np.zeros((len(self.live.classes), size + 1), np.bool_)  # the last column is for pictures without a label
        for c, label in right:
            accepts[c, label] = True
        return np.asarray(accepts[self.predicted, labels])

    def take(self, rows: Indices) -> "LiveOutcome":
        return replace(self, predicted=self.predicted[rows])

    def called_as_in(self, other: LiveDesign) -> "LiveOutcome":
        """The same predictions, with the names that the classes have in another list: a merged or reworded class is the same."""
        return replace(self, class_names=continued_names(self.live, other))

"""Choices between two classes: pictures, their options and the wording, for probes that ask the same question in several ways."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.probes.contract import NotApplicable
from eyechart.probes.tasks.answer_reading import plain
from eyechart.probes.tasks.asked_rows import asked_rows, rng_of
from eyechart.probes.tasks.classifier import ONE_CLASS

WORDINGS = (
    "What is the main object in this picture? Choose one of the following: {}, {}. Answer with the name only.",
    "Which of these does the picture show: {} or {}? Reply with one of the two names.",
    "This picture shows either {} or {}. Which of them is it? Give the name only.",
)


@dataclass(frozen=True)
class TwoOptions:
    """A picture and two classes, of which one is true.

    row: The picture's row.
    true: The true class.
    other: Another class.
    true_first: Whether the true class is listed first.
    """

    row: int
    true: int
    other: int
    true_first: bool

    @property
    def listed(self) -> tuple[int, int]:
        return (self.true, self.other) if self.true_first else (self.other, self.true)

    def text(self, classes: ClassList, *, wording: int = 0, reverse: bool = False) -> str:
        first, second = self.listed[::-1] if reverse else self.listed
        return WORDINGS[wording].format(classes[first].name, classes[second].name)


def two_options(dataset: Dataset, pictures: int, seed: int) -> list[TwoOptions]:
    """A sample of labeled pictures, each with its class and another one drawn at random among those that have pictures.

    Raises:
        NotApplicable: If fewer than two classes have pictures.
    """
    classes, truth, ids = dataset.classes, dataset.label_indices(), dataset.ids()
    present = [int(c) for c in np.unique(truth[truth >= 0])]
    if classes is None or len({plain(classes[c].name) for c in present}) < 2:
        raise NotApplicable(ONE_CLASS)
    made = []
    for row in asked_rows(ids, truth, pictures, seed):
        true, rng = int(truth[row]), rng_of(ids[row], seed, "two options")
        others = [c for c in present if plain(classes[c].name) != plain(classes[true].name)]
        made.append(TwoOptions(int(row), true, others[rng.integers(len(others))], bool(rng.integers(2))))
    return made


def with_article(name: str) -> str:
    """'a dog', 'an owl'; nothing before plurals and names that begin with a capital."""
    if name[:1].isupper() or (name.endswith("s") and not name.endswith("ss")):
        return name
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def units_of(clusters: Indices, rows: Sequence[int]) -> Indices:
    """Numbers from 0 that mark rows of one picture."""
    return np.asarray(np.unique(clusters[list(rows)], return_inverse=True)[1])

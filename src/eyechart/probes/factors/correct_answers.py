"""What counts as a right answer: the picture's own class, any class of its kind, or any class that is seen in it."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.probes.probe import NotApplicable

Counts = Literal["label", "metaclass", "real"]
COUNTS: Sequence[str] = get_args(Counts)
_COLUMNS = {"metaclass": "attr.metaclass", "real": "attr.real"}


def right_answers(dataset: Dataset, classes: ClassList, rows: Indices, predicted: Indices, counts: str) -> Flags:
    """Of the answers `predicted` to these rows, all of which have a label.

    `counts`: "label"; "metaclass", where answer and truth are of one kind (`attr.metaclass`, as ImageNet-X groups classes);
    "real", where the answer is among the classes that are seen in the picture (`attr.real`, the ReaL labels)."""
    every = dataset.label_indices()
    if counts == "label":
        return np.equal(every[rows], predicted)
    column = _COLUMNS[counts]
    if not dataset.has(column):
        raise NotApplicable(f"right answers are to be counted by {counts}, and the dataset has no column {column}")
    values = dataset.table.column(column).to_pylist()
    if counts == "real":
        return np.array([classes[int(p)].label in (values[row] or ()) for row, p in zip(rows, predicted, strict=True)])
    named = sorted({value for value in values if value is not None})
    kinds = np.arange(len(classes)) + len(named)  # a class of which there is no picture is like none but itself
    for label, value in zip(every, values, strict=True):
        if label >= 0 and value is not None:
            kinds[label] = named.index(value)
    return np.equal(kinds[every[rows]], kinds[predicted])

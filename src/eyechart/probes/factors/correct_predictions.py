"""What counts as a correct prediction: the label, any class of its metaclass, or any class in the picture (ReaL labels)."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.probes.contract import NotApplicable

Counts = Literal["label", "metaclass", "real"]
COUNTS: Sequence[str] = get_args(Counts)
_COLUMNS = {"metaclass": "attr.metaclass", "real": "attr.real"}


def correct_predictions(dataset: Dataset, classes: ClassList, rows: Indices, predicted: Indices, counts: str) -> Flags:
    """Which predictions are correct.

    Args:
        dataset: The dataset.
        classes: Its classes.
        rows: Rows that have a label.
        predicted: The predicted class of each of them; -1 for an answer that is no class of the list, which is never correct.
        counts: "label"; "metaclass": prediction and label have the same `attr.metaclass`, as in ImageNet-X; "real": the
            prediction is among the classes in `attr.real` (ReaL labels).
    """
    every = dataset.label_indices()
    if counts == "label":
        return np.equal(every[rows], predicted)
    column = _COLUMNS[counts]
    if not dataset.has(column):
        raise NotApplicable(f"factors.counts is {counts!r}, but the dataset has no column {column}")
    values = dataset.table.column(column).to_pylist()
    if counts == "real":
        return np.array([p >= 0 and classes[int(p)].label in (values[row] or ()) for row, p in zip(rows, predicted, strict=True)])
    named = sorted({value for value in values if value is not None})
    kinds = np.arange(len(classes)) + len(named)  # a class without pictures is its own metaclass
    for label, value in zip(every, values, strict=True):
        if label >= 0 and value is not None:
            kinds[label] = named.index(value)
    return np.asarray((predicted >= 0) & (kinds[every[rows]] == kinds[predicted]))

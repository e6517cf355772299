"""What pictures can be filtered by besides classes: the shift or corruption, its severity, and every attribute of the dataset."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.columns import is_text
from eyechart.data.dataset import Dataset

MOST_VALUES = 100
SOURCE = "source_id"  # the original of a shifted picture
_FIRST = ("shift", "severity")  # shown even where there is one value only: it says what the pictures are


def picture_attributes(dataset: Dataset) -> dict[str, npt.NDArray[np.object_]]:
    """The values of every picture by attribute, None where unknown; columns with many values, such as ids, are left out."""
    found: dict[str, npt.NDArray[np.object_]] = {}
    for column in dataset.table.column_names:
        prefix, _, name = column.partition(".")
        kind = dataset.table.column(column).type
        if (
            prefix not in ("attr", "factor")
            or name == SOURCE
            or not (is_text(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind))
        ):
            continue
        values = np.array(dataset.table.column(column).to_pylist(), object)
        distinct = len({value for value in values if value is not None})
        if (1 if name in _FIRST else 2) <= distinct <= MOST_VALUES:
            found.setdefault(name, values)
    return {name: found[name] for name in sorted(found, key=lambda name: name not in _FIRST)}

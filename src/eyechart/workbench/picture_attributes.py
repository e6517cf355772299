"""What pictures can be filtered by besides classes: the shift or corruption, its severity, and every attribute of the dataset."""

import numpy as np
import numpy.typing as npt

from eyechart.data.attributes import attribute_columns
from eyechart.data.dataset import Dataset


def picture_attributes(dataset: Dataset) -> dict[str, npt.NDArray[np.object_]]:
    """The values of every picture by attribute, None where unknown; columns with many values, such as ids, are left out."""
    return {name: np.array(column.to_pylist(), object) for name, column in attribute_columns(dataset).items()}

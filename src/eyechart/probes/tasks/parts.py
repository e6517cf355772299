"""Parts of a dataset by the values of its columns: sketches, dark pictures, scenes of two objects."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.dataset import Dataset


@dataclass(frozen=True)
class Part:
    """The rows in which a column has one value.

    column: The column without its prefix.
    value: The value.
    members: The rows.
    """

    column: str
    value: str | int | bool
    members: npt.NDArray[np.bool_]

    @property
    def slice(self) -> dict[str, object]:
        return {self.column: self.value}

    @property
    def title(self) -> str:
        if isinstance(self.value, bool):
            return self.column if self.value else f"not {self.column}"
        return f"{self.column}: {self.value}"


def parts_of(dataset: Dataset, *, most: int = 12) -> Iterator[Part]:
    """One part for each value of every attribute and factor with two to `most` different texts, whole numbers or booleans."""
    for name in dataset.table.column_names:
        kind, dot, short = name.partition(".")
        column = dataset.table.column(name)
        of_names = pa.types.is_string(column.type) or pa.types.is_boolean(column.type) or pa.types.is_integer(column.type)
        if not dot or kind not in ("attr", "factor") or not of_names:
            continue
        coded = column.combine_chunks().dictionary_encode()
        values = coded.dictionary.to_pylist()
        if not 2 <= len(values) <= most:
            continue
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        for code, value in sorted(enumerate(values), key=lambda one: one[1]):
            if value is not False or kind != "factor":
                yield Part(short, value, codes == code)

"""The attributes of a dataset's pictures as texts, as predictions carry them."""

import numpy as np
import pyarrow as pa

from eyechart.data.attributes import attribute_columns
from eyechart.data.dataset import Dataset
from eyechart.findings.attributes import attribute_text
from eyechart.probes.tasks.factor_columns import PREFIX, factor_columns


def attribute_texts(dataset: Dataset) -> dict[str, pa.Array]:
    """Attribute → its value for each picture, null where it is unknown.

    A factor is "true" or "false" however the column spells it, and null in rows that the probe `factors` leaves out.
    """
    texts = {name: _texts(column) for name, column in attribute_columns(dataset).items()}
    factors = factor_columns(dataset)
    for place, factor in enumerate(factors.names):
        name = f"{PREFIX}{factor}" if dataset.has(f"attr.{factor}") else factor
        if name in texts:
            marked = np.where(factors.marks[:, place], "true", "false").astype(object)
            texts[name] = pa.array(marked, pa.string(), mask=~factors.annotated)
    return texts


def _texts(column: pa.ChunkedArray) -> pa.Array:
    """Texts of the few distinct values, taken row by row."""
    coded = column.combine_chunks()
    coded = coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()
    known = [None if value is None else attribute_text(value) for value in coded.dictionary.to_pylist()]
    return pa.array(known, pa.string()).take(coded.indices)

"""The attributes of pictures: columns `attr.*` and `factor.*` with few values, by which pictures can be chosen."""

import pyarrow as pa

from eyechart.data.columns import is_text
from eyechart.data.dataset import Dataset

MOST_VALUES = 100  # more are ids or captions, not groups
MOST_COLUMNS = 100
SOURCE = "source_id"  # the original of a shifted picture
FIRST = ("shift", "severity")  # kept even where there is one value only: they say what the pictures are


def attribute_columns(dataset: Dataset) -> dict[str, pa.ChunkedArray]:
    """Attribute → its column: texts, whole numbers or yes and no, with 2 to 100 values; shift and severity first.

    A column `factor.NAME` is called NAME, or `factor.NAME` where there is a column `attr.NAME` too. At most 100 columns.
    """
    found: dict[str, pa.ChunkedArray] = {}
    for name in dataset.table.column_names:
        prefix, _, attribute = name.partition(".")
        if prefix not in ("attr", "factor") or attribute == SOURCE:
            continue
        if prefix == "factor" and dataset.has(f"attr.{attribute}"):
            attribute = name
        column = dataset.table.column(name)
        if not (is_text(column.type) or pa.types.is_boolean(column.type) or pa.types.is_integer(column.type)):
            continue
        distinct = len(column.unique().drop_null())
        if (1 if attribute in FIRST else 2) <= distinct <= MOST_VALUES:
            found[attribute] = column
            if len(found) == MOST_COLUMNS:
                break
    return {name: found[name] for name in sorted(found, key=lambda name: name not in FIRST)}

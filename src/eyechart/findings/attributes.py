"""Attributes of pictures as texts "name=value", by which predictions can be chosen."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.arrays import Flags

UNSHIFTED = frozenset({"", "none", "source", "clean", "original"})  # values of `attr.shift` for unshifted pictures


def attribute_text(value: object) -> str:
    """The value of an attribute as text.

    >>> attribute_text(True), attribute_text(3), attribute_text("red")
    ('true', '3', 'red')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def attribute_lists(attributes: Mapping[str, pa.Array], n: int) -> pa.Array:
    """For each picture the texts "name=value" of the attributes that are known.

    >>> attribute_lists({"hat": pa.array(["red", None]), "coat": pa.array(["blue", "gray"])}, 2).to_pylist()
    [['hat=red', 'coat=blue'], ['coat=gray']]
    """
    if not attributes:
        return pa.array([[]] * n, pa.list_(pa.string()))
    columns = [pc.binary_join_element_wise(f"{name}=", values, "") for name, values in attributes.items()]
    by_row = np.arange(len(columns) * n).reshape(len(columns), n).T.ravel()
    texts = pa.concat_arrays([c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c for c in columns]).take(by_row)
    known = texts.is_valid().to_numpy(zero_copy_only=False).reshape(n, len(columns))
    offsets = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int32)
    return pa.ListArray.from_arrays(offsets, texts.drop_null())


def has_attribute(table: pa.Table, text: str) -> Flags:
    """Rows that have this "name=value" among their attributes."""
    lists = table.column("attributes").combine_chunks()
    rows = pc.list_parent_indices(lists).filter(pc.equal(pc.list_flatten(lists), text))
    found = np.zeros(table.num_rows, np.bool_)
    found[rows.to_numpy()] = True
    return found

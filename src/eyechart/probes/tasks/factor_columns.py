"""The `factor.*` columns of a dataset: which pictures a factor marks, and which pictures are annotated."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.arrays import Flags
from eyechart.data.dataset import Dataset

PREFIX = "factor."
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class FactorColumns:
    """Factors as booleans.

    names: The factors that can be read.
    marks: Whether a factor is marked [n, F].
    annotated: Whether all factor columns have a value in this row [n]. Other rows count neither as marked nor as unmarked.
    unreadable: Factor columns with values other than yes and no.
    """

    names: tuple[str, ...]
    marks: Flags
    annotated: Flags
    unreadable: tuple[str, ...]


def factor_columns(dataset: Dataset) -> FactorColumns:
    """Read columns of booleans, of 0 and 1, or of the words for yes and no."""
    names, columns, unreadable = [], [], []
    for name in dataset.table.column_names:
        if name.startswith(PREFIX):
            column = _as_flags(dataset.table.column(name).combine_chunks())
            if column is None:
                unreadable.append(name.removeprefix(PREFIX))
            else:
                names.append(name.removeprefix(PREFIX))
                columns.append(column)
    if not columns:
        empty = np.zeros((len(dataset), 0), bool)
        return FactorColumns((), empty, np.zeros(len(dataset), bool), tuple(unreadable))
    marks = np.column_stack([_numpy(pc.fill_null(column, False)) for column in columns])
    annotated = np.asarray(np.column_stack([_numpy(pc.is_valid(column)) for column in columns]).all(axis=1))
    return FactorColumns(tuple(names), marks & annotated[:, None], annotated, tuple(unreadable))


def _as_flags(column: pa.Array) -> pa.BooleanArray | None:
    if pa.types.is_boolean(column.type):
        return column
    coded = column.dictionary_encode()
    meant = [_meaning(value) for value in coded.dictionary.to_pylist()]
    if None in meant or not meant:
        return None
    return pa.array(meant, pa.bool_()).take(coded.indices)


def _meaning(value: object) -> bool | None:
    if isinstance(value, float) and value in (0.0, 1.0):
        return bool(value)
    return _WORDS.get(str(value).strip().lower())


def _numpy(column: pa.BooleanArray) -> Flags:
    flags: Flags = column.to_numpy(zero_copy_only=False)
    return flags

"""The column `attr.severity`: how strongly each picture was corrupted."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from eyechart.errors import DataError

COLUMN = "attr.severity"


def read_severities(column: pa.ChunkedArray, where: Callable[[int], str]) -> npt.NDArray[np.int64]:
    """The severities as whole numbers, 0 for an empty entry. DataError for the first entry that is no whole number from 0 up."""
    if pt.is_integer(column.type):
        levels = np.asarray(column.fill_null(0).to_numpy(), np.int64)
        wrong = np.flatnonzero(levels < 0)
        entry = column[int(wrong[0])].as_py() if len(wrong) else None
    else:
        coded = column.combine_chunks().dictionary_encode()
        entries = [*coded.dictionary.to_pylist(), None]
        known = [_level(value) for value in entries]
        places = np.asarray(coded.indices.fill_null(len(entries) - 1).to_numpy(zero_copy_only=False), np.int64)
        levels = np.array([-1 if level is None else level for level in known], np.int64)[places]
        wrong = np.flatnonzero(levels < 0)
        entry = entries[places[wrong[0]]] if len(wrong) else None
    if len(wrong):
        raise DataError(
            f"{where(int(wrong[0]))}: {COLUMN} is {entry!r}, but a severity is a whole number from 0 up; "
            "write numbers, or rename the column if it means something else"
        )
    return levels


def _level(entry: object) -> int | None:
    """The severity; None where the entry is not one."""
    if entry is None or str(entry).strip() == "":
        return 0
    try:
        value = float(str(entry)) if not isinstance(entry, bool) else float(entry)
    except ValueError:
        return None
    if math.isnan(value):
        return 0
    return int(value) if value >= 0 and value.is_integer() else None

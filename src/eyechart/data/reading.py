"""What a reader of one kind of dataset gives: rows, pictures, and how they were found; classes are attached afterwards."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.data.classes import ClassList
from eyechart.data.dataset import PictureSource
from eyechart.errors import DataError
from eyechart.notice import Notice


@dataclass(frozen=True)
class RawDataset:
    """`table` holds `id` and, where known, `label` (string), `captions` and attributes. `where` names a row in messages.
    `labels` are labels that the data declares whether or not a row has them. `numbers` is the label column as numbers, where
    the data holds such beside names. `pairs` are pairs of its pictures, where the set is made of such (eyechart.data.pairs).
    `classes` and `benchmark` are those of a published set, which a reader knows by the set's name."""

    where_all: str
    table: pa.Table
    pictures: PictureSource
    where: Callable[[int], str]
    labels: tuple[str, ...] = ()
    numbers: pa.ChunkedArray | None = None
    notices: tuple[Notice, ...] = ()
    reader: dict[str, Any] = field(default_factory=dict)
    pairs: pa.Table | None = None
    classes: ClassList | None = None
    benchmark: str | None = None


def check_ids(ids: pa.ChunkedArray, where: Callable[[int], str], remedy: str) -> None:
    """Every row has an id of its own; DataError naming the first row without, or the first two that share one."""
    column = ids.combine_chunks()
    missing = pc.fill_null(pc.equal(column, ""), True)
    if pc.any(missing).as_py():
        raise DataError(f"{where(pc.index(missing, True).as_py())}: the id is empty; {remedy}")
    # Ids are mostly in order already, which is many times faster to see than that no two are equal.
    if pc.all(pc.less(column[:-1], column[1:])).as_py() or len(column.dictionary_encode().dictionary) == len(column):
        return
    first: dict[str, int] = {}
    for row, value in enumerate(column.to_pylist()):
        if value in first:
            raise DataError(f"{where(row)}: id {value!r} stands already in {where(first[value])}; {remedy}")
        first[value] = row

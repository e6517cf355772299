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
    """What a reader returns: a dataset before its labels are matched to classes.

    where_all: The dataset's place, for messages.
    table: One row per picture: `id` and, if known, `label` (string), `captions` and attributes.
    pictures: The pictures, in the order of the rows.
    where: The place of a row, for messages.
    labels: Labels that the data declares, whether or not a row has them.
    numbers: The label column as numbers, where the data has both names and numbers.
    notices: What was odd.
    reader: How it was read, for the protocol.
    pairs: Pairs of pictures (see `eyechart.data.pairs`); None where there are none.
    classes: The classes of a published set; None to take them from the labels.
    benchmark: The name of the published set; None where it is none.
    """

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
    """Raise DataError for the first row without an id, or the first two rows with the same id."""
    column = ids.combine_chunks()
    missing = pc.fill_null(pc.equal(column, ""), True)
    if pc.any(missing).as_py():
        raise DataError(f"{where(pc.index(missing, True).as_py())}: the id is empty; {remedy}")
    # Ids are mostly sorted already, and checking that is many times faster than looking for duplicates.
    if pc.all(pc.less(column[:-1], column[1:])).as_py() or len(column.dictionary_encode().dictionary) == len(column):
        return
    first: dict[str, int] = {}
    for row, value in enumerate(column.to_pylist()):
        if value in first:
            raise DataError(f"{where(row)}: id {value!r} is already used in {where(first[value])}; {remedy}")
        first[value] = row

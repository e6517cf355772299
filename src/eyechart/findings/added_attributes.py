"""Attributes that a second probe adds to predictions of the first, such as which out-of-distribution pictures are accepted."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


class AddedAttributes:
    """Later rows of one group of predictions, matched by id with the rows that are kept.

    Both name pictures in the order of the dataset, so one piece of the later rows is held in memory at a time.

    Args:
        pieces: The later rows, with the columns `id` and `attributes`.
    """

    def __init__(self, pieces: Iterator[pa.Table]) -> None:
        self._pieces = pieces
        self._piece: pa.Table | None = None
        self._left = 0  # rows of the piece that are not matched yet

    def onto(self, table: pa.Table) -> pa.Table:
        """The next rows that are kept, with attributes that only the later rows have."""
        while True:
            if self._piece is None:
                self._piece = next(self._pieces, None)
                if self._piece is None:
                    return table
                self._left = self._piece.num_rows
            place = pc.index_in(table["id"], value_set=self._piece["id"].combine_chunks()).fill_null(-1).to_numpy()
            table = _joined(table, self._piece, place)
            self._left -= int((place >= 0).sum())
            if self._left:
                return table
            self._piece = None


def _joined(table: pa.Table, later: pa.Table, place: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pa.Table:
    """`table` with attributes of the row `place` of `later`, where it has none of that name; -1 for no row."""
    own, other = (rows["attributes"].combine_chunks() for rows in (table, later))
    names = {text.partition("=")[0] for text in pc.list_flatten(own).unique().to_pylist()}
    new = [text for text in pc.list_flatten(other).unique().to_pylist() if text.partition("=")[0] not in names]
    if not new:
        return table
    row_of = np.full(later.num_rows, -1, np.int64)
    row_of[place[place >= 0]] = np.flatnonzero(place >= 0)
    texts, rows = pc.list_flatten(other), row_of[pc.list_parent_indices(other).to_numpy(zero_copy_only=False)]
    kept = pc.is_in(texts, value_set=pa.array(new)).to_numpy(zero_copy_only=False) & (rows >= 0)
    all_rows = np.concatenate([pc.list_parent_indices(own).to_numpy(zero_copy_only=False), rows[kept]])
    all_texts = pa.concat_arrays([pc.list_flatten(own), texts.filter(pa.array(kept))])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(all_rows, minlength=table.num_rows))]).astype(np.int32)
    lists = pa.ListArray.from_arrays(offsets, all_texts.take(np.argsort(all_rows, kind="stable")))
    at = table.schema.get_field_index("attributes")
    return table.set_column(at, table.schema.field(at), lists)

"""Pairs of pictures that show one scene from two sides: a table `pairs.parquet` beside that of the pictures."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyechart.errors import DataError

PAIRS_FILE = "pairs.parquet"
_COLUMNS = ("id_a", "id_b", "points_a", "points_b")


def is_pairs(path: Path) -> bool:
    """Whether a file is such a table, and no table of pictures that happens to have its name."""
    if path.name != PAIRS_FILE or not path.is_file():
        return False
    try:
        return set(_COLUMNS) <= set(pq.read_schema(pa.memory_map(os.fsencode(path))).names)
    except (pa.ArrowException, OSError):
        return False


def read_pairs(spec: Path, ids: pa.ChunkedArray) -> pa.Table | None:
    """The pairs that belong to a Parquet table or to the folder it lies in; None where there are none."""
    path = (spec if spec.is_dir() else spec.parent) / PAIRS_FILE
    if not (spec.is_dir() or spec.suffix.lower() in (".parquet", ".pq")) or not is_pairs(path):
        return None
    try:
        pairs = pq.read_table(pa.memory_map(os.fsencode(path)), columns=list(_COLUMNS))
        pairs.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: damaged Parquet ({error}); write it again") from error
    for column in ("id_a", "id_b"):
        unknown = pc.invert(pc.is_in(pairs.column(column), value_set=ids.combine_chunks()))
        if pc.any(unknown).as_py():
            stranger = pairs.column(column).filter(unknown)[0].as_py()
            raise DataError(f"{path}: {column} {stranger!r} is the id of no picture in {spec}; write both tables together")
    return pairs

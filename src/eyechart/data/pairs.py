"""Pairs of pictures that show one thing from two sides: a table beside that of the pictures, from a file `pairs.parquet` or from
the reader of a published set.

`points_a[i]` and `points_b[i]` are x, y in pixels from the top left corner, where the same spot is seen in either picture. Where
known: `turn`, the angle between the views in degrees; `viewpoint`, how far they differ in the set's own words; `box_b`, the left,
top, right and bottom of the thing in the second picture."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyechart.errors import DataError

PAIRS_FILE = "pairs.parquet"
POINTS = pa.list_(pa.list_(pa.float32(), 2))
BOX = pa.list_(pa.float32(), 4)
_COLUMNS = ("id_a", "id_b", "points_a", "points_b")
_WHERE_KNOWN = ("turn", "viewpoint", "box_b")


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
        known = pq.read_schema(pa.memory_map(os.fsencode(path))).names
        columns = [*_COLUMNS, *(name for name in _WHERE_KNOWN if name in known)]
        pairs = pq.read_table(pa.memory_map(os.fsencode(path)), columns=columns)
        pairs.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: damaged Parquet ({error}); write it again") from error
    for column in ("id_a", "id_b"):
        unknown = pc.invert(pc.is_in(pairs.column(column), value_set=ids.combine_chunks()))
        if pc.any(unknown).as_py():
            stranger = pairs.column(column).filter(unknown)[0].as_py()
            raise DataError(f"{path}: {column} {stranger!r} is the id of no picture in {spec}; write both tables together")
    _check_points(pairs, path)
    return pairs


def _check_points(pairs: pa.Table, path: Path) -> None:
    """As many points in either picture, each of two numbers."""
    counts = []
    for name in ("points_a", "points_b"):
        try:
            points = pairs.column(name).cast(POINTS)
        except pa.ArrowException:
            kind = pairs.schema.field(name).type
            raise DataError(
                f"{path}: {name} is of type {kind}; give a list of points, each of two numbers, in every row"
            ) from None
        places = np.asarray(pc.list_flatten(pc.list_flatten(points)))
        if points.null_count or not np.isfinite(places).all():
            raise DataError(f"{path}: {name} has a point that is missing or not finite; leave it out in both pictures")
        counts.append(np.asarray(pc.list_value_length(points)))
    odd = np.flatnonzero(counts[0] != counts[1])
    if len(odd):
        first, second = (int(count[odd[0]]) for count in counts)
        raise DataError(f"{path}, row {odd[0]}: {first} points in the first picture and {second} in the second; they go by twos")

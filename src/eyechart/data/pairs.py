"""Pairs of views of one scene or object: a second table, from a file `pairs.parquet` or from the reader of a published set.

`points_a[i]` and `points_b[i]` are the x, y of a keypoint in either picture, in pixels from the top left corner. Optional:
`turn`, the angle between the views in degrees; `viewpoint`, the viewpoint difference on the set's own scale; `box_b`, the left,
top, right and bottom of the object in the second picture; `surface_a` and `surface_b`, points of the visible surface, each with
x, y in the picture and X, Y, Z in centimeters, in a frame that both views share."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyechart.data.columns import is_text
from eyechart.errors import DataError

PAIRS_FILE = "pairs.parquet"
POINTS = pa.list_(pa.list_(pa.float32(), 2))
BOX = pa.list_(pa.float32(), 4)
_COLUMNS = ("id_a", "id_b", "points_a", "points_b")
SURFACE = pa.list_(pa.list_(pa.float32(), 5))
SURFACES = ("surface_a", "surface_b")
_OPTIONAL = ("turn", "viewpoint", "box_b", *SURFACES)


def is_pairs(path: Path) -> bool:
    """Whether a file is a table of pairs, not a table of pictures with the same name."""
    if path.name != PAIRS_FILE or not path.is_file():
        return False
    try:
        return set(_COLUMNS) <= set(pq.read_schema(pa.memory_map(os.fsencode(path))).names)
    except (pa.ArrowException, OSError):
        return False


def read_pairs(spec: Path, ids: pa.ChunkedArray) -> pa.Table | None:
    """The pairs of a Parquet table or of its folder; None where there are none."""
    path = (spec if spec.is_dir() else spec.parent) / PAIRS_FILE
    if not (spec.is_dir() or spec.suffix.lower() in (".parquet", ".pq")) or not is_pairs(path):
        return None
    try:
        known = pq.read_schema(pa.memory_map(os.fsencode(path))).names
        columns = [*_COLUMNS, *(name for name in _OPTIONAL if name in known)]
        pairs = pq.read_table(pa.memory_map(os.fsencode(path)), columns=columns)
        pairs.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: damaged Parquet ({error}); write it again") from error
    for column in ("id_a", "id_b"):
        if not is_text(pairs.schema.field(column).type):
            kind = pairs.schema.field(column).type
            raise DataError(f"{path}: {column} is of type {kind}; write the ids of the pictures as texts")
        unknown = pc.invert(pc.is_in(pairs.column(column), value_set=ids.combine_chunks().cast(pairs.schema.field(column).type)))
        if pc.any(unknown).as_py():
            unknown_id = pairs.column(column).filter(unknown)[0].as_py()
            raise DataError(f"{path}: {column} {unknown_id!r} is not the id of a picture in {spec}; write both tables together")
    _check_points(pairs, path)
    return _with_surfaces(pairs, path)


def _with_surfaces(pairs: pa.Table, path: Path) -> pa.Table:
    """The pairs, with surfaces of the right type; those of one view alone are of no use."""
    for name in SURFACES:
        if name not in pairs.column_names:
            continue
        try:
            points = pairs.column(name).cast(SURFACE)
        except pa.ArrowException:
            kind = pairs.schema.field(name).type
            raise DataError(
                f"{path}: {name} is of type {kind}; give a list of points, each of five numbers, in every row"
            ) from None
        if not np.isfinite(np.asarray(pc.list_flatten(pc.list_flatten(points)))).all():
            raise DataError(f"{path}: {name} has a number that is not finite; remove that point")
        pairs = pairs.set_column(pairs.schema.get_field_index(name), name, points)
    return (
        pairs
        if set(SURFACES) <= set(pairs.column_names)
        else pairs.drop_columns([n for n in SURFACES if n in pairs.column_names])
    )


def _check_points(pairs: pa.Table, path: Path) -> None:
    """Both pictures need the same number of keypoints, each with two numbers."""
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
            raise DataError(f"{path}: {name} has a keypoint that is missing or not finite; remove it from both pictures")
        counts.append(np.asarray(pc.list_value_length(points)))
    odd = np.flatnonzero(counts[0] != counts[1])
    if len(odd):
        first, second = (int(count[odd[0]]) for count in counts)
        raise DataError(
            f"{path}, row {odd[0]}: {first} keypoints in the first picture and {second} in the second; both need the same number"
        )

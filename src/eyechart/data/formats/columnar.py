"""Parquet and Arrow files as one dataset: all columns except the pictures are read at once, pictures when needed."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.data.columns import Roles, find_roles
from eyechart.data.dataset import PictureSource
from eyechart.data.features import Features, class_names_of, features_of, kinds_of
from eyechart.data.file_pictures import file_pictures
from eyechart.data.formats.inline_pictures import Cells, InlinePictures, MappedCells, UnpackedCells, rows_without_bytes
from eyechart.data.formats.shards import Shards, shards_of
from eyechart.data.paths import check_paths
from eyechart.data.reading import RawDataset
from eyechart.data.remote_pictures import remote_pictures
from eyechart.data.rows import as_text, make_rows, plain
from eyechart.errors import DataError
from eyechart.files.child import in_child
from eyechart.files.readable import require_regular
from eyechart.files.remote import RemotePath
from eyechart.notice import Notice


def read_parquet(
    paths: Sequence[Path | RemotePath], *, columns: Mapping[str, str] | None = None, root: Path | None = None
) -> RawDataset:
    files = [_open_parquet(path) for path in paths]
    schema = files[0].schema_arrow
    _check_names(schema, paths[0])
    for path, file in zip(paths, files, strict=True):
        _same_columns(schema, file.schema_arrow, paths[0], path)
    features = features_of(schema)
    roles = find_roles(schema, str(paths[0]), columns, kinds_of(features))
    names = _file_names(schema, roles)
    wanted = [*roles.read, *([f"{roles.image}.path"] if names else [])]
    try:
        found = _concat(
            [file.read(columns=wanted, use_threads=True) for file in files], [file.metadata.num_rows for file in files]
        )
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{paths[0]}: damaged Parquet ({error}); download or write it again") from error
    shards = shards_of(paths, [file.metadata.num_rows for file in files])
    inline = [rows_without_bytes(path, roles.image) for path in paths] if roles.image else []
    cells = UnpackedCells(shards, roles.image) if roles.image else None
    empty = all(nulls == file.metadata.num_rows for nulls, file in zip(inline, files, strict=False))
    whole = all(nulls == 0 for nulls in inline)
    for file in files:
        file.close()
    return _reading("parquet", found, roles, shards, features, cells, root, names=names, empty=empty, whole=whole)


def read_arrow(
    paths: Sequence[Path], *, columns: Mapping[str, str] | None = None, root: Path | None = None, features: Features | None = None
) -> RawDataset:
    """Arrow stream or file format, as `datasets` saves it; mapped, not loaded."""
    tables = [_open_arrow(path) for path in paths]
    for path, table in zip(paths, tables, strict=True):
        _same_columns(tables[0].schema, table.schema, paths[0], path)
    _check_names(tables[0].schema, paths[0])
    features = features_of(tables[0].schema) or features or {}
    roles = find_roles(tables[0].schema, str(paths[0]), columns, kinds_of(features))
    all_rows = pa.concat_tables(tables)
    names = _file_names(all_rows.schema, roles)
    found = all_rows.select([*roles.read, *([roles.image] if names else [])])
    cells, empty, whole = None, False, True
    if roles.image:
        column = all_rows.column(roles.image)
        nulls = sum(_bytes_of(chunk).null_count for chunk in column.chunks)
        cells, empty, whole = MappedCells(column), nulls == len(column), nulls == 0
    shards = shards_of(paths, [table.num_rows for table in tables])
    return _reading("arrow", found, roles, shards, features, cells, root, names=names, empty=empty, whole=whole)


def _reading(
    kind: str, found: pa.Table, roles: Roles, shards: Shards, features: Features, cells: Cells | None, root: Path | None,
    *, names: bool, empty: bool, whole: bool,
) -> RawDataset:  # fmt: skip
    """The dataset of these rows.

    `names`: the picture column also has file names; `empty`: it has nothing else; `whole`: every row has bytes."""
    if found.num_rows == 0:
        raise DataError(f"{shards.paths[0]}: it contains no rows")
    _check_utf8(found, shards)
    base = root or shards.paths[0].parent
    inner = pa.chunked_array([c.field("path") for c in found.column(roles.image).chunks]) if names else None
    rows = make_rows(found, roles, shards.where, names=class_names_of(features, roles.label), paths=inner)
    pictures: PictureSource
    if cells is None or (empty and inner is not None):
        paths = as_text(plain(found.column(roles.path))) if cells is None else as_text(inner)
        if isinstance(base, RemotePath):
            pictures = remote_pictures(base, paths, shards.where)
        else:
            check_paths(paths, base, shards.where, root)
            pictures = file_pictures(base, paths)
    else:
        pictures = InlinePictures(cells, shards, np.arange(found.num_rows), roles.image or "", base, whole)
    notices = []
    if roles.unread:
        what = f"columns with bytes or lists of numbers left unread: {', '.join(roles.unread)}"
        notices.append(Notice(str(shards.paths[0]), what, "rename one to attr.NAME to have it read"))
    reader = {"kind": kind, "columns": roles.describe(), "ids": rows.ids_from, "files": len(shards.paths)}
    where_all = str(shards.paths[0]) if len(shards.paths) == 1 else f"{shards.paths[0]} and {len(shards.paths) - 1} more"
    return RawDataset(where_all, rows.table, pictures, shards.where, rows.labels, rows.numbers, tuple(notices), reader)


def _open_parquet(path: Path | RemotePath) -> pq.ParquetFile:
    try:
        if isinstance(path, RemotePath):
            return pq.ParquetFile(path.open("rb"))
        require_regular(path)
        return pq.ParquetFile(pa.memory_map(os.fsencode(path)))  # bytes: a name need not be text
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: not a Parquet file, or damaged ({error}); download or write it again") from error


_SAVE = "save the dataset again"


def _open_arrow(path: Path) -> pa.Table:
    require_regular(path)
    # Arrow's reader can crash over a damaged file, and with it the whole process. In a child, a crash is an error about the file.
    in_child(
        "eyechart.data.formats.arrow_check:check", str(path), where=path, kind="an Arrow file", remedy="save the dataset again"
    )
    try:
        source = pa.memory_map(os.fsencode(path))
        opened = pa.ipc.open_file if source.read(6) == b"ARROW1" else pa.ipc.open_stream
        source.seek(0)
        return opened(source).read_all()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: not an Arrow file, or damaged ({error}); save the dataset again") from error


def _check_names(schema: pa.Schema, path: Path | RemotePath) -> None:
    """Arrow cannot read a column without a name, or one of two with the same name."""
    for name in schema.names:
        if not name:
            raise DataError(f"{path}: a column has no name; rename it")
        if schema.get_field_index(name) < 0:
            raise DataError(f"{path}: two columns are called {name!r}; rename one")


def _same_columns(schema: pa.Schema, other: pa.Schema, first: Path | RemotePath, path: Path | RemotePath) -> None:
    for name in dict.fromkeys([*schema.names, *other.names]):
        there = [s.field(index).type if (index := s.get_field_index(name)) >= 0 else "missing" for s in (schema, other)]
        if str(there[0]) != str(there[1]):
            raise DataError(
                f"{path}: column {name!r} is {there[1]}, but {there[0]} in {first}; the shards of one dataset have equal columns"
            )


def _check_utf8(found: pa.Table, shards: Shards) -> None:
    for name, column in zip(found.column_names, found.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            raise DataError(f"{_first_damaged(column, shards)}: column {name!r} is damaged ({error}); write it again") from None


def _first_damaged(column: pa.ChunkedArray, shards: Shards) -> str:
    """The place of the first damaged row. No value is read: reading damaged ones can crash."""
    good, bad = 0, len(column)  # the first `good` rows are valid, the first `bad` are not
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            column.slice(0, middle).validate(full=True)
            good = middle
        except pa.ArrowInvalid:
            bad = middle
    return shards.where(good)


def _concat(tables: Sequence[pa.Table], counts: Sequence[int]) -> pa.Table:
    # A table without columns forgets how many rows it had.
    if not tables[0].num_columns:
        return pa.table({"": pa.nulls(sum(counts))})
    return pa.concat_tables(tables)


def _file_names(schema: pa.Schema, roles: Roles) -> bool:
    kind = schema.field(roles.image).type if roles.image else None
    return pa.types.is_struct(kind) and kind.get_field_index("path") >= 0 if kind is not None else False


def _bytes_of(chunk: pa.Array) -> pa.Array:
    return chunk.field("bytes") if pa.types.is_struct(chunk.type) else chunk

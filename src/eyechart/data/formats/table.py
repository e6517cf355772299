"""A CSV, TSV or JSONL table with a column of file names."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from eyechart.data.columns import find_roles, is_text
from eyechart.data.dataset import PictureSource
from eyechart.data.file_pictures import file_pictures
from eyechart.data.formats.text_table import as_numbers, read_csv, read_jsonl
from eyechart.data.paths import check_paths
from eyechart.data.reading import RawDataset
from eyechart.data.remote_pictures import remote_pictures
from eyechart.data.rows import as_text, make_rows
from eyechart.files.remote import RemotePath

KINDS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def read_table(path: Path | RemotePath, *, columns: Mapping[str, str] | None = None, root: Path | None = None) -> RawDataset:
    """File names are relative to the table's folder, or to `root`, and may not lead out of it."""
    kind = KINDS[path.suffix.lower()]
    found = read_jsonl(path) if kind == "jsonl" else read_csv(path)

    def where(row: int) -> str:
        return f"{path}, row {found.lines[row]}"

    roles = find_roles(found.table.schema, str(path), columns)
    table = found.table
    if kind != "jsonl":
        numbers = set(roles.attributes.values())
        named = zip(table.column_names, table.columns, strict=True)
        table = pa.table({name: as_numbers(column) if name in numbers else column for name, column in named})
    rows = make_rows(table, roles, where)
    base = root or path.parent
    paths = (
        as_text(table.column(roles.path)) if is_text(table.schema.field(roles.path).type) else pa.chunked_array([], pa.string())
    )
    pictures: PictureSource
    if isinstance(base, RemotePath):
        pictures = remote_pictures(base, paths, where)
    else:
        check_paths(paths, base, where, root)
        pictures = file_pictures(base, paths)
    return RawDataset(
        where_all=str(path),
        table=rows.table,
        pictures=pictures,
        where=where,
        reader={
            "kind": kind,
            "columns": roles.describe(),
            "ids": rows.ids_from,
            "root": "given" if root else "the table's folder",
            "separator": found.separator,
        },
    )

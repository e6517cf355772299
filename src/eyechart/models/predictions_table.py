"""Rows of a file of predictions: CSV, TSV, JSON Lines or Parquet as dictionaries, with the number of each row."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eyechart.errors import DataError
from eyechart.files.readable import require_regular
from eyechart.files.records import parse_json
from eyechart.files.text import read_text

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(row number, columns) of every row. Numbers are lines of text files, and rows from 0 of Parquet files."""
    kind = path.suffix.casefold()
    if kind in _DELIMITERS:
        return _text_rows(path, _DELIMITERS[kind])
    if kind in (".jsonl", ".ndjson"):
        return _json_rows(path)
    if kind == ".parquet":
        return _parquet_rows(path)
    raise DataError(f"{path}: the ending {path.suffix!r} is unknown; give a .csv, .tsv, .jsonl or .parquet file")


def _text_rows(path: Path, delimiter: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(read_text(path)), delimiter=delimiter, strict=True)
    try:
        names = reader.fieldnames or ()
        if len(set(names)) < len(names):
            raise DataError(f"{path}: a column name occurs twice in {', '.join(names)}; rename one")
        if len(names) == 1 and ";" in names[0]:  # as spreadsheets write it in some languages
            raise DataError(f"{path}: its columns are separated by semicolons; write it again with commas")
        for row in reader:
            if None in row or None in row.values():
                raise DataError(f"{path}, row {reader.line_num}: it has not as many fields as the {len(names)} columns")
            yield reader.line_num, dict(row)
    except csv.Error as error:
        raise DataError(f"{path}, row {reader.line_num}: {error}; write it again as CSV") from None


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        row = parse_json(line, f"{path}, row {number}")
        if not isinstance(row, dict):
            raise DataError(f'{path}, row {number}: it is not an object; write {{"id": "…", "label": "…"}}')
        yield number, row


def _parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    require_regular(path)
    try:
        table = pq.read_table(path, partitioning=None)
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: not readable as Parquet ({error}); write it again") from None
    number = 0
    for batch in table.to_batches():
        for row in batch.to_pylist():
            yield number, row
            number += 1

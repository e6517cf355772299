"""CSV, TSV and JSONL files as Arrow tables, with the line number of every row."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.errors import DataError
from eyechart.files.records import parse_json
from eyechart.files.remote import RemotePath
from eyechart.files.text import read_text

# Plain numbers only: '007' and '1e5x' stay text.
_INTEGER = r"^-?(0|[1-9][0-9]{0,17})$"
_NUMBER = r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$|^(?i:nan)$"


@dataclass(frozen=True)
class TextTable:
    """A table from a text file.

    table: The rows. CSV and TSV columns are text with null for empty cells; JSONL columns have their JSON types.
    lines: The line on which every row begins.
    separator: The separator of CSV and TSV; None for JSONL.
    """

    table: pa.Table
    lines: npt.NDArray[np.int64]
    separator: str | None = None


def read_csv(path: Path | RemotePath) -> TextTable:
    text = read_text(path)
    delimiter = _separator(text, path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    head: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    begins = 1
    try:
        for cells in reader:
            begun, begins = begins, reader.line_num + 1
            if not cells:
                continue
            if not head:
                head = _head(cells, path)
            elif len(cells) != len(head):
                raise DataError(
                    f"{path}, row {begun}: {len(cells)} cells, but the header has {len(head)}; "
                    f"add what is missing, or quote cells that contain {delimiter!r}"
                )
            else:
                rows.append(cells)
                lines.append(begun)
    except csv.Error as error:
        raise DataError(f"{path}, row {begins}: not readable as a table ({error}); check the quotes there") from None
    if not rows:
        raise DataError(f"{path}: it contains no rows; the first row names the columns, each other row is a picture")
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    blank = pa.scalar(None, pa.string())
    columns = [pc.if_else(pc.equal(pc.utf8_trim_whitespace(column), ""), blank, column) for column in columns]
    return TextTable(pa.table(columns, names=head), np.array(lines), delimiter)


def _separator(text: str, path: Path | RemotePath) -> str:
    """The separator, read from the header: many spreadsheets write ';' into CSV files."""
    header = text.lstrip().split("\n", 1)[0]
    usual = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    return usual if usual in header else next((sign for sign in ";\t,|" if sign in header), usual)


def _head(cells: list[str], path: Path | RemotePath) -> list[str]:
    # pandas leaves the name of its index column empty.
    head = [cell.strip() or f"column_{number}" for number, cell in enumerate(cells, 1)]
    seen: set[str] = set()
    for name in head:
        if name in seen:
            raise DataError(f"{path}, row 1: two columns are called {name!r}; rename one")
        seen.add(name)
    return head


def as_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column as integers or floats where every cell is one."""
    if column.null_count < len(column):
        for pattern, kind in ((_INTEGER, pa.int64()), (_NUMBER, pa.float64())):
            if pc.all(pc.match_substring_regex(column, pattern)).as_py():
                return column.cast(kind)
    return column


def read_jsonl(path: Path | RemotePath) -> TextTable:
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    # Not splitlines: JSON text may contain U+2028 and similar characters unescaped.
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        row = parse_json(line, f"{path}, row {number}", remedy="write one object per line", unique=False, row=False)
        if not isinstance(row, dict):
            raise DataError(f"{path}, row {number}: not a JSON object; write one object per line")
        rows.append(row)
        lines.append(number)
    if not rows:
        raise DataError(f"{path}: it contains no rows; write one JSON object per line")
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [json_column([row.get(name) for row in rows], name, lambda row: f"{path}, row {lines[row]}") for name in names]
    return TextTable(pa.table(columns, names=names), np.array(lines))


def json_column(values: list[Any], name: str, where: Callable[[int], str]) -> pa.Array:
    """A column of values of one type, or null; DataError names the first row with another type."""
    try:
        name.encode()  # JSON can encode a lone surrogate, which no column name or value may contain
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError) as error:
        kinds = [(row, type(value).__name__) for row, value in enumerate(values) if value is not None]
        odd = next(((row, kind) for row, kind in kinds if kind != kinds[0][1]), None)
        if odd is None:
            raise DataError(f"{where(0)} and on: {name!r} cannot be read as one column ({error})") from None
        raise DataError(
            f"{where(odd[0])}: {name!r} is {odd[1]}, but {kinds[0][1]} in {where(kinds[0][0])}; use one type of value"
        ) from None

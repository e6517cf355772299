"""Published tables as text: CSV rows and numbers. Broken rows are reported and excluded."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from eyechart.errors import DataError
from eyechart.notice import Notice, counted, shortened


@dataclass(frozen=True)
class TextFile:
    """A file that was read or downloaded.

    name: Its name without folders.
    where: Its path or address.
    text: Its content.
    """

    name: str
    where: str
    text: str

    @property
    def stem(self) -> str:
        return self.name.rsplit(".", 1)[0]


@dataclass(frozen=True)
class Imported:
    """An imported table.

    table: Rows in the study's schema.
    notices: Warnings about the table.
    """

    table: pa.Table
    notices: tuple[Notice, ...] = ()


@dataclass
class ExcludedRows:
    """Rows excluded from a table, by reason, so that a thousand broken rows give one notice.

    where: The table.
    found: Reason → rows.
    """

    where: str
    found: dict[str, list[str]] = field(default_factory=dict)

    def note(self, reason: str, row: str) -> None:
        self.found.setdefault(reason, []).append(row)

    def notices(self) -> tuple[Notice, ...]:
        return tuple(
            Notice(self.where, f"{counted(len(rows), 'row')} excluded: {reason}: {shortened(rows)}")
            for reason, rows in self.found.items()
        )


def read_rows(file: TextFile, needed: Sequence[str], excluded: ExcludedRows) -> list[dict[str, str]]:
    """The rows of a CSV file with these columns; a row with too few or too many values is excluded and reported."""
    reader = csv.reader(io.StringIO(file.text, newline=""))
    rows = []
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(header, file, needed)
        for values in reader:
            if len(values) == len(header):
                rows.append(dict(zip(header, (v.strip() for v in values), strict=True)))
            elif any(values):
                excluded.note(f"not {len(header)} values long", f"line {reader.line_num} of {file.name}")
    except csv.Error as error:
        raise DataError(f"{file.where}, line {reader.line_num}: not CSV ({error}); save the table again") from None
    return rows


def _check_header(header: Sequence[str], file: TextFile, needed: Sequence[str]) -> None:
    for name in needed:
        if name not in header:
            raise DataError(f"{file.where}: the first line has no column {name!r}; check that it is the right table, and CSV")
    seen: set[str] = set()
    twice = next((name for name in header if name and (name in seen or seen.add(name))), None)  # type: ignore[func-returns-value]
    if twice is not None:
        raise DataError(f"{file.where}: two columns are named {twice!r}; remove or rename one")


def columns_of(file: TextFile) -> list[str]:
    """The names in a CSV file's first line; none where that line is not CSV, as in a saved HTML page."""
    try:
        return [name.strip() for name in next(csv.reader(io.StringIO(file.text, newline="")), [])]
    except csv.Error:
        return []


def number(text: str | None) -> float | None:
    """'1,014.45' → 1014.45; None for empty text and anything but a finite number."""
    try:
        value = float((text or "").replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def share(text: str | None, *, percent: bool = False) -> float | None:
    """A fraction between 0 and 1; None for anything else."""
    value = number(text)
    if value is None:
        return None
    value = value / 100 if percent else value
    return value if 0 <= value <= 1 else None


def millions(text: str | None) -> int | None:
    """'86.57' million parameters as a number of parameters."""
    value = number(text)
    return None if value is None else round(value * 1e6)


def none_recognized(files: Sequence[TextFile], expected: str) -> DataError:
    """The error where none of the files is a table of the given kind."""
    given = shortened([file.name for file in files]) or "no file with .csv, .json or .jsonl"
    return DataError(f"no table found ({given}); expected {expected}")

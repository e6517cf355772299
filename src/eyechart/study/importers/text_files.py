"""Published tables as text: CSV rows and numbers, whatever is broken in them named and left out."""

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
    """A file as it was read or fetched: `name` without folders, `where` with them."""

    name: str
    where: str
    text: str

    @property
    def stem(self) -> str:
        return self.name.rsplit(".", 1)[0]


@dataclass(frozen=True)
class Imported:
    """Rows in the study's schema, and what was odd about the table they come from."""

    table: pa.Table
    notices: tuple[Notice, ...] = ()


@dataclass
class Oddities:
    """Things left out of one table, gathered by reason so that a thousand broken rows are one notice."""

    where: str
    found: dict[str, list[str]] = field(default_factory=dict)

    def note(self, reason: str, thing: str) -> None:
        self.found.setdefault(reason, []).append(thing)

    def notices(self) -> tuple[Notice, ...]:
        return tuple(
            Notice(self.where, f"{counted(len(things), 'row')} left out: {reason}: {shortened(things)}")
            for reason, things in self.found.items()
        )


def read_rows(file: TextFile, needed: Sequence[str], oddities: Oddities) -> list[dict[str, str]]:
    """The rows of a CSV file with these columns; a row with too few or too many values is left out, and noted."""
    reader = csv.reader(io.StringIO(file.text, newline=""))
    rows = []
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(header, file, needed)
        for values in reader:
            if len(values) == len(header):
                rows.append(dict(zip(header, (v.strip() for v in values), strict=True)))
            elif any(values):
                oddities.note(f"not {len(header)} values long", f"line {reader.line_num} of {file.name}")
    except csv.Error as error:
        raise DataError(f"{file.where}, line {reader.line_num}: not CSV ({error}); save the table anew") from None
    return rows


def _check_header(header: Sequence[str], file: TextFile, needed: Sequence[str]) -> None:
    for name in needed:
        if name not in header:
            raise DataError(f"{file.where}: there is no column {name!r} in its first line; is it another table, or not CSV?")
    twice = next((name for name in header if name and header.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{file.where}: two columns are called {twice!r}, and only one can be meant; take one away, or rename it")


def columns_of(file: TextFile) -> list[str]:
    """The names in a CSV file's first line; none where that line is no CSV, such as that of a page saved under a table's name."""
    try:
        return [name.strip() for name in next(csv.reader(io.StringIO(file.text, newline="")), [])]
    except csv.Error:
        return []


def number(text: str | None) -> float | None:
    """'1,014.45' → 1014.45; None for what is empty or no finite number."""
    try:
        value = float((text or "").replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def share(text: str | None, *, percent: bool = False) -> float | None:
    """A fraction between 0 and 1, None for what is not."""
    value = number(text)
    if value is None:
        return None
    value = value / 100 if percent else value
    return value if 0 <= value <= 1 else None


def millions(text: str | None) -> int | None:
    """'86.57' million parameters as a number of parameters."""
    value = number(text)
    return None if value is None else round(value * 1e6)


def none_recognised(files: Sequence[TextFile], expected: str) -> DataError:
    """What to say where not one of the files is a table of the kind that was named."""
    given = shortened([file.name for file in files]) or "no file with .csv or .jsonl"
    return DataError(f"no table found among what was given ({given}): expected {expected}")

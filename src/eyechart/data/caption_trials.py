"""Caption files: a correct and a wrong caption per picture, or one caption in two orders."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from eyechart.data.formats.text_table import TextTable, read_csv, read_jsonl
from eyechart.errors import DataError, did_you_mean

_TRIAL = ("id", "right", "wrong")
_REWRITTEN = ("id", "large_first", "large_last")


@dataclass(frozen=True)
class CaptionTrial:
    """A picture with a correct and a wrong caption.

    id: The picture's id.
    right: The correct caption.
    wrong: The wrong caption.
    scenario: The kind of trial; "file" where the file names none.
    """

    id: str
    right: str
    wrong: str
    scenario: str = "file"


@dataclass(frozen=True)
class RewrittenCaption:
    """One caption in two orders.

    id: The picture's id.
    large_first: The caption that names the largest object first.
    large_last: The caption that names the largest object last.
    """

    id: str
    large_first: str
    large_last: str


def read_caption_file(path: str | Path) -> tuple[tuple[CaptionTrial, ...], tuple[RewrittenCaption, ...]]:
    """Read a CSV, TSV or JSONL file of captions.

    It has the columns `id`, `right`, `wrong` and, for several kinds of trials, `scenario`; or `id`, `large_first` and
    `large_last`. Other columns are ignored."""
    path = Path(path)
    if not path.is_file():
        raise DataError(f"{path}: there is no such caption file; give a CSV, TSV or JSONL file")
    found: TextTable = read_jsonl(path) if path.suffix.lower() in (".jsonl", ".ndjson") else read_csv(path)
    if {"large_first", "large_last"} & set(found.table.column_names):
        rewritten = [RewrittenCaption(id, first, last) for id, first, last, _ in _cells(found, path, _REWRITTEN)]
        return (), tuple(rewritten)
    return tuple(CaptionTrial(id, right, wrong, kind or "file") for id, right, wrong, kind in _cells(found, path, _TRIAL)), ()


def _cells(found: TextTable, path: Path, needed: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
    """The three cells of every row and its scenario, which may be empty."""
    names = found.table.column_names
    for name in needed:
        if name not in names:
            raise DataError(f"{path}: there is no column {name!r}{did_you_mean(name, names)}; it has {', '.join(names)}")
    columns = {name: found.table.column(name).cast(pa.string()).to_pylist() for name in (*needed, "scenario") if name in names}
    for row, line in enumerate(found.lines):
        cells = {name: (column[row] or "").strip() for name, column in columns.items()}
        for name in needed:
            if not cells[name]:
                raise DataError(f"{path}, row {line}: {name!r} is empty; every row needs a picture and two captions")
        id, one, other = (cells[name] for name in needed)
        if one == other:
            raise DataError(f"{path}, row {line}: its two captions are equal; no model can separate them")
        yield id, one, other, cells.get("scenario", "")

"""Pairs of captions for pictures, from a file: one that is right and one that is wrong, under a scenario."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from eyechart.data.text_table import TextTable, read_csv, read_jsonl
from eyechart.errors import DataError, did_you_mean

_NEEDED = ("id", "right", "wrong")


@dataclass(frozen=True)
class CaptionTrial:
    """`id`: of the picture. `scenario`: what trials of one kind have in common, "file" where the file does not say."""

    id: str
    right: str
    wrong: str
    scenario: str = "file"


def read_caption_trials(path: str | Path) -> tuple[CaptionTrial, ...]:
    """A CSV, TSV or JSONL with the columns `id`, `right`, `wrong` and, where there are several kinds, `scenario`."""
    path = Path(path)
    if not path.is_file():
        raise DataError(f"{path}: there is no such file of captions; name a CSV, TSV or JSONL")
    found: TextTable = read_jsonl(path) if path.suffix.lower() in (".jsonl", ".ndjson") else read_csv(path)
    names = found.table.column_names
    for name in _NEEDED:
        if name not in names:
            raise DataError(f"{path}: there is no column {name!r}{did_you_mean(name, names)}; it has {', '.join(names)}")
    columns = {name: found.table.column(name).cast(pa.string()).to_pylist() for name in (*_NEEDED, "scenario") if name in names}
    trials = []
    for row, line in enumerate(found.lines):
        cells = {name: (column[row] or "").strip() for name, column in columns.items()}
        for name in _NEEDED:
            if not cells[name]:
                raise DataError(f"{path}, row {line}: its {name!r} is empty; every trial has a picture and two captions")
        if cells["right"] == cells["wrong"]:
            raise DataError(f"{path}, row {line}: its two captions are the same; no model can tell which is right")
        trials.append(CaptionTrial(cells["id"], cells["right"], cells["wrong"], cells.get("scenario") or "file"))
    return tuple(trials)

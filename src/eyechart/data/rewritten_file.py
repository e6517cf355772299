"""Writes the file of captions in two orders that `read_caption_file` reads: one row per picture, with the original caption."""

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from eyechart.errors import UsageError
from eyechart.files.atomic import remove_abandoned, write_text


@dataclass(frozen=True)
class Rewriting:
    """A rewritten caption.

    id: The picture's id.
    caption: The original caption.
    large: The object that was moved.
    large_first: The caption with this object first.
    large_last: The caption with this object last.
    """

    id: str
    caption: str
    large: str
    large_first: str
    large_last: str


def check_free(path: Path) -> None:
    """Refuse a file that exists: its captions may have been edited by hand."""
    if path.suffix.lower() != ".csv":
        raise UsageError(f"{path}: captions are written as CSV; give a file name that ends with .csv")
    if path.exists():
        raise UsageError(f"{path} already exists; give another file name, or move it")


def write_rewritten(path: Path, rows: Iterable[Rewriting]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Rewriting)])
    writer.writerows(map(astuple, rows))
    remove_abandoned(path.parent, below=False)
    write_text(path, text.getvalue())

"""The file of captions in two orders, as `read_caption_file` reads it: one row a picture, the caption as it was beside them."""

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from eyechart.errors import UsageError
from eyechart.files.atomic import write_text


@dataclass(frozen=True)
class Rewriting:
    """A caption of picture `id`, the thing that was moved, and the caption with it first and last."""

    id: str
    caption: str
    large: str
    large_first: str
    large_last: str


def check_free(path: Path) -> None:
    """Captions may have been mended by hand: a file that is there is never written over."""
    if path.suffix.lower() != ".csv":
        raise UsageError(f"{path}: captions are written as CSV; name a file that ends with .csv")
    if path.exists():
        raise UsageError(f"{path} is there already; name another file, or move it away")


def write_rewritten(path: Path, rows: Iterable[Rewriting]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Rewriting)])
    writer.writerows(map(astuple, rows))
    write_text(path, text.getvalue())

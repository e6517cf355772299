"""Files that the workbench writes, all in the folder `workbench` of a run: designs, classifiers, tagged label errors."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from eyechart.errors import StoreError, UsageError
from eyechart.files.atomic import write_text
from eyechart.workbench.own_folder import FOLDER, writing_to

TAGS = "label-errors.csv"
_COLUMNS = ["dataset", "id", "label", "predicted"]
_REMEDY = "move it away to begin a new list"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}")


def output_file(run: Path, name: str, suffix: str) -> Path:
    """The file for a name that a user typed.

    Raises:
        UsageError: If it is not a plain file name.
    """
    stem = name.strip().removesuffix(suffix)
    if not _NAME.fullmatch(stem) or ".." in stem:
        raise UsageError(f"name {name!r}: use letters, digits, spaces, dots, hyphens and underscores, at most 80")
    return run / FOLDER / f"{stem}{suffix}"


def read_tags(run: Path, dataset: str) -> set[str]:
    """Ids of the pictures of a dataset that were tagged as label errors."""
    return {id for of, id, _, _ in _rows(run) if of == dataset}


def write_tags(run: Path, dataset: str, rows: Sequence[tuple[str, str, str]], *, tagged: bool) -> Path:
    """Tag pictures as label errors, or remove the tag.

    Args:
        run: The folder of the run.
        dataset: The dataset.
        rows: Id, label and predicted class of each picture.
        tagged: False to remove the tag.
    """
    with writing_to(run) as folder:
        known = {(of, id): (of, id, label, predicted) for of, id, label, predicted in _rows(run)}
        for id, label, predicted in rows:
            if tagged:
                known[dataset, id] = (dataset, id, label, predicted)
            else:
                known.pop((dataset, id), None)
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(known.values())
        path = folder / TAGS
        write_text(path, out.getvalue())
    return path


def _rows(run: Path) -> list[tuple[str, str, str, str]]:
    path = run / FOLDER / TAGS
    if not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first, *rows = list(csv.reader(file)) or [_COLUMNS]
    except (csv.Error, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read ({error}); {_REMEDY}") from None
    # Whatever is not understood would be lost when the list is written again.
    if first != _COLUMNS:
        raise StoreError(f"{path}: its columns are not {', '.join(_COLUMNS)}; {_REMEDY}")
    if wrong := next((number for number, row in enumerate(rows, 2) if row and len(row) != len(_COLUMNS)), None):
        raise StoreError(f"{path}: row {wrong} does not have {len(_COLUMNS)} cells; correct it, or {_REMEDY}")
    return [(row[0], row[1], row[2], row[3]) for row in rows if row]

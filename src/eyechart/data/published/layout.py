"""Shared parts of the readers of published sets: folders, classes, and a notice where a set is not complete."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from eyechart.data.classes import ClassList
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.notice import Notice


def as_published(
    found: RawDataset,
    name: str,
    *,
    pictures: int,
    table: pa.Table | None = None,
    classes: ClassList | None = None,
    benchmark: str | None = None,
    notices: Sequence[Notice] = (),
) -> RawDataset:
    """The content of a folder as the published set `name`.

    Args:
        found: What was read from the folder.
        name: The set's name.
        pictures: The number of pictures of the whole set; another number gives a notice.
        table: A table in place of `found.table`.
        classes: The set's classes.
        benchmark: The name under which results are published, where it is not the set's name.
        notices: Further notices.
    """
    table = found.table if table is None else table
    all_notices = [*found.notices, *notices]
    if table.num_rows != pictures:
        what = f"{table.num_rows:,} pictures; the published set has {pictures:,}"
        all_notices.append(Notice(found.where_all, what, "do not compare results on a part with published ones"))
    labels = tuple(c.label for c in classes) if classes else found.labels
    return replace(
        found,
        table=table,
        classes=classes,
        labels=labels,
        benchmark=benchmark or name,
        notices=tuple(all_notices),
        reader={**found.reader, "kind": name},
    )


def take_rows(found: RawDataset, rows: Sequence[int], table: pa.Table) -> RawDataset:
    """The given rows only, with another table."""

    def where(row: int) -> str:
        return found.where(rows[row])

    return replace(found, table=table, pictures=found.pictures.take(list(rows)), where=where)


def inner_folder(folder: Path, *names: str) -> Path:
    """The first of these subfolders that exists, else the folder itself.

    Archives unpack into a folder of their own, and users name either one."""
    return next((folder / name for name in names if (folder / name).is_dir()), folder)


def folder_labels(found: RawDataset, name: str, layout: str) -> list[str]:
    """The name of every picture's subfolder; DataError where a picture is in none."""
    if "label" not in found.table.column_names:
        raise DataError(f"{found.where_all}: its pictures are not in subfolders; {name} has {layout}")
    labels: list[str | None] = found.table.column("label").to_pylist()
    if None in labels:
        raise DataError(f"{found.where(labels.index(None))}: it is not in a subfolder; {name} has {layout}")
    return [label for label in labels if label is not None]

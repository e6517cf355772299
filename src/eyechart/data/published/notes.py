"""What readers of published sets share: the set's classes and name, and a notice where it is not whole."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from eyechart.data.classes import ClassList
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.notice import Notice


def published(
    found: RawDataset,
    name: str,
    *,
    pictures: int,
    table: pa.Table | None = None,
    classes: ClassList | None = None,
    benchmark: str | None = None,
    notices: Sequence[Notice] = (),
) -> RawDataset:
    """What was found in a folder, as the published set `name`, which has so many `pictures`."""
    table = found.table if table is None else table
    said = [*found.notices, *notices]
    if table.num_rows != pictures:
        what = f"{table.num_rows:,} pictures, where the published set has {pictures:,}"
        said.append(Notice(found.where_all, what, "set no figures of a part beside published ones"))
    labels = tuple(c.label for c in classes) if classes else found.labels
    return replace(
        found,
        table=table,
        classes=classes,
        labels=labels,
        benchmark=benchmark or name,
        notices=tuple(said),
        reader={**found.reader, "kind": name},
    )


def kept(found: RawDataset, rows: Sequence[int], table: pa.Table) -> RawDataset:
    """These rows, with another table for them."""

    def where(row: int) -> str:
        return found.where(rows[row])

    return replace(found, table=table, pictures=found.pictures.take(list(rows)), where=where)


def inner(folder: Path, *names: str) -> Path:
    """The first of these subfolders that is there, else the folder itself: archives unpack with a folder around their pictures,
    and people name either."""
    return next((folder / name for name in names if (folder / name).is_dir()), folder)


def labels_of(found: RawDataset, name: str, layout: str) -> list[str]:
    """The name of the subfolder of every picture; DataError where one lies in none."""
    if "label" not in found.table.column_names:
        raise DataError(f"{found.where_all}: its pictures lie in no subfolders, and {name} has {layout}")
    labels: list[str | None] = found.table.column("label").to_pylist()
    if None in labels:
        raise DataError(f"{found.where(labels.index(None))}: it lies in no subfolder, and {name} has {layout}")
    return [label for label in labels if label is not None]

"""Published sets with named classes: matches folder names and annotations to the set's classes, whatever their spelling."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from eyechart.data.class_file import read_classes
from eyechart.data.file_pictures import file_pictures
from eyechart.data.paths import check_paths
from eyechart.data.published.layout import as_published
from eyechart.data.reading import RawDataset, check_ids
from eyechart.errors import DataError, did_you_mean


def in_classes(found: RawDataset, names: Sequence[str], name: str, *, pictures: int) -> RawDataset:
    """The content of a folder as the published set `name`; `names` holds the class of every picture.

    No folder can be called "F-16A/B"; copies write '_' or '-' instead. Only letters and digits are compared."""
    classes = read_classes(name)
    labels_by_letters = {_letters(c.label): c.label for c in classes}
    labels = [labels_by_letters.get(_letters(text)) for text in names]
    if None in labels:
        row = labels.index(None)
        hint = did_you_mean(names[row], [c.label for c in classes])
        remedy = "remove it, or read the folder without the set's name"
        raise DataError(f"{found.where(row)}: {names[row]!r} is not one of the {len(classes)} classes of {name}{hint}; {remedy}")
    table = found.table.drop_columns(["label"]) if "label" in found.table.column_names else found.table
    table = table.append_column("label", pa.array(labels, pa.string()))
    return as_published(replace(found, labels=()), name, pictures=pictures, table=table, classes=classes)


def listed_pictures(folder: Path, files: Sequence[str], where: Path, root: Path | None, split: str) -> RawDataset:
    """The pictures of a folder that the file `where` lists for this split, in its order."""
    ids = pa.chunked_array([pa.array(files, pa.string())])

    def place(row: int) -> str:
        return f"{where}, picture {row + 1} ({files[row]})"

    if not files:
        raise DataError(f"{where}: it lists no pictures; unpack the archive again")
    check_ids(ids, place, "every picture is listed once")
    check_paths(ids, folder, place, root)
    pictures = file_pictures(folder, ids, root or folder)
    return RawDataset(str(where), pa.table({"id": ids}), pictures, place, reader={"split": split})


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())

"""Pictures with true captions and foils (false captions): shared parts of the readers of such sets."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.data.file_pictures import file_pictures
from eyechart.data.paths import check_paths
from eyechart.data.published.boxed_pictures import Box, BoxedPictures
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.files.records import read_json
from eyechart.notice import Notice

_FOLDERS = ("", "images", "val2017", "coco/val2017")  # where pictures are looked for
_CHECKED = 50


@dataclass(frozen=True)
class Entry:
    """One picture with its captions and foils.

    file: The picture's file.
    captions: True captions.
    foils: False captions.
    kind: What the foils change.
    where: The entry's place, for messages.
    group: Entries of the same group are scored together; None where each is scored alone.
    box: The part of the picture that is used; None for the whole picture.
    """

    file: str
    captions: tuple[str, ...]
    foils: tuple[str, ...]
    kind: str
    where: str
    group: str | None = None
    box: Box | None = None


def foiled(folder: Path, entries: Sequence[Entry], kind: str, root: Path | None, notices: Sequence[Notice] = ()) -> RawDataset:
    """The dataset of these entries. `root` is the folder of pictures; by default one next to the annotation files."""
    numbers: Counter[str] = Counter()
    ids = []
    for entry in entries:
        ids.append(f"{entry.kind}/{numbers[entry.kind]:05d}")
        numbers[entry.kind] += 1
    columns: dict[str, Any] = {
        "id": pa.array(ids, pa.string()),
        "captions": pa.array([list(e.captions) for e in entries], pa.list_(pa.string())),
        "foils": pa.array([list(e.foils) for e in entries], pa.list_(pa.string())),
        "attr.kind": pa.array([e.kind for e in entries], pa.string()),
    }
    if any(e.group is not None for e in entries):
        columns["attr.group"] = pa.array([e.group for e in entries], pa.string())
    files = pa.chunked_array([pa.array([e.file for e in entries], pa.string())])

    def where(row: int) -> str:
        return entries[row].where

    base = root or _pictures_beside(folder, [e.file for e in entries])
    check_paths(files, base, where, root)
    pictures = file_pictures(base, files)
    return RawDataset(
        where_all=str(folder),
        table=pa.table(columns),
        pictures=BoxedPictures(pictures, tuple(e.box for e in entries)) if any(e.box for e in entries) else pictures,
        where=where,
        notices=tuple(notices),
        reader={"kind": kind, "root": "given" if root else "next to the files"},
        benchmark=kind,
    )


def rows_of(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The objects of a JSON list or object, each with its place for messages."""
    content = read_json(path, remedy="download it again", most_bytes=None, unique=False)
    named = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    rows = [(f"{path}, entry {place}", row) for place, row in named]
    if not rows or not all(isinstance(row, dict) for _, row in rows):
        raise DataError(f"{path}: expected a list of objects, each with a picture, its caption and a foil")
    return rows


def text(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"{where}: {key!r} is {value!r}; it must be a text that is not empty")
    return value


def _pictures_beside(folder: Path, files: Sequence[str]) -> Path:
    for name in _FOLDERS:
        if any((folder / name / file).is_file() for file in files[:_CHECKED]):
            return folder / name
    looked = ", ".join(name or "the folder itself" for name in _FOLDERS)
    raise DataError(f"{folder}: no picture such as {files[0]} found (looked in {looked}); give --root the folder of the pictures")

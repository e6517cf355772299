"""Pictures with captions that are true of them and foils that are not: what the readers of such sets share."""

import json
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
from eyechart.notice import Notice

_FOLDERS = ("", "images", "val2017", "coco/val2017")  # where the pictures may lie, beside the files
_LOOKED_AT = 50


@dataclass(frozen=True)
class Entry:
    """`kind`: what the foils get wrong. `group`: entries of one number are answered together. `where`: for messages."""

    file: str
    captions: tuple[str, ...]
    foils: tuple[str, ...]
    kind: str
    where: str
    group: str | None = None
    box: Box | None = None


def foiled(folder: Path, entries: Sequence[Entry], kind: str, root: Path | None, notices: Sequence[Notice] = ()) -> RawDataset:
    """`root` is the folder of pictures; one beside the files where not given."""
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
        reader={"kind": kind, "root": "given" if root else "beside the files"},
        benchmark=kind,
    )


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: it cannot be read as JSON ({error}); fetch it again") from error


def rows_of(content: Any, path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The objects of a list, or of an object of objects, each with the place it stands at."""
    named = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    rows = [(f"{path}, entry {place}", row) for place, row in named]
    if not rows or not all(isinstance(row, dict) for _, row in rows):
        raise DataError(f"{path}: expected a list of objects, each with a picture, its caption and a foil")
    return rows


def text(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"{where}: {key!r} is {value!r}; it must be a text")
    return value


def _pictures_beside(folder: Path, files: Sequence[str]) -> Path:
    for name in _FOLDERS:
        if any((folder / name / file).is_file() for file in files[:_LOOKED_AT]):
            return folder / name
    looked = ", ".join(name or "the folder itself" for name in _FOLDERS)
    raise DataError(f"{folder}: no picture such as {files[0]} in it (looked in {looked}); give --root the folder of the pictures")

"""COCO as published: `instances_SPLIT.json` with the boxes and areas of all objects, and `captions_SPLIT.json`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.file_pictures import file_pictures
from eyechart.data.paths import check_paths
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset, check_ids
from eyechart.errors import DataError, did_you_mean
from eyechart.files.records import read_json
from eyechart.files.text import nearest_sibling
from eyechart.notice import Notice, counted

Kinds = type | tuple[type, ...]
_ID: Kinds = (int, str)
_NUMBER = (int, float)
_OBJECT = pa.struct([("name", pa.string()), ("area", pa.float64()), ("box", pa.list_(pa.float64()))])


def read_coco_instances(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Read COCO from the folder that contains the two files, or from the one above it with a folder `annotations`.

    Pictures are in a folder named after the split, or in `root`. Areas are shares of the picture: mask areas as the file gives
    them, else box areas."""
    base = folder / "annotations" if (folder / "annotations").is_dir() else folder
    split = split or _only_split(base)
    path = base / f"instances_{split}.json"
    content = _content(path)
    names = {row["id"]: row["name"] for row in _rows(content, "categories", path, {"id": _ID, "name": str})}
    images = _rows(content, "images", path, {"id": _ID, "file_name": str, "width": _NUMBER, "height": _NUMBER})
    objects: dict[Any, list[dict[str, Any]]] = {row["id"]: [] for row in images}
    sizes = {row["id"]: float(row["width"]) * float(row["height"]) for row in images}
    lost = 0
    for number, row in enumerate(_rows(content, "annotations", path, {"image_id": _ID, "category_id": _ID, "bbox": list})):
        if row["image_id"] not in objects or row["category_id"] not in names:
            raise DataError(f"{path}, annotations[{number}]: its picture or category is not in the file; download it again")
        obj = _object(row, names[row["category_id"]], sizes[row["image_id"]], f"{path}, annotations[{number}]")
        if obj is None:
            lost += 1
        else:
            objects[row["image_id"]].append(obj)
    captions = _captions(base / f"captions_{split}.json")
    table = pa.table(
        {
            "id": pa.array([str(row["file_name"]) for row in images], pa.string()),
            "captions": pa.array([captions.get(row["id"], []) for row in images], pa.list_(pa.string())),
            "objects": pa.array([objects[row["id"]] for row in images], pa.list_(_OBJECT)),
        }
    )

    def where(row: int) -> str:
        return f"{path}, images[{row}]"

    check_ids(table.column("id"), where, "every picture must be listed once")
    pictures = root or next((p for p in (folder / split, folder / "images" / split, folder / "images") if p.is_dir()), folder)
    check_paths(table.column("id"), pictures, where, root)
    what = f"{counted(lost, 'annotation')} of crowds or without area left out"
    return RawDataset(
        where_all=str(path),
        table=table,
        pictures=file_pictures(pictures, table.column("id")),
        where=where,
        notices=(Notice(str(path), what),) if lost else (),
        reader={"kind": "coco", "split": split, "root": "given" if root else "next to the file"},
        classes=ClassList("coco", tuple(PictureClass(name, name) for name in names.values()), f"file {path.name}"),
    )


def _only_split(base: Path) -> str:
    found = sorted(file.stem.removeprefix("instances_") for file in base.glob("instances_*.json"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise DataError(f"{base}: it contains no instances_SPLIT.json; give the folder of COCO's annotations")
    raise DataError(f"{base}: it contains {', '.join(found)}; choose one with --split")


def _content(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        known = [file.stem.rpartition("_")[2] for file in path.parent.glob(f"{path.stem.partition('_')[0]}_*.json")]
        hint = did_you_mean(path.stem.rpartition("_")[2], known) or nearest_sibling(path)
        raise DataError(f"{path}: there is no such file{hint}")
    content = read_json(path, remedy="download it again", most_bytes=None, unique=False)
    if not isinstance(content, dict):
        raise DataError(f"{path}: not a COCO annotation file; it is not a JSON object")
    return content


def _rows(content: Mapping[str, Any], key: str, path: Path, needed: Mapping[str, Kinds]) -> list[Mapping[str, Any]]:
    rows = content.get(key)
    if not isinstance(rows, list):
        raise DataError(f"{path}: it has no list {key!r}; give a COCO annotation file")
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or (missing := [name for name in needed if name not in row]):
            lacks = f"lacks {missing[0]!r}" if isinstance(row, dict) else "is not an object"
            raise DataError(f"{path}, {key}[{number}]: it {lacks}")
        odd = next((name for name, kinds in needed.items() if not isinstance(row[name], kinds)), None)
        if odd is not None:
            raise DataError(f"{path}, {key}[{number}]: {odd!r} is a {type(row[odd]).__name__}; download the file again")
    return rows


def _object(row: Mapping[str, Any], name: str, picture: float, where: str) -> dict[str, Any] | None:
    box, given = row["bbox"], row.get("area")
    if row.get("iscrowd") or len(box) != 4 or not picture > 0:
        return None
    if not all(isinstance(v, _NUMBER) for v in (*box, given or 0)):
        raise DataError(f"{where}: 'bbox' or 'area' has something other than numbers; download the file again")
    left, top, width, height = (float(v) for v in box)
    area = float(given) if given else width * height
    return {"name": name, "area": area / picture, "box": [left, top, left + width, top + height]} if area > 0 else None


def _captions(path: Path) -> dict[Any, list[str]]:
    """The captions of every picture; none where there is no such file."""
    if not path.is_file():
        return {}
    found: dict[Any, list[str]] = {}
    for row in _rows(_content(path), "annotations", path, {"image_id": _ID, "caption": str}):
        found.setdefault(row["image_id"], []).append(str(row["caption"]).strip())
    return found


SET = PublishedSet(
    name="coco",
    read=read_coco_instances,
    n=None,
    license="annotations CC BY 4.0; pictures under Flickr's terms of use",
    about="COCO with the area and box of every object and all captions.",
    layout="annotations/instances_<split>.json, annotations/captions_<split>.json, <split>/*",
    example="coco:coco/",
    citation="Lin et al., 2014",
)

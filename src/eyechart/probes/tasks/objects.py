"""The objects in the pictures of a dataset: which ones, how large and where, grouped by the number of objects in a picture."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from eyechart.arrays import Doubles, Indices
from eyechart.data.dataset import Dataset


@dataclass(frozen=True)
class Scenes:
    """Pictures that show `count` differently named objects each.

    rows: Rows of the dataset.
    objects: Numbers of the object names, from left to right [N, n].
    areas: The visible area of each object [N, n]; where sizes are not known, 2 for a large object and 1 for others.
    """

    rows: Indices
    objects: Indices
    areas: Doubles

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def count(self) -> int:
        return int(self.objects.shape[1])

    @cached_property
    def by_size(self) -> Indices:
        """[N, n]: the position of the largest object, of the second largest, …; the left one first where two are equal."""
        return np.argsort(-self.areas, axis=1, kind="stable")

    @cached_property
    def ratios(self) -> Doubles:
        """[N]: the area of the largest object divided by the mean area of the others."""
        largest = self.areas.max(axis=1)
        return np.asarray(largest * (self.count - 1) / (self.areas.sum(axis=1) - largest))

    def subset(self, chosen: npt.NDArray[np.bool_]) -> "Scenes":
        return Scenes(self.rows[chosen], self.objects[chosen], self.areas[chosen])


@dataclass(frozen=True)
class ObjectScenes:
    """The scenes of a dataset.

    names: The names of all objects, sorted.
    scenes: The pictures by their number of objects, from two up.
    measured: Whether areas are known, rather than only which object is large.
    """

    names: tuple[str, ...]
    scenes: tuple[Scenes, ...]
    measured: bool = True


def plain_name(name: str) -> str:
    """A name in plain lower case: 'Fire_Hydrant' → 'fire hydrant'."""
    return " ".join(name.replace("_", " ").split()).casefold()


def object_scenes(dataset: Dataset) -> ObjectScenes:
    """Read the column `objects`.

    Objects of one name in a picture count as one: their areas are added, and their position is the mean weighted by area.
    Objects that are not visible, or have neither area nor box, are left out. Where no object has either, the field `large` says
    which objects are large.
    """
    if not dataset.has("objects"):
        return ObjectScenes((), ())
    rows, objects = _flat(dataset.table.column("objects"))
    written = [plain_name(name or "") for name in objects["name"]]
    names = tuple(sorted({name for name in written if name}))
    number = {name: index for index, name in enumerate(names)}
    codes = np.array([number.get(name, -1) for name in written], np.int64)
    areas, across = _areas(objects), _horizontal(objects)
    visible = (codes >= 0) & (areas > 0) & np.isfinite(across)
    rows, codes, areas, across = rows[visible], codes[visible], areas[visible], across[visible]
    _, first, same = np.unique(rows * max(len(names), 1) + codes, return_index=True, return_inverse=True)
    total = np.bincount(same, areas)
    middle = np.bincount(same, areas * across) / total if len(total) else total
    rows, codes = rows[first], codes[first]
    order = np.lexsort((middle, rows))
    rows, codes, total = rows[order], codes[order], total[order]
    pictures, start, counts = np.unique(rows, return_index=True, return_counts=True)
    scenes = []
    for count in np.unique(counts[counts > 1]):
        some = counts == count
        places = start[some][:, None] + np.arange(count)
        scenes.append(Scenes(pictures[some].astype(np.int64), codes[places], total[places]))
    return ObjectScenes(names, tuple(scenes), measured=not _only_marked(objects))


def total_areas(dataset: Dataset) -> list[dict[str, float]]:
    """For each picture, the visible area of each object name, summed over its objects; 1 where the dataset has no areas."""
    return [{name: sum(areas) for name, areas in by_name.items()} for by_name in object_areas(dataset, unknown=1.0)]


def object_areas(dataset: Dataset, *, unknown: float = 0.0) -> list[dict[str, list[float]]]:
    """For each picture, the areas of all visible objects by name; `unknown` where the dataset has no areas."""
    rows, objects = _flat(dataset.table.column("objects"))
    areas = _areas(objects) if {"area", "box", "mask", "large"} & set(objects) else np.full(len(rows), unknown)
    found: list[dict[str, list[float]]] = [{} for _ in range(len(dataset))]
    for row, name, area in zip(rows, objects["name"], areas, strict=True):
        if name and area > 0:
            found[row].setdefault(plain_name(name), []).append(float(area))
    return found


def object_names(dataset: Dataset) -> set[str]:
    """The names of all objects as they are written in the dataset."""
    return {name for name in _flat(dataset.table.column("objects"))[1]["name"] if name} if dataset.has("objects") else set()


def single_objects(dataset: Dataset) -> list[str | None]:
    """The name of the only object in each picture; None where there are several, or where it is unknown.

    Without the column `objects`, the class name of the label is used.
    """
    if dataset.has("objects"):
        rows, objects = _flat(dataset.table.column("objects"))
        count = np.bincount(rows, minlength=len(dataset))
        found: list[str | None] = [None] * len(dataset)
        for row, name in zip(rows, objects["name"], strict=True):
            if count[row] == 1 and name:
                found[row] = plain_name(name)
        return found
    if not dataset.has("label"):
        return [None] * len(dataset)
    title = {c.label: c.name for c in dataset.classes} if dataset.classes else {}
    labels: list[str | None] = dataset.table.column("label").to_pylist()
    return [None if label is None else plain_name(title.get(label, label)) for label in labels]


def _flat(column: pa.ChunkedArray) -> tuple[Indices, dict[str, list[Any]]]:
    """The row of every object, and its fields. Masks are long and are read only where there is neither area nor box."""
    whole = column.combine_chunks()
    if not (pt.is_list(whole.type) or pt.is_large_list(whole.type)) or not pt.is_struct(whole.type.value_type):
        return np.empty(0, np.int64), {"name": []}
    counts = whole.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    objects = whole.flatten()
    there = [name for name in ("name", "x", "area", "box", "large") if objects.type.get_field_index(name) >= 0]
    fields: dict[str, list[Any]] = {name: objects.field(name).to_pylist() for name in there}
    sized = any(value is not None for name in ("area", "box") for value in fields.get(name, ()))
    if not sized and objects.type.get_field_index("mask") >= 0:
        fields["mask"] = objects.field("mask").to_pylist()
    fields.setdefault("name", [None] * len(objects))
    return np.repeat(np.arange(len(whole)), counts), fields


def _areas(objects: dict[str, list[Any]]) -> Doubles:
    """The areas, else those of the masks, else those of the boxes, else 2 for objects that are marked as large and 1 for others.

    One source for all objects, so that areas are comparable."""
    if _only_marked(objects):
        return np.array([2.0 if large else 1.0 for large in objects["large"]], np.float64)
    if any(value is not None for value in objects.get("area", ())):
        return _numbers(objects["area"])
    if "mask" in objects:
        return np.array([float(sum(mask[1::2])) if mask else 0.0 for mask in objects["mask"]], np.float64)
    return np.array([_box_area(box) for box in objects.get("box", [None] * len(objects["name"]))], np.float64)


def _only_marked(objects: dict[str, list[Any]]) -> bool:
    """Whether no object has a size, but some are marked as large."""
    sizes = (value for field in ("area", "mask", "box") for value in objects.get(field, ()))
    return any(objects.get("large", ())) and all(value is None for value in sizes)


def _horizontal(objects: dict[str, list[Any]]) -> Doubles:
    """The horizontal position of each object, else of the center of its box."""
    if any(value is not None for value in objects.get("x", ())):
        return _numbers(objects["x"])
    boxes = objects.get("box", [None] * len(objects["name"]))
    return np.array([(box[0] + box[2]) / 2 if box and len(box) == 4 else np.nan for box in boxes], np.float64)


def _numbers(values: list[Any]) -> Doubles:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _box_area(box: list[float] | None) -> float:
    left, top, right, bottom = box if box and len(box) == 4 else (0, 0, 0, 0)
    return float(max(0, right - left) * max(0, bottom - top))

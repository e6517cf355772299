"""What the pictures of a dataset show, as numbers: which things, how large and where, for pictures of equally many things."""

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
    """Pictures that show `count` differently named things each. `rows`: of the dataset; `objects` [N, n]: numbers of the things'
    names, from left to right; `areas` [N, n]: what is seen of each."""

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
        """[N, n]: the place of the largest, of the second largest, …; of equals, the left one comes first."""
        return np.argsort(-self.areas, axis=1, kind="stable")

    @cached_property
    def ratios(self) -> Doubles:
        """[N]: the area of the largest over the mean area of the others."""
        largest = self.areas.max(axis=1)
        return np.asarray(largest * (self.count - 1) / (self.areas.sum(axis=1) - largest))

    def subset(self, chosen: npt.NDArray[np.bool_]) -> "Scenes":
        return Scenes(self.rows[chosen], self.objects[chosen], self.areas[chosen])


@dataclass(frozen=True)
class Shown:
    """`names` of all things in sorted order, and the pictures by how many they show, from two up."""

    names: tuple[str, ...]
    scenes: tuple[Scenes, ...]


def plain_name(name: str) -> str:
    """A name as it is said: 'Fire_Hydrant' → 'fire hydrant'."""
    return " ".join(name.replace("_", " ").split()).casefold()


def shown(dataset: Dataset) -> Shown:
    """Things of one name in a picture count as one, with their areas together, in the middle of them weighed by area. What is
    not seen at all, or has neither area nor box, is left out."""
    if not dataset.has("objects"):
        return Shown((), ())
    rows, things = _flat(dataset.table.column("objects"))
    said = [plain_name(name or "") for name in things["name"]]
    names = tuple(sorted({name for name in said if name}))
    number = {name: index for index, name in enumerate(names)}
    codes = np.array([number.get(name, -1) for name in said], np.int64)
    areas, across = _areas(things), _across(things)
    seen = (codes >= 0) & (areas > 0) & np.isfinite(across)
    rows, codes, areas, across = rows[seen], codes[seen], areas[seen], across[seen]
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
    return Shown(names, tuple(scenes))


def areas_by_name(dataset: Dataset) -> list[dict[str, float]]:
    """What is seen of each picture's things, by name; things of one name together. 1 where nothing says how large anything is."""
    return [{name: sum(areas) for name, areas in seen.items()} for seen in things_by_name(dataset, unknown=1.0)]


def things_by_name(dataset: Dataset, *, unknown: float = 0.0) -> list[dict[str, list[float]]]:
    """The area of every thing that is seen in each picture, by its name; `unknown` where nothing says how large anything is."""
    rows, things = _flat(dataset.table.column("objects"))
    areas = _areas(things) if {"area", "box", "mask"} & set(things) else np.full(len(rows), unknown)
    found: list[dict[str, list[float]]] = [{} for _ in range(len(dataset))]
    for row, name, area in zip(rows, things["name"], areas, strict=True):
        if name and area > 0:
            found[row].setdefault(plain_name(name), []).append(float(area))
    return found


def object_names(dataset: Dataset) -> set[str]:
    """The names of all objects as they are written; none where the column lists no objects with names."""
    return {name for name in _flat(dataset.table.column("objects"))[1]["name"] if name} if dataset.has("objects") else set()


def single_objects(dataset: Dataset) -> list[str | None]:
    """The name of the one thing that each picture shows; None where it shows several, or where nothing says what it shows.
    Without a column of objects, the label says it: its class's name, where the set has classes."""
    if dataset.has("objects"):
        rows, things = _flat(dataset.table.column("objects"))
        count = np.bincount(rows, minlength=len(dataset))
        found: list[str | None] = [None] * len(dataset)
        for row, name in zip(rows, things["name"], strict=True):
            if count[row] == 1 and name:
                found[row] = plain_name(name)
        return found
    if not dataset.has("label"):
        return [None] * len(dataset)
    title = {c.label: c.name for c in dataset.classes} if dataset.classes else {}
    labels: list[str | None] = dataset.table.column("label").to_pylist()
    return [None if label is None else plain_name(title.get(label, label)) for label in labels]


def _flat(column: pa.ChunkedArray) -> tuple[Indices, dict[str, list[Any]]]:
    """The row of every thing, and its fields; masks, which are long, only where they alone say how large a thing is."""
    whole = column.combine_chunks()
    if not (pt.is_list(whole.type) or pt.is_large_list(whole.type)) or not pt.is_struct(whole.type.value_type):
        return np.empty(0, np.int64), {"name": []}
    counts = whole.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    things = whole.flatten()
    there = [name for name in ("name", "x", "area", "box", "mask") if things.type.get_field_index(name) >= 0]
    kept = [name for name in there if name != "mask" or not {"area", "box"} & set(there)]
    fields: dict[str, list[Any]] = {name: things.field(name).to_pylist() for name in kept}
    fields.setdefault("name", [None] * len(things))
    return np.repeat(np.arange(len(whole)), counts), fields


def _areas(things: dict[str, list[Any]]) -> Doubles:
    """Of each thing, else of its box, else of its mask: the runs inside. A mixture would compare unlike numbers, so what is given
    for any thing is asked of all."""
    if any(value is not None for value in things.get("area", ())):
        return _numbers(things["area"])
    if "mask" in things:
        return np.array([float(sum(mask[1::2])) if mask else 0.0 for mask in things["mask"]], np.float64)
    return np.array([_box_area(box) for box in things.get("box", [None] * len(things["name"]))], np.float64)


def _across(things: dict[str, list[Any]]) -> Doubles:
    if any(value is not None for value in things.get("x", ())):
        return _numbers(things["x"])
    boxes = things.get("box", [None] * len(things["name"]))
    return np.array([(box[0] + box[2]) / 2 if box and len(box) == 4 else np.nan for box in boxes], np.float64)


def _numbers(values: list[Any]) -> Doubles:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _box_area(box: list[float] | None) -> float:
    left, top, right, bottom = box if box and len(box) == 4 else (0, 0, 0, 0)
    return float(max(0, right - left) * max(0, bottom - top))

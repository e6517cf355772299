"""Open a named dataset of the embedded world."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.data.labels import attach_classes
from eyechart.data.reading import RawDataset
from eyechart.errors import UsageError
from eyechart.notice import Notice
from eyechart.world.composer import LARGEST
from eyechart.world.datasets.photographs import with_photographs
from eyechart.world.datasets.registry import WORLD_DATASETS
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset
from eyechart.world.scene_pictures import RENDERING_VERSION, ScenePictures
from eyechart.world.truth import CAMERA, OBJECTS, camera_of, objects_of, owners


def open_world(
    name: str,
    *,
    n: int | None = None,
    seed: int = 0,
    side: int = 64,
    classes: str | Path | ClassList | None = None,
    photographs: str | Path | None = None,
) -> Dataset:
    """Open a dataset of the embedded world. Pictures are rendered when they are read.

    Args:
        name: The dataset's name, such as `world-objects`.
        n: The number of pictures, by default the dataset's usual size; row i does not depend on it.
        seed: The seed of the scenes.
        side: Width and height of the pictures in pixels.
        classes: Other class names than the world's own: a list's name, a file of class names, or a ClassList.
        photographs: A folder of pictures to add to `world-ood`.

    >>> open_world("world-objects", n=3).ids()
    ['00000-cube', '00001-sphere', '00002-cylinder']
    """
    if photographs is not None and name != "world-ood":
        raise UsageError(f"{name}: photographs can be added to world-ood only")
    dataset = follow(WORLD_DATASETS.get(name), n=n, seed=seed, side=side)
    if photographs is not None:
        dataset = with_photographs(dataset, photographs)
    return dataset if classes is None else _with_classes(dataset, classes)


def follow(recipe: WorldDataset, *, n: int | None = None, seed: int = 0, side: int = 64) -> Dataset:
    """The dataset of a recipe, whether it is a named dataset or one of a bank."""
    name = recipe.name
    if not 8 <= side <= LARGEST:
        raise UsageError(f"{name}: pictures of {side} pixels; choose a side from 8 to {LARGEST}")
    if not 0 <= seed < 2**32:
        raise UsageError(f"{name}: the seed is {seed}; choose a whole number from 0 to 4,294,967,295")
    wanted = recipe.usual if n is None else n
    size = _size(recipe, wanted)
    streams = Streams(seed, recipe.number)
    shots = list(islice(recipe.draw(streams), size))
    reader = {"kind": "world", "source": name, "n": size, "seed": seed, "side": side, "version": RENDERING_VERSION}
    return Dataset(
        name=name,
        table=_table(shots, side),
        pictures=ScenePictures(tuple(shot.subject for shot in shots), side),
        classes=recipe.classes,
        notices=_notices(recipe, wanted, size),
        reader=reader,
        pairs=recipe.pairs(shots, side, streams) if recipe.pairs else None,
    )


def usual_size(name: str) -> int:
    """The usual number of pictures of a named dataset."""
    recipe: WorldDataset = WORLD_DATASETS.get(name)
    return recipe.usual


def _size(recipe: WorldDataset, wanted: int) -> int:
    if wanted < recipe.unit:
        raise UsageError(f"{recipe.name}: {wanted} pictures; give {recipe.unit} or more")
    rows = recipe.block if recipe.unit < recipe.block <= wanted else recipe.unit
    return wanted // rows * rows


def _notices(recipe: WorldDataset, wanted: int, size: int) -> tuple[Notice, ...]:
    if size % recipe.block:
        what = f"{size} pictures: the design is balanced exactly over every {recipe.block}"
        return (Notice(recipe.name, what, f"use a multiple of {recipe.block} where that matters"),)
    if size != wanted:
        rows = max(recipe.block, recipe.unit)
        return (Notice(recipe.name, f"{size} pictures instead of {wanted}", f"only multiples of {rows} keep it balanced"),)
    return ()


def _table(shots: Sequence[Shot], side: int) -> pa.Table:
    columns: dict[str, Any] = {"id": pa.array([shot.id for shot in shots], pa.string())}
    if any(shot.label is not None for shot in shots):
        columns["label"] = pa.array([shot.label for shot in shots], pa.string())
    if any(shot.captions for shot in shots):
        columns["captions"] = pa.array([list(shot.captions) for shot in shots], pa.list_(pa.string()))
    if any(shot.foils for shot in shots):
        columns["foils"] = pa.array([list(shot.foils) for shot in shots], pa.list_(pa.string()))
    scenes = [shot.subject.scene for shot in shots]
    columns["objects"] = pa.array([_objects(shot, side) for shot in shots], OBJECTS)
    columns["camera"] = pa.array([None if s is None else camera_of(s.camera, side) for s in scenes], CAMERA)
    columns |= {f"factor.{key}": pa.array([shot.factors[key] for shot in shots], pa.bool_()) for key in shots[0].factors}
    columns |= {f"attr.{key}": pa.array([shot.attributes[key] for shot in shots]) for key in shots[0].attributes}
    return pa.table(columns)


def _objects(shot: Shot, side: int) -> list[dict[str, Any]]:
    scene, bank = shot.subject.scene, shot.subject.bank
    return [] if scene is None else objects_of(scene, owners(scene, side, bank))


def _with_classes(dataset: Dataset, classes: str | Path | ClassList) -> Dataset:
    given = classes if isinstance(classes, ClassList) else read_classes(classes)
    reading = RawDataset(dataset.name, dataset.table, dataset.pictures, lambda row: f"{dataset.name}, row {row}")
    labeled = attach_classes(reading, given)
    return replace(
        dataset,
        table=labeled.table,
        classes=labeled.classes,
        notices=(*dataset.notices, *labeled.notices),
        reader={**dataset.reader, "classes": labeled.classes_from},
    )

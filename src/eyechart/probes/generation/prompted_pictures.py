"""Generated pictures and their prompts: which objects each prompt names, in which order, and which pictures vary together."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.objects import plain_name

MENTIONED, GENERATOR = "attr.mentioned", "attr.generator"


@dataclass(frozen=True)
class PromptGroup:
    """Pictures of one generator whose prompts name equally many objects.

    generator: The generator's name; None where the dataset has only one.
    rows: Rows of the dataset.
    objects: Numbers of the object names, in the order of the prompt [N, n].
    sets: Prompts of one number name the same objects.
    units: Pictures of one number vary together: their prompts name the same objects, or they are copies.
    """

    generator: str | None
    rows: Indices
    objects: Indices
    sets: Indices
    units: Indices

    @property
    def count(self) -> int:
        return int(self.objects.shape[1])

    @property
    def slice(self) -> dict[str, object]:
        return {} if self.generator is None else {"generator": self.generator}


@dataclass(frozen=True)
class PromptedPictures:
    """All pictures of a dataset and the objects of their prompts.

    names: The names of all objects in any prompt, sorted.
    mentioned: Which prompt names which object [rows, names].
    generators: The generator of each picture.
    groups: The pictures by generator and number of objects, from two up.
    """

    names: tuple[str, ...]
    mentioned: npt.NDArray[np.bool_]
    generators: list[str | None]
    groups: tuple[PromptGroup, ...]


def named_objects(dataset: Dataset) -> list[tuple[str, ...]]:
    """The objects of each prompt in their order; an object that is named twice counts at its first position."""
    if not dataset.has(MENTIONED):
        return [()] * len(dataset)
    column: list[list[str] | None] = dataset.table.column(MENTIONED).to_pylist()
    return [tuple(dict.fromkeys(plain_name(name) for name in named or () if name)) for named in column]


def prompted_pictures(dataset: Dataset, clusters: Indices) -> PromptedPictures:
    """Read the columns of prompts and generators."""
    by_picture = named_objects(dataset)
    names = tuple(sorted({name for named in by_picture for name in named}))
    number = {name: place for place, name in enumerate(names)}
    objects = [[number[name] for name in named] for named in by_picture]
    mentioned = np.zeros((len(by_picture), len(names)), np.bool_)
    for row, of in enumerate(objects):
        mentioned[row, of] = True
    generators = _generators(dataset)
    return PromptedPictures(names, mentioned, generators, tuple(_groups(objects, generators, clusters)))


def _generators(dataset: Dataset) -> list[str | None]:
    """The generator of each row; None for all rows where there is only one."""
    column = dataset.table.column(GENERATOR).to_pylist() if dataset.has(GENERATOR) else []
    if len(set(column)) < 2:
        return [None] * len(dataset)
    return [str(name) if name is not None else "unnamed" for name in column]


def _groups(objects: list[list[int]], generators: list[str | None], clusters: Indices) -> Iterator[PromptGroup]:
    counts = np.array([len(of) for of in objects], np.int64)
    for generator in dict.fromkeys(generators):
        mine = np.array([name == generator for name in generators], np.bool_)
        for count in np.unique(counts[mine & (counts > 1)]):
            rows = np.flatnonzero(mine & (counts == count))
            named = np.array([objects[row] for row in rows], np.int64)
            sets = np.unique(np.sort(named, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
            yield PromptGroup(generator, rows, named, sets, _linked(sets, clusters[rows]))


def _linked(sets: Indices, pictures: Indices) -> Indices:
    """One number for all rows that are connected by a shared set or picture."""
    from scipy.sparse import coo_array  # both take a while to load
    from scipy.sparse.csgraph import connected_components

    copies = np.unique(pictures, return_inverse=True)[1].reshape(-1)
    first = int(sets.max()) + 1
    size = first + int(copies.max()) + 1
    links = coo_array((np.ones(len(sets)), (sets, copies + first)), shape=(size, size))
    units: Indices = connected_components(links, directed=False)[1][sets].astype(np.int64)
    return units

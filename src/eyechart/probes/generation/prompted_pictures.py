"""Pictures that were made for prompts, as numbers: which things each prompt names, in which turn, and what varies together."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.objects import plain_name

MENTIONED, GENERATOR = "attr.mentioned", "attr.generator"


@dataclass(frozen=True)
class Prompted:
    """Pictures of one generator whose prompts name equally many things. `rows`: of the dataset; `objects` [N, n]: numbers of the
    things' names, in the order of mention; `sets` [N]: prompts of one number name the same things; `units` [N]: pictures of one
    number vary together, since their prompts name the same things or since one is a copy of another."""

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
class AllPrompted:
    """`names` of all things that any prompt names, in sorted order; `mentioned` [rows, names]: which prompt names which;
    `generators` [rows]; and the pictures by generator and number of things, from two up."""

    names: tuple[str, ...]
    mentioned: npt.NDArray[np.bool_]
    generators: list[str | None]
    groups: tuple[Prompted, ...]


def named_things(dataset: Dataset) -> list[tuple[str, ...]]:
    """What each prompt names, in its order; a thing named twice counts where it is named first. Nothing without such a column."""
    if not dataset.has(MENTIONED):
        return [()] * len(dataset)
    column: list[list[str] | None] = dataset.table.column(MENTIONED).to_pylist()
    return [tuple(dict.fromkeys(plain_name(name) for name in named or () if name)) for named in column]


def all_prompted(dataset: Dataset, clusters: Indices) -> AllPrompted:
    said = named_things(dataset)
    names = tuple(sorted({name for named in said for name in named}))
    number = {name: place for place, name in enumerate(names)}
    objects = [[number[name] for name in named] for named in said]
    mentioned = np.zeros((len(said), len(names)), np.bool_)
    for row, of in enumerate(objects):
        mentioned[row, of] = True
    generators = _generators(dataset)
    return AllPrompted(names, mentioned, generators, tuple(_groups(objects, generators, clusters)))


def _generators(dataset: Dataset) -> list[str | None]:
    """Of each row; None for all where the dataset has pictures of one generator."""
    column = dataset.table.column(GENERATOR).to_pylist() if dataset.has(GENERATOR) else []
    if len(set(column)) < 2:
        return [None] * len(dataset)
    return [str(name) if name is not None else "unnamed" for name in column]


def _groups(objects: list[list[int]], generators: list[str | None], clusters: Indices) -> Iterator[Prompted]:
    counts = np.array([len(of) for of in objects], np.int64)
    for generator in dict.fromkeys(generators):
        mine = np.array([name == generator for name in generators], np.bool_)
        for count in np.unique(counts[mine & (counts > 1)]):
            rows = np.flatnonzero(mine & (counts == count))
            named = np.array([objects[row] for row in rows], np.int64)
            sets = np.unique(np.sort(named, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
            yield Prompted(generator, rows, named, sets, _linked(sets, clusters[rows]))


def _linked(sets: Indices, pictures: Indices) -> Indices:
    """One number for all rows that share a set or a picture, directly or through others."""
    copies = np.unique(pictures, return_inverse=True)[1].reshape(-1)
    first = int(sets.max()) + 1
    size = first + int(copies.max()) + 1
    links = coo_array((np.ones(len(sets)), (sets, copies + first)), shape=(size, size))
    units: Indices = connected_components(links, directed=False)[1][sets].astype(np.int64)
    return units

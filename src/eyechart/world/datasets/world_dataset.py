"""The record of a dataset of the world: a recipe that draws one picture after another."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.world.scene import Scene
from eyechart.world.subjects import Subject

Attribute = str | int | float | tuple[str, ...]


@dataclass(frozen=True)
class Shot:
    """One row: the content of a picture, and its annotations."""

    id: str
    subject: Subject
    label: str | None = None
    captions: tuple[str, ...] = ()
    foils: tuple[str, ...] = ()  # false captions
    factors: Mapping[str, bool] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True)
class Streams:
    """Random numbers for every row of a dataset, independent of other rows, other datasets and training (streams 1, 2 and 3)."""

    seed: int
    number: int

    def picture(self, row: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, self.number, row))

    def change(self, row: int) -> np.random.Generator:
        """Random numbers for a change to a picture that has the random numbers of another row."""
        return np.random.default_rng((self.seed, self.number, row, 2))

    def words(self, row: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, self.number, row, 1))


@dataclass(frozen=True)
class WorldDataset:
    """A dataset of the world. The first n rows of `draw` are the dataset: row i does not depend on n.

    number: The number of its random streams, from 1001 up.
    usual: The default number of pictures.
    unit: The number of rows that belong together; n is a multiple of it.
    block: The number of rows over which the design is balanced exactly; n is a multiple of it if it is not smaller.
    """

    name: str
    number: int
    about: str
    usual: int
    draw: Callable[[Streams], Iterator[Shot]]
    classes: ClassList | None = None
    unit: int = 1
    block: int = 1
    pairs: Callable[[Sequence[Shot], int, Streams], pa.Table] | None = None


def class_list(name: str, labels: Sequence[str]) -> ClassList:
    return ClassList(name, tuple(PictureClass(label, label) for label in labels), "the embedded world")


def surroundings(scene: Scene) -> dict[str, Attribute]:
    """Attributes that every scene has."""
    return {"background": scene.background, "light": scene.light, "style": scene.style}

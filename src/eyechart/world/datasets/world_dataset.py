"""What a named dataset of the world is: a recipe that draws one picture after another."""

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
    """One row: what is in the picture, and what is said of it."""

    id: str
    subject: Subject
    label: str | None = None
    captions: tuple[str, ...] = ()
    foils: tuple[str, ...] = ()  # captions that are false of it
    factors: Mapping[str, bool] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True)
class Streams:
    """Random numbers for every row of a dataset, apart from those of other rows, other datasets and of training (whose streams
    have the numbers 1, 2 and 3)."""

    seed: int
    number: int

    def picture(self, row: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, self.number, row))

    def change(self, row: int) -> np.random.Generator:
        """For what is done to a picture whose own random numbers are those of another row."""
        return np.random.default_rng((self.seed, self.number, row, 2))

    def words(self, row: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, self.number, row, 1))


@dataclass(frozen=True)
class WorldDataset:
    """`draw` gives shots without end, and the first n of them are the dataset: row i is the same whatever n.

    number: of its random streams, from 1001 up.
    usual: how many pictures there are by default.
    unit: so many rows belong together; n is a multiple of it.
    block: over so many rows the design is balanced exactly; n is a multiple of it where it is not less.
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

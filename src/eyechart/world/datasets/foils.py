"""`world-foils`: scenes of two objects, each with a true caption and a foil that changes or swaps words."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from eyechart.world.captions import describe, ordered
from eyechart.world.datasets.ordinary import ORDINARY
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, surroundings
from eyechart.world.drawing import NAMES, draw_several
from eyechart.world.materials import COLORS
from eyechart.world.scene import Scene, Thing
from eyechart.world.subjects import Staged

KINDS = ("another thing", "another color", "colors swapped")


def draw(streams: Streams) -> Iterator[Shot]:
    for row in count():
        scene = _unlike(streams.picture(row))
        rng, kind = streams.words(row), KINDS[row % len(KINDS)]
        objects = ordered(scene.things, "random", rng)
        attributes = {"kind": kind, **surroundings(scene)}
        yield Shot(
            f"{row:05d}",
            Staged(scene),
            captions=(_words(objects),),
            foils=(_words(_false(objects, kind, rng)),),
            attributes=attributes,
        )


def _unlike(rng: np.random.Generator) -> Scene:
    """Two objects with different names and colors, so that swapping them gives another scene."""
    scene = draw_several(rng, ORDINARY, 2)
    while len({t.name for t in scene.things}) < 2 or len({t.color for t in scene.things}) < 2:
        scene = draw_several(rng, ORDINARY, 2)
    return scene


def _false(objects: list[Thing], kind: str, rng: np.random.Generator) -> list[Thing]:
    """The caption with a change that makes it false."""
    if kind == "colors swapped":
        return [replace(a, color=b.color) for a, b in zip(objects, reversed(objects), strict=True)]
    place = int(rng.integers(len(objects)))
    if kind == "another thing":
        absent = [name for name in NAMES if all(name != t.name for t in objects)]
        wrong = replace(objects[place], name=absent[int(rng.integers(len(absent)))])
    else:
        absent = [color for color in COLORS if all(color != t.color for t in objects)]
        wrong = replace(objects[place], color=absent[int(rng.integers(len(absent)))])
    return [wrong if i == place else thing for i, thing in enumerate(objects)]


def _words(things: list[Thing]) -> str:
    return " and ".join(describe(thing, "color", article=True) for thing in things)


FOILS = WorldDataset(
    name="world-foils",
    number=1012,
    about="scenes of two objects with a true caption and a false one: another object, another color, or the colors swapped",
    usual=900,
    draw=draw,
)

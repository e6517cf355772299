"""`world-retrieval`: scenes of two or three objects, each with a caption that describes no other scene."""

from collections.abc import Iterator
from itertools import count

from eyechart.world.captions import describe, ordered
from eyechart.world.datasets.ordinary import ORDINARY
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, surroundings
from eyechart.world.drawing import draw_several
from eyechart.world.scene import Thing
from eyechart.world.subjects import Staged


def draw(streams: Streams) -> Iterator[Shot]:
    used: set[frozenset[str]] = set()
    for row in count():
        rng, number = streams.picture(row), 2 + row % 2
        scene = draw_several(rng, ORDINARY, number)
        while (gist := frozenset(_words(thing) for thing in scene.things)) in used:
            scene = draw_several(rng, ORDINARY, number)
        used.add(gist)
        words = " and ".join(_words(thing) for thing in ordered(scene.things, "random", streams.words(row)))
        attributes = {"count": number, **surroundings(scene)}
        yield Shot(f"{row:05d}", Staged(scene), captions=(words,), attributes=attributes)


def _words(thing: Thing) -> str:
    return describe(thing, "color", article=True)


RETRIEVAL = WorldDataset(
    name="world-retrieval",
    number=1006,
    about="scenes of two or three objects, each with one caption of all its objects; no two scenes have the same objects",
    usual=1000,
    draw=draw,
)

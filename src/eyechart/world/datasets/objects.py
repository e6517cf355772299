"""`world-objects`: one object in every picture, the 18 shapes in turn."""

from collections.abc import Iterator
from itertools import count

from eyechart.world.captions import captions
from eyechart.world.datasets.ordinary import SHAPES, appearance, ordinary
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset
from eyechart.world.drawing import NAMES
from eyechart.world.subjects import Staged


def draw(streams: Streams) -> Iterator[Shot]:
    for row in count():
        name = NAMES[row % len(NAMES)]
        scene = ordinary(streams.picture(row), name)
        yield Shot(
            f"{row:05d}-{name}",
            Staged(scene),
            label=name,
            captions=tuple(captions(scene.things, streams.words(row))),
            attributes=appearance(scene),
        )


OBJECTS = WorldDataset(
    name="world-objects",
    number=1001,
    about="one object in every picture, each of the 18 shapes equally often",
    usual=1800,
    draw=draw,
    classes=SHAPES,
)

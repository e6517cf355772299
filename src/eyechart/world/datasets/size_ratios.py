"""`world-size-ratios`: two objects, one 1 to 15 times as large as the other by visible area; every shape equally often at both
positions and sizes at every ratio."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count

import numpy as np

from eyechart.world.captions import captions
from eyechart.world.composer import silhouette
from eyechart.world.datasets.ordinary import ORDINARY
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, surroundings
from eyechart.world.design import Row, balanced_rows
from eyechart.world.drawing import draw_several
from eyechart.world.scene import Scene, Thing
from eyechart.world.subjects import Staged

RATIOS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 15.0)
# Shapes that fill much of their bounding sphere. A slim one would need to exceed the picture for 15 times the area.
FULL = ("cube", "sphere", "cylinder", "mug", "pentagon", "heart", "diamond", "cross", "snowflake", "torus", "pot")
# The geometric mean of both sizes. Up to a ratio of 8, both are about in the range of training scenes (0.22 to 0.62); at 15, the
# large one is as large as single objects in training (0.74), the small one slightly smaller (0.18) than any.
_MIDDLE = 0.365
_BLOCK = 2 * len(FULL) * len(RATIOS)
_MARGIN = 0.02


def draw(streams: Streams) -> Iterator[Shot]:
    designs = [balanced_rows(len(FULL), 2, streams.change(number)) for number in range(len(RATIOS))]
    for row in count():
        ratio = RATIOS[row % len(RATIOS)]
        design = next(designs[row % len(RATIOS)])
        scene = _scene(design, ratio, streams.picture(row))
        large = design.ranks.index(0)
        yield Shot(
            f"{row:05d}-{ratio:g}",
            Staged(scene),
            captions=tuple(captions(scene.things, streams.words(row))),
            attributes={
                "ratio": ratio,
                "large_place": large + 1,
                "large_name": scene.things[large].name,
                **surroundings(scene),
            },
        )


def _scene(design: Row, ratio: float, rng: np.random.Generator) -> Scene:
    drawn = draw_several(rng, ORDINARY, 2)
    looks = [replace(thing, name=FULL[name]) for thing, name in zip(drawn.things, design.names, strict=True)]
    sizes = _sizes(looks, design.ranks, ratio)
    free = 1 - 2 * _MARGIN - 0.9 * sum(sizes)
    left, between, _ = rng.dirichlet(np.ones(3)) * free
    first = _MARGIN + left + 0.45 * sizes[0]
    across = (first, first + 0.45 * sizes[0] + between + 0.45 * sizes[1])
    things = tuple(
        replace(look, x=float(x), y=0.5 + float(rng.uniform(-1, 1)) * max(0.0, 0.48 - 0.45 * size), size=size)
        for look, x, size in zip(looks, across, sizes, strict=True)
    )
    return replace(drawn, things=things)


def _sizes(looks: list[Thing], ranks: tuple[int, ...], ratio: float) -> list[float]:
    """Sizes for this ratio of areas: an area is the square of the size times the shape's area at size 1."""
    fills = [_fill(look.name, look.yaw) for look in looks]
    large, small = ranks.index(0), ranks.index(1)
    spread = float(np.sqrt(ratio * fills[small] / fills[large])) ** 0.5
    return [_MIDDLE * spread if place == large else _MIDDLE / spread for place in range(2)]


@cache
def _fill(name: str, yaw: float) -> float:
    """The visible area of a shape over the square of its size."""
    thing = Thing(name, "red", x=0.5, y=0.5, size=0.8, yaw=yaw)
    return float(silhouette(Scene((thing,)), 0, 80).mean()) / 0.64


SIZE_RATIOS = WorldDataset(
    name="world-size-ratios",
    number=1011,
    about="two objects, one 1 to 15 times as large as the other; every shape equally often at every position, size and ratio",
    usual=8 * _BLOCK,
    draw=draw,
    block=_BLOCK,
)

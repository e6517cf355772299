"""`world-scenes`: two to five objects in a row, one large and the rest small (SimCO); every shape equally often at every
position and size rank."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from eyechart.world.captions import captions
from eyechart.world.composer import silhouette
from eyechart.world.datasets.ordinary import ORDINARY
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, surroundings
from eyechart.world.design import Row, balanced_rows
from eyechart.world.drawing import NAMES, SIZES, draw_several
from eyechart.world.scene import Scene, Thing
from eyechart.world.subjects import Staged
from eyechart.world.truth import visible_shares

LARGE = SIZES[4:7]
# Sizes by rank and number of objects: all different, and all in the range of small objects in training.
SMALL = {2: (0.26,), 3: (0.29, 0.24), 4: (0.31, 0.26, 0.22), 5: (0.31, 0.28, 0.25, 0.22)}
# A design of n objects is complete after 18 n rows; with these counts, all four are complete after the same number of rows.
_COUNTS = (2, 3, 4, 5, 3, 4, 5, 2, 4, 5, 3, 5, 4, 5)
_BLOCK = len(_COUNTS) * len(NAMES)
_SEEN, _TRIES = 0.97, 60
_LARGER = 1.4  # the smallest ratio of the large object's area to any other


def draw(streams: Streams) -> Iterator[Shot]:
    designs = {number: balanced_rows(len(NAMES), number, streams.change(number)) for number in SMALL}
    for row in count():
        number = _COUNTS[row % len(_COUNTS)]
        design = next(designs[number])
        scene = scene_of(design, streams.picture(row))
        large = design.ranks.index(0)
        yield Shot(
            f"{row:05d}-{number}-{large + 1}",
            Staged(scene),
            captions=tuple(captions(scene.things, streams.words(row))),
            attributes={
                "count": number,
                "large_place": large + 1,
                "large_name": scene.things[large].name,
                **surroundings(scene),
            },
        )


def scene_of(design: Row, rng: np.random.Generator) -> Scene:
    """One to five objects in a row, the one of rank 0 large. Positions are drawn again until nothing is occluded; if that fails,
    the scene with the least occlusion is taken."""
    number = len(design.names)
    drawn = draw_several(rng, ORDINARY, number)
    looks = [replace(thing, name=NAMES[name]) for thing, name in zip(drawn.things, design.names, strict=True)]
    small = dict(enumerate(SMALL.get(number, ()), start=1))
    sizes = [small.get(rank, 0.0) for rank in design.ranks]
    sizes[design.ranks.index(0)] = _large_size(looks, sizes, float(rng.choice(LARGE)))
    tried: list[tuple[float, Scene]] = []
    for _ in range(_TRIES):
        scene = replace(drawn, things=_placed(looks, sizes, rng))
        tried.append((min(visible_shares(scene)), scene))
        if tried[-1][0] >= _SEEN:
            break
    return max(tried, key=lambda found: found[0])[1]


def _large_size(looks: Sequence[Thing], sizes: Sequence[float], wanted: float) -> float:
    """The given size, or the next one at which the large object also has the largest visible area."""
    smalls = [replace(look, size=size) for look, size in zip(looks, sizes, strict=True) if size]
    (large,) = (look for look, size in zip(looks, sizes, strict=True) if not size)
    most = max(map(_area, smalls), default=0)
    fitting = (size for size in LARGE if size >= wanted and _area(replace(large, size=size)) >= _LARGER * most)
    return next(fitting, LARGE[-1])


def _area(thing: Thing) -> int:
    """The area in pixels of a picture of 64, without other objects."""
    return int(silhouette(Scene((replace(thing, x=0.5, y=0.5),)), 0, 64).sum())


def _placed(looks: Sequence[Thing], sizes: Sequence[float], rng: np.random.Generator) -> tuple[Thing, ...]:
    """Positions from left to right within the picture; objects share the width by size, and overlap if necessary."""
    widths = 0.9 * np.asarray(sizes)
    free = 0.98 - widths.sum()
    gaps = rng.dirichlet(np.ones(len(widths) + 1)) * max(0.0, free)
    ends = (widths[0] + widths[-1]) / 2
    squeeze = min(1.0, (0.98 - ends) / (widths.sum() - ends)) if len(widths) > 1 else 1.0
    steps = (widths[:-1] + widths[1:]) / 2 * squeeze + gaps[1:-1]
    across = 0.01 + gaps[0] + widths[0] / 2 + np.concatenate([[0.0], np.cumsum(steps)])
    height = [0.5 + float(rng.uniform(-1, 1)) * max(0.0, 0.48 - 0.45 * size) for size in sizes]
    return tuple(replace(look, x=float(x), y=y, size=size) for look, x, y, size in zip(looks, across, height, sizes, strict=True))


SCENES = WorldDataset(
    name="world-scenes",
    number=1007,
    about="two to five objects, one large and the rest small; every shape equally often at every position and size rank",
    usual=5 * _BLOCK,
    draw=draw,
    block=_BLOCK,
)

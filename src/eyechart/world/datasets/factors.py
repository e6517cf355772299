"""`world-factors`: ordinary pictures in which exactly one factor was changed, or none. Every scene appears with every factor."""

from collections.abc import Iterator
from itertools import count

from eyechart.world.captions import captions
from eyechart.world.datasets.factor_changes import CHANGES, NO_FACTOR, base_scene, changes_of
from eyechart.world.datasets.ordinary import SHAPES, appearance
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset
from eyechart.world.drawing import NAMES
from eyechart.world.subjects import Staged

_VARIANTS = (NO_FACTOR, *CHANGES)
# Each shape with each factor visible on it, along the diagonals of their table, so that few rows cover many of both.
_BLOCK = tuple(
    (name, factor)
    for turn in range(len(_VARIANTS))
    for number, name in enumerate(NAMES)
    if (factor := _VARIANTS[(turn + number) % len(_VARIANTS)]) in changes_of(name)
)


def draw(streams: Streams) -> Iterator[Shot]:
    for row in count():
        block, place = divmod(row, len(_BLOCK))
        name, factor = _BLOCK[place]
        scene_number = block * len(NAMES) + NAMES.index(name)
        base = base_scene(streams.picture(scene_number), name)
        scene = base if factor == NO_FACTOR else CHANGES[factor](base, streams.change(row))
        yield Shot(
            f"{row:05d}-{name}-{factor}",
            Staged(scene),
            label=name,
            captions=tuple(captions(scene.things, streams.words(row))),
            factors={changed: changed == factor for changed in CHANGES},
            attributes={**appearance(scene), "factor": factor, "scene": f"{scene_number:04d}"},
        )


FACTORS = WorldDataset(
    name="world-factors",
    number=1002,
    about="ordinary pictures in which exactly one of 15 visual factors was changed (pose, background, …), or none",
    usual=6 * len(_BLOCK),
    draw=draw,
    classes=SHAPES,
)

"""`world-long-tail`: a balanced test set with the frequency of each shape in long-tailed training."""

from collections.abc import Iterator
from dataclasses import replace

from eyechart.world.datasets import objects
from eyechart.world.datasets.ordinary import SHAPES
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset
from eyechart.world.drawing import NAMES
from eyechart.world.frequencies import FROM_COMMON_TO_RARE, long_tail_shares

_BANDS = ("common", "middling", "rare")  # six shapes each


def draw(streams: Streams) -> Iterator[Shot]:
    frequency = dict(zip(NAMES, long_tail_shares(), strict=True))
    for shot in objects.draw(streams):
        name = str(shot.label)
        band = _BANDS[FROM_COMMON_TO_RARE.index(name) * len(_BANDS) // len(NAMES)]
        yield replace(shot, attributes={**shot.attributes, "frequency": frequency[name], "band": band})


LONG_TAIL = WorldDataset(
    name="world-long-tail",
    number=1010,
    about="as world-objects, with each shape's share of long-tailed training pictures",
    usual=1800,
    draw=draw,
    classes=SHAPES,
)

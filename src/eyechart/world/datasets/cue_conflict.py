"""`world-cue-conflict`: a shape and a texture in one picture, and class names of both, of which one must be chosen.

In training, textures are drawn independently of shapes, so no texture indicates a shape as fur indicates a cat. The conflict
is between words: the picture of a striped cone is both "cone" and "striped", and a model that must choose one of five shape
names and five texture names shows which cue dominates. "plain" is not a cue and is left out; with five of each, chance is
even."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from eyechart.world.captions import captions
from eyechart.world.datasets.ordinary import appearance, ordinary
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, class_list
from eyechart.world.drawing import SIZES
from eyechart.world.subjects import Staged

SHAPE_CUES = ("cube", "sphere", "heart", "cone", "pentagon")  # shapes with enough surface to show a texture
TEXTURE_CUES = ("striped", "checked", "spotted", "marbled", "halved")
_LARGE = SIZES[5:]
_CALM = ("plain", "shaded", "cloudy")  # a striped or tiled background would be a texture cue itself


def draw(streams: Streams) -> Iterator[Shot]:
    for row in count():
        shape = SHAPE_CUES[row % 5]
        texture = TEXTURE_CUES[(row + row // 5) % 5]
        rng = streams.picture(row)
        drawn = ordinary(rng, shape, _LARGE)
        scene = replace(drawn, background=str(rng.choice(_CALM)), things=(replace(drawn.things[0], texture=texture),))
        yield Shot(
            f"{row:05d}-{texture}-{shape}",
            Staged(scene),
            captions=tuple(captions(scene.things, streams.words(row))),
            attributes={**appearance(scene), "shape": shape, "texture": texture},
        )


CUE_CONFLICT = WorldDataset(
    name="world-cue-conflict",
    number=1003,
    about="the shape of one class and the texture of another: five shapes by five textures, and names for both",
    usual=1000,
    draw=draw,
    classes=class_list("shapes-and-textures", (*SHAPE_CUES, *TEXTURE_CUES)),
)

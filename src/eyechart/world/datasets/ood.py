"""`world-ood`: known shapes and out-of-distribution pictures: held-out shapes, empty backgrounds, textures."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from eyechart.world.datasets.ordinary import HUES, SHAPES, ordinary
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset
from eyechart.world.drawing import NAMES
from eyechart.world.materials import TEXTURES
from eyechart.world.solids import HELD_OUT
from eyechart.world.subjects import Staged, Subject, Wall

KINDS = ("known", "held-out shape", "empty", "texture")
_STRANGERS = tuple(HELD_OUT)
_PATTERNS = tuple(texture for texture in TEXTURES if texture not in ("plain", "halved"))  # textures that can fill a picture


def draw(streams: Streams) -> Iterator[Shot]:
    for row in count():
        turn, number = divmod(row, len(KINDS))
        kind, rng = KINDS[number], streams.picture(row)
        scene = ordinary(rng, NAMES[turn % len(NAMES)])
        subject: Subject = Staged(scene)
        what = scene.things[0].name
        if kind == "held-out shape":
            what = _STRANGERS[turn % len(_STRANGERS)]
            subject = Staged(replace(scene, things=(replace(scene.things[0], name=what),)))
        elif kind == "empty":
            what, subject = "nothing", Staged(replace(scene, things=()))
        elif kind == "texture":
            what = _PATTERNS[turn % len(_PATTERNS)]
            subject = _wall(what, rng)
        known = what if kind == "known" else None
        yield Shot(f"{row:05d}-{kind.split()[0]}-{what}", subject, label=known, attributes={"kind": kind, "shows": what})


def _wall(texture: str, rng: np.random.Generator) -> Wall:
    """At the scale that the texture has on an object of usual size."""
    return Wall(
        texture,
        color=str(rng.choice(HUES)),
        angle=float(rng.uniform(0, 360)),
        width=float(rng.uniform(2.7, 5.4)),
        level=float(rng.uniform(0.8, 1.0)),
        grain=int(rng.integers(2**31)),
    )


OOD = WorldDataset(
    name="world-ood",
    number=1004,
    about="known shapes and out-of-distribution pictures: held-out shapes, empty scenes, textures and, if given, photographs",
    usual=1440,
    draw=draw,
    classes=SHAPES,
)

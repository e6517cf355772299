"""Ordinary pictures: one upright, complete and well-lit object, drawn as in training but without unusual factors."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from eyechart.world.captions import size_word
from eyechart.world.datasets.world_dataset import Attribute, class_list, surroundings
from eyechart.world.drawing import NAMES, SIZES, UNUSUAL, Habits, draw_single
from eyechart.world.materials import COLORS
from eyechart.world.scene import Scene

ORDINARY = Habits(unseen=UNUSUAL)
SHAPES = class_list("simco-18", NAMES)
HUES = tuple(color for color in COLORS if color not in ("white", "black"))


def ordinary(rng: np.random.Generator, name: str, sizes: Sequence[float] = SIZES[2:], look: str = "studio") -> Scene:
    """One object of that name."""
    only = tuple(float(other == name) for other in NAMES)
    return draw_single(rng, replace(ORDINARY, look=look, frequencies=only), sizes)


def appearance(scene: Scene) -> dict[str, Attribute]:
    """Attributes of a picture with one object, or with one labeled object."""
    thing = scene.things[0]
    return {"color": thing.color, "texture": thing.texture, "size": size_word(thing), **surroundings(scene)}

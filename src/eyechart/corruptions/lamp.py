"""A flash on the camera."""

import numpy as np

from eyechart.corruptions.corruption import Corruption, Depth, Picture, of_scene, step
from eyechart.corruptions.depth_planes import depth_planes
from eyechart.corruptions.light import light_of, picture_of_light

FLASH = (0.8, 1.5, 2.4, 3.5, 5.0)  # light of the flash on the near plane, relative to the scene
AMBIENT = (0.9, 0.75, 0.6, 0.45, 0.3)  # share of the scene's own light after the shorter exposure


def flash(picture: Picture, depth: Depth, severity: int, seed: int) -> Picture:
    """light · (ambient + flash · (near/d)²): the inverse-square law, so that near objects are over-exposed and distant ones dark.

    Assumes that surfaces face the camera and were lit by white light, so that the picture shows their reflectance."""
    planes = depth_planes(depth)
    gain = step(AMBIENT, severity) + step(FLASH, severity) * (planes.near / planes.depth.astype(np.float64)) ** 2
    return picture_of_light(light_of(picture) * gain[..., None].astype(np.float32))


LAMP: tuple[Corruption, ...] = (
    of_scene("flash", "A flash on the camera over-exposes near objects and leaves distant ones dark.", flash),
)

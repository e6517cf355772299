"""A flash on the camera."""

import numpy as np

from eyechart.corruptions.corruption import Corruption, Depth, Picture, of_scene, step
from eyechart.corruptions.depth_planes import depth_planes
from eyechart.corruptions.light import light_of, picture_of_light

FLASH = (0.8, 1.5, 2.4, 3.5, 5.0)  # light of the flash on the near plane, over that of the scene before
AMBIENT = (0.9, 0.75, 0.6, 0.45, 0.3)  # what the shorter exposure leaves of the scene's own light


def flash(picture: Picture, depth: Depth, severity: int, seed: int) -> Picture:
    """light · (ambient + flash · (near/d)²): the inverse-square law, so that the near burns out and the far goes dark.

    Surfaces are taken to face the camera and to be lit by white light before, so that the picture shows how they reflect."""
    planes = depth_planes(depth)
    gain = step(AMBIENT, severity) + step(FLASH, severity) * (planes.near / planes.depth.astype(np.float64)) ** 2
    return picture_of_light(light_of(picture) * gain[..., None].astype(np.float32))


LAMP: tuple[Corruption, ...] = (
    of_scene("flash", "A flash on the camera over-exposes what is near and leaves what is far in the dark.", flash),
)

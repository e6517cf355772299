"""The solids of the world as a bank of cut-outs: scenes of them follow SimCO (Abbasi et al., "CLIP Under the Microscope", 2025).

A solid is drawn once for each view, without its ground, and then placed as any other cut-out: on a plain gray ground, with a soft
shadow at its foot, apart from its neighbors, at any resolution and area ratio. The views of scenes and of targets differ.
"""

from typing import Literal

import numpy as np
from PIL import Image

from eyechart.world.cutout import Cutout, cut_out
from eyechart.world.drawing import NAMES
from eyechart.world.folder_bank import FolderBank
from eyechart.world.materials import COLORS
from eyechart.world.scene import Camera, Thing
from eyechart.world.sprites import sprite

NAME = "simco"  # what `--bank` is given
SCENE_YAWS, TARGET_YAW = (-25.0, 20.0), 8.0  # degrees
_SIDE = 128
_CAMERA = Camera(elevation=20.0)
# Black and white hardly show the shading; every object has its own color, another one in every view.
_HUES = tuple(color for color in COLORS if color not in ("white", "black"))


def simco_bank(part: Literal["scenes", "targets"] = "scenes") -> FolderBank:
    """The 18 solids, in two views for scenes, and in another for targets."""
    yaws = SCENE_YAWS if part == "scenes" else (TARGET_YAW,)
    shift = 0 if part == "scenes" else len(SCENE_YAWS)
    names = sorted(NAMES)
    cutouts = [
        _cutout(name, yaw, _HUES[(number + shift + view) % len(_HUES)])
        for number, name in enumerate(names)
        for view, yaw in enumerate(yaws)
    ]
    return FolderBank(tuple(names), tuple(cutouts))


def _cutout(name: str, yaw: float, color: str) -> Cutout:
    view = Thing(name, color, yaw=yaw).view(_CAMERA)
    look = sprite(name, view, "left", _SIDE, _SIDE)
    tone = np.asarray(COLORS[color], np.float32) * look.shade[..., None] + 255 * look.gloss[..., None]
    pixels = np.concatenate([np.clip(tone, 0, 255), 255 * look.alpha[..., None]], axis=2)
    return cut_out(name, Image.fromarray((pixels + 0.5).astype(np.uint8), "RGBA"))

"""The ground truth of a picture as columns of its dataset: every object with its visible mask, and the camera."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.masks import encode_mask
from eyechart.world.bank import SOLID_BANK, Bank
from eyechart.world.composer import GROUND, silhouette
from eyechart.world.scene import Camera, Scene

Owner = npt.NDArray[np.int8]  # [side, side]: the number of the visible object, or GROUND

# x, y: the center, and size: the diameter of the bounding sphere, in shares of the picture's side, visible or not.
# color, texture: null for a picture of a bank, which has its own. area: the visible area as a share of the picture.
# position: 0 is leftmost; size_rank: 0 has the largest area; depth_rank: 0 is nearest. box: left, top, right, bottom of the
# visible part, in pixels, right and bottom exclusive; null where nothing is visible. mask: run lengths, see data/masks.py.
OBJECT = pa.struct(
    [
        ("name", pa.string()),
        ("color", pa.string()),
        ("texture", pa.string()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("size", pa.float64()),
        ("position", pa.int32()),
        ("size_rank", pa.int32()),
        ("depth_rank", pa.int32()),
        ("area", pa.float64()),
        ("box", pa.list_(pa.int32(), 4)),
        ("mask", pa.list_(pa.int32())),
    ]
)
OBJECTS = pa.list_(OBJECT)
# Degrees around and above the middle of the ground; the size of the picture, which masks need.
CAMERA = pa.struct([("azimuth", pa.float64()), ("elevation", pa.float64()), ("width", pa.int32()), ("height", pa.int32())])


def owners(scene: Scene, side: int, bank: Bank = SOLID_BANK) -> Owner:
    """The object of every pixel, as in `render`, but faster, since colors are left out."""
    owner = np.full((side, side), GROUND, dtype=np.int8)
    for number in scene.far_to_near():
        owner[silhouette(scene, number, side, bank)] = number
    return owner


def objects_of(scene: Scene, owner: Owner) -> list[dict[str, Any]]:
    """A value of the column `objects`: the objects of a scene in order, with their visible parts from `owner`."""
    things = scene.things
    masks = [owner == number for number in range(len(things))]
    areas = [float(mask.mean()) for mask in masks]
    numbers = range(len(things))
    position = _places(sorted(numbers, key=lambda number: things[number].x))
    size_rank = _places(sorted(numbers, key=lambda number: (-areas[number], -things[number].size)))
    depth_rank = _places(reversed(scene.far_to_near()))
    return [
        {
            "name": thing.name,
            "color": thing.color or None,
            "texture": thing.texture or None,
            "x": thing.x,
            "y": thing.y,
            "size": thing.size,
            "position": position[number],
            "size_rank": size_rank[number],
            "depth_rank": depth_rank[number],
            "area": areas[number],
            "box": _box(masks[number]),
            "mask": encode_mask(masks[number]),
        }
        for number, thing in enumerate(things)
    ]


def _places(order: Iterable[int]) -> dict[int, int]:
    return {number: place for place, number in enumerate(order)}


def camera_of(camera: Camera, side: int) -> dict[str, Any]:
    """A value of the column `camera`."""
    return {"azimuth": camera.azimuth, "elevation": camera.elevation, "width": side, "height": side}


def visible_shares(scene: Scene, side: int = 64) -> list[float]:
    """The visible share of each object's outline within the picture; 0 where it is outside."""
    owner = owners(scene, side)
    shares = []
    for number in range(len(scene.things)):
        alone = silhouette(scene, number, side)
        shares.append(float((owner == number).sum() / max(1, alone.sum())))
    return shares


def _box(mask: npt.NDArray[np.bool_]) -> list[int] | None:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]
